package org.namdb.sql.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.parser.Keywords;
import org.namdb.sql.language.type.ByteString;
import org.namdb.sql.language.type.RecordType;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;
import org.namdb.sql.language.type.TextParser;
import org.namdb.sql.language.type.TypeOids;

/// A connection to a server, for its stored procedures. Any number of calls may be in flight: they
/// are sent at once, and the server runs those of one connection one after the other, each a
/// transaction. Safe for use by many threads.
///
/// Inputs and results have the types that the procedure declares: records, whose components are
/// parameters in order, and columns by name; or single values. [RecordType] says which types there
/// are.
///
/// It speaks PostgreSQL's protocol, by TLS if the server has it or the URL requires it ([SslMode]).
public final class NamClient implements AutoCloseable {
    private final ServerConnection connection;

    /// Held while a call is sent: calls are answered in the order in which they were sent. The
    /// thread that reads never waits for it, as a long message is sent only while it reads.
    private final ReentrantLock sending = new ReentrantLock();

    /// Guards what follows.
    private final ReentrantLock lock = new ReentrantLock();

    private final Deque<Call> inFlight = new ArrayDeque<>();
    private @Nullable SqlException failure;

    /// The columns of an answer, and its rows as texts.
    ///
    /// @param names of the columns
    /// @param types of the columns
    record Answer(List<String> names, List<SqlType> types, List<@Nullable String[]> rows) {
        @Nullable Object value(int row, int column) {
            String text = rows.get(row)[column];
            return text == null ? null : TextParser.parse(text, types.get(column));
        }
    }

    /// A call that was sent. Its fields are for the thread that reads.
    private static final class Call {
        private final CompletableFuture<Answer> result = new CompletableFuture<>();
        private final List<String> names = new ArrayList<>();
        private final List<Integer> oids = new ArrayList<>();
        private final List<@Nullable String[]> rows = new ArrayList<>();
        private @Nullable SqlException error;

        /// What the program does with the result is not for the thread that reads: it may call, and
        /// wait.
        private void complete() {
            CompletableFuture<Answer> _ =
                    result.completeAsync(
                            () -> new Answer(names, TypeOids.declared(oids), rows),
                            Thread::startVirtualThread);
        }

        private void fail(SqlException why) {
            Thread _ = Thread.startVirtualThread(() -> result.completeExceptionally(why));
        }
    }

    /// How a procedure is called: PostgreSQL has OUT parameters among the arguments, and functions
    /// in queries.
    private enum Kind {
        PROCEDURE,
        WITH_OUTPUTS,
        FUNCTION
    }

    /// Of those that are not called by their inputs alone.
    private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

    private NamClient(ServerConnection connection) {
        this.connection = connection;
    }

    /// Connects to a server.
    ///
    /// @param url as [ServerUrl#parse] reads it: `postgresql://user:password@host:port/namdb`
    /// @throws SqlException 08006 if there is no server, or no TLS that the URL requires; 28P01 if
    ///     the password is wrong; and the server's other errors
    public static NamClient connect(String url) {
        NamClient client = new NamClient(ServerConnection.open(ServerUrl.parse(url), "NamClient"));
        Thread _ = Thread.ofVirtual().name("nam-client").start(client::read);
        return client;
    }

    /// Calls a procedure, and waits for its result.
    ///
    /// @param input a record, a single value, or null if it takes nothing
    /// @param output the class of its rows: a record, or one of single values
    /// @return the first row; null if there is none
    /// @throws SqlException what the procedure, or the database, has thrown; 08006 if the
    ///     connection is lost: whether the call was committed is not known then
    public <O> @Nullable O call(String name, @Nullable Object input, Class<O> output) {
        return NamClient.<@Nullable O>join(callAsync(name, input, output));
    }

    /// Calls a procedure, and waits for its result: the value of the first column of the first
    /// row, as SQL has it (numbers are Long, BigDecimal, Float and Double); null if there is none.
    public @Nullable Object call(String name, @Nullable Object input) {
        return NamClient.<@Nullable Object>join(callAsync(name, input));
    }

    /// Calls a procedure, and waits for all its rows.
    public <O> List<@Nullable O> callForList(String name, @Nullable Object input, Class<O> output) {
        return NamClient.<List<@Nullable O>>join(
                send(name, input, columns(name, output))
                        .<List<@Nullable O>>thenApply(answer -> rows(answer, name, output)));
    }

    /// Calls a procedure; the future has the first row, null if there is none, and fails with what
    /// [#call] throws.
    public <O> CompletableFuture<@Nullable O> callAsync(
            String name, @Nullable Object input, Class<O> output) {
        return send(name, input, columns(name, output))
                .thenApply(answer ->
                        answer.rows().isEmpty() ? null : rows(answer, name, output).getFirst());
    }

    /// Calls a procedure; the future has the value of the first column of the first row.
    public CompletableFuture<@Nullable Object> callAsync(String name, @Nullable Object input) {
        return send(name, input, 1)
                .<@Nullable Object>thenApply(answer ->
                        answer.rows().isEmpty() || answer.names().isEmpty()
                                ? null
                                : answer.value(0, 0));
    }

    /// Submits a jar of procedures, in the place of the one of its name: they can be called when
    /// this returns.
    ///
    /// @param jar a file; its name without `.jar` is the jar's
    /// @throws SqlException 42501 if the server does not allow it, 46001 if it is no jar of
    ///     procedures
    /// @throws IOException if the file can't be read
    public void submit(Path jar) throws IOException {
        String file = String.valueOf(jar.getFileName());
        submit(file.endsWith(".jar") ? file.substring(0, file.length() - 4) : file, jar);
    }

    /// The same with another name.
    public void submit(String name, Path jar) throws IOException {
        submit(name, Files.readAllBytes(jar));
    }

    /// The same with the bytes of a jar.
    public void submit(String name, byte[] image) {
        Answer _ =
                join(
                        send(
                                "CALL sqlj.install_jar($1, $2)",
                                new @Nullable Object[] {ByteString.of(image), name},
                                List.of(SqlType.BYTEA, SqlType.TEXT)));
    }

    /// Removes a jar and its procedures.
    ///
    /// @throws SqlException 42704 if there is none of this name
    public void remove(String name) {
        Answer _ =
                join(
                        send(
                                "CALL sqlj.remove_jar($1)",
                                new @Nullable Object[] {name},
                                List.of(SqlType.TEXT)));
    }

    /// What the server's procedures are, and what their calls have cost: the rows of SHOW
    /// PROCEDURES, as texts, below the names of its columns.
    public List<List<String>> procedures() {
        Answer answer = join(send("SHOW procedures", new @Nullable Object[0], List.of()));
        List<List<String>> rows = new ArrayList<>();
        rows.add(answer.names());
        for (@Nullable String[] row : answer.rows()) {
            List<String> fields = new ArrayList<>();
            for (String field : row) {
                fields.add(field == null ? "" : field);
            }
            rows.add(fields);
        }
        return rows;
    }

    private static <T extends @Nullable Object> T join(CompletableFuture<T> result) {
        try {
            return result.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private static <O> List<@Nullable O> rows(Answer answer, String name, Class<O> output) {
        RecordType<O> type = RecordType.of(output, name);
        List<Integer> columns = new ArrayList<>();
        for (RecordType.Column column : type.columns()) {
            int at = type.columns().size() == 1 ? 0 : answer.names().indexOf(column.name());
            if (at < 0 || at >= answer.names().size()) {
                throw new IllegalArgumentException(
                        name
                                + " gives "
                                + answer.names()
                                + ", and no column "
                                + column.name()
                                + " of "
                                + output.getName());
            }
            columns.add(at);
        }
        List<@Nullable O> rows = new ArrayList<>();
        for (int row = 0; row < answer.rows().size(); row++) {
            @Nullable Object[] values = new @Nullable Object[columns.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = answer.value(row, columns.get(i));
            }
            rows.add(type.object(values));
        }
        return rows;
    }

    private static int columns(String name, Class<?> output) {
        return RecordType.of(output, name).columns().size();
    }

    /// Calls a procedure as it was called last; if the server says that it is called otherwise, and
    /// before it has done anything, as one of another kind.
    ///
    /// @param outputs how many OUT parameters it may have
    private CompletableFuture<Answer> send(String name, @Nullable Object input, int outputs) {
        Kind kind = kinds.getOrDefault(name, Kind.PROCEDURE);
        return send(name, input, outputs, kind)
                .exceptionallyCompose(failure -> {
                    Kind other = other(failure, kind);
                    if (other == null) {
                        return CompletableFuture.failedFuture(failure);
                    }
                    return send(name, input, outputs, other)
                            .whenComplete((answer, _) -> {
                                if (answer != null) {
                                    kinds.put(name, other);
                                }
                            });
                });
    }

    /// The kind that a refused call may be of; null if that was not its error. One within a
    /// procedure has a context.
    private static @Nullable Kind other(Throwable failure, Kind kind) {
        if (!(failure instanceof SqlException error) || error.context() != null) {
            return null;
        }
        return switch (error.state()) {
            case WRONG_OBJECT_TYPE -> kind == Kind.FUNCTION ? Kind.PROCEDURE : Kind.FUNCTION;
            case UNDEFINED_FUNCTION -> kind == Kind.PROCEDURE ? Kind.WITH_OUTPUTS : null;
            default -> null;
        };
    }

    private CompletableFuture<Answer> send(
            String name, @Nullable Object input, int outputs, Kind kind) {
        @Nullable Object[] values = {};
        List<SqlType> types = List.of();
        if (input != null) {
            RecordType<?> type = RecordType.of(input.getClass(), "input");
            values = type.row(input);
            types = type.columns().stream().map(RecordType.Column::type).toList();
        }
        List<String> arguments = new ArrayList<>();
        for (int i = 1; i <= values.length; i++) {
            arguments.add("$" + i);
        }
        if (kind == Kind.WITH_OUTPUTS) {
            arguments.addAll(Collections.nCopies(outputs, "NULL"));
        }
        String call = Keywords.quoted(name) + "(" + String.join(", ", arguments) + ")";
        String text = kind == Kind.FUNCTION ? "SELECT * FROM " + call : "CALL " + call;
        return send(text, values, types);
    }

    /// Sends a statement, in one message of each kind that it takes, up to Sync: a transaction.
    private CompletableFuture<Answer> send(
            String text, @Nullable Object[] values, List<SqlType> types) {
        Message.Writer messages = new Message.Writer();
        messages.string("").string(text).int16(0).end('P');
        messages.string("").string("").int16(values.length);
        for (Object value : values) {
            messages.int16(value instanceof ByteString ? 1 : 0);
        }
        messages.int16(values.length);
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            if (value == null) {
                messages.int32(-1);
                continue;
            }
            byte[] bytes =
                    value instanceof ByteString given
                            ? given.toByteArray()
                            : TextFormat.format(value, types.get(i))
                                    .getBytes(StandardCharsets.UTF_8);
            messages.int32(bytes.length).bytes(bytes);
        }
        messages.int16(0).end('B');
        messages.int8('P').string("").end('D');
        messages.string("").int32(0).end('E');
        messages.end('S');
        Call call = new Call();
        sending.lock();
        try {
            SqlException known = enqueue(call);
            if (known != null) {
                return CompletableFuture.failedFuture(known);
            }
            connection.send(messages);
        } catch (IOException e) {
            connection.abort(); // the thread that reads says so to all that wait
        } finally {
            sending.unlock();
        }
        return call.result;
    }

    /// @return why the connection can't be used; null if it can
    private @Nullable SqlException enqueue(Call call) {
        lock.lock();
        try {
            if (failure == null) {
                inFlight.addLast(call);
            }
            return failure;
        } finally {
            lock.unlock();
        }
    }

    private void read() {
        SqlException end;
        try {
            while (true) {
                Message message = connection.read();
                Call call = first();
                if (call == null) {
                    if (message.type() == 'E') {
                        throw ServerConnection.error(message, null); // as it shuts down
                    }
                    continue;
                }
                answer(call, message);
            }
        } catch (SqlException e) {
            end = e;
        } catch (IOException | RuntimeException e) {
            end =
                    ServerConnection.lost(
                            "the connection to the server is lost: " + e.getMessage(), e);
        }
        connection.abort();
        List<Call> waiting;
        lock.lock();
        try {
            failure = end;
            waiting = List.copyOf(inFlight);
            inFlight.clear();
        } finally {
            lock.unlock();
        }
        for (Call call : waiting) {
            SqlException error = call.error;
            call.fail(error == null ? end : error);
        }
    }

    private @Nullable Call first() {
        lock.lock();
        try {
            return inFlight.peekFirst();
        } finally {
            lock.unlock();
        }
    }

    private void answer(Call call, Message message) {
        ByteBuffer body = message.body();
        switch (message.type()) {
            case 'T' -> {
                int columns = body.getShort();
                for (int i = 0; i < columns; i++) {
                    call.names.add(message.string());
                    int _ = body.getInt();
                    short _ = body.getShort();
                    call.oids.add(body.getInt());
                    body.position(body.position() + 8);
                }
            }
            case 'D' -> {
                @Nullable String[] row = new @Nullable String[body.getShort()];
                for (int i = 0; i < row.length; i++) {
                    row[i] = message.value();
                }
                call.rows.add(row);
            }
            case 'E' -> call.error = ServerConnection.error(message, null);
            case 'Z' -> ended(call);
            default -> {} // parsed, bound, done, notices
        }
    }

    private void ended(Call call) {
        lock.lock();
        try {
            inFlight.removeFirst();
        } finally {
            lock.unlock();
        }
        SqlException error = call.error;
        if (error != null) {
            call.fail(error);
        } else {
            call.complete();
        }
    }

    /// Ends the connection. What is in flight fails, and may have been committed.
    @Override
    public void close() {
        if (!sending.tryLock()) {
            connection.abort(); // in the middle of a message
            return;
        }
        try {
            connection.close();
        } finally {
            sending.unlock();
        }
    }
}
