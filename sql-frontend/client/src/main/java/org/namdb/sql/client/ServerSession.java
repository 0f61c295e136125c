package org.namdb.sql.client;

import java.io.Flushable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextParser;
import org.namdb.sql.language.type.TypeOids;

/// A session with a server: statements as texts, one at a time; rows as they arrive. For one thread
/// at a time; only [#cancel] is for others.
///
/// ```java
/// try (ServerSession session = ServerSession.connect(ServerUrl.parse("postgresql://localhost"));
///         Result accounts = session.execute("SELECT id, owner FROM accounts")) {
///     while (accounts.next()) { .. }
/// }
/// ```
public final class ServerSession implements AutoCloseable {
    /// The state of a session.
    public enum Status {
        /// No transaction block is open.
        IDLE,
        /// A transaction block is open.
        ACTIVE,
        /// A statement of the open block has failed.
        FAILED
    }

    private static final int COPY_CHARS = 32 << 10;

    private final ServerConnection connection;
    private Status status = Status.IDLE;
    private @Nullable Answer open;

    private ServerSession(ServerConnection connection) {
        this.connection = connection;
    }

    /// Connects.
    ///
    /// @param application the program's name, for the server's statistics
    /// @throws SqlException 08006 if there is no server, or no TLS that the URL requires; 28P01 if
    ///     the password is missing or wrong
    public static ServerSession connect(ServerUrl url, String application) {
        return new ServerSession(ServerConnection.open(url, application));
    }

    /// Whether what is sent is encrypted by TLS.
    public boolean isEncrypted() {
        return connection.isEncrypted();
    }

    /// The state of the session.
    public Status status() {
        return status;
    }

    /// The number by which the server names the session, as `pg_backend_pid()` gives it.
    public int number() {
        return connection.number();
    }

    /// Requests the server to cancel the running statement. For any thread.
    public void cancel() {
        connection.cancel();
    }

    /// Runs one statement.
    ///
    /// @throws SqlException if it can't be done; 08006 if the connection is lost
    public Result execute(String sql) {
        Answer answer = start(sql);
        if (answer.step() == 'G') {
            fail("a COPY FROM STDIN needs data");
            answer.close();
        }
        return answer;
    }

    /// Runs `COPY .. FROM STDIN` of text or CSV.
    ///
    /// @param data the rows, in the format that the statement names
    /// @return how many rows came in
    /// @throws SqlException if it can't be done
    public long copyIn(String sql, Reader data) {
        return copyIn(sql, false, () -> sendText(data));
    }

    /// Runs `COPY .. FROM STDIN` in the binary format.
    ///
    /// @param data the rows
    /// @return how many rows came in
    /// @throws SqlException if it can't be done
    public long copyIn(String sql, InputStream data) {
        return copyIn(sql, true, () -> sendBytes(data));
    }

    /// Sends rows.
    private interface Rows {
        void send() throws IOException;
    }

    private long copyIn(String sql, boolean isBinary, Rows rows) {
        try (Answer answer = start(sql)) {
            if (answer.step() == 'G') {
                if (answer.isBinary == isBinary) {
                    sendRows(rows);
                } else {
                    fail(otherFormat(answer.isBinary));
                }
                char _ = answer.step();
            }
            return answer.toEnd();
        }
    }

    private static String otherFormat(boolean isBinary) {
        return isBinary
                ? "COPY in the binary format is not supported here"
                : "COPY is not in the binary format";
    }

    private void sendRows(Rows rows) {
        try {
            rows.send();
        } catch (IOException e) {
            fail("the data can't be read: " + e.getMessage());
            return;
        } catch (RuntimeException e) {
            boolean isLost =
                    e instanceof SqlException failure
                            && failure.state() == SqlState.CONNECTION_FAILURE;
            if (!isLost) {
                fail(String.valueOf(e.getMessage()));
            }
            throw e;
        }
        send(new Message.Writer().end('c'));
    }

    private void sendText(Reader data) throws IOException {
        CharBuffer chars = CharBuffer.allocate(COPY_CHARS);
        while (data.read(chars) >= 0) {
            chars.flip();
            // A pair of surrogates stays together.
            boolean isCut =
                    chars.hasRemaining() && Character.isHighSurrogate(chars.get(chars.limit() - 1));
            char last = isCut ? chars.get(chars.limit() - 1) : 0;
            chars.limit(chars.limit() - (isCut ? 1 : 0));
            byte[] bytes = chars.toString().getBytes(StandardCharsets.UTF_8);
            send(new Message.Writer().bytes(bytes).end('d'));
            chars.clear();
            if (isCut) {
                chars.put(last);
            }
        }
    }

    private void sendBytes(InputStream data) throws IOException {
        for (byte[] bytes = data.readNBytes(COPY_CHARS);
                bytes.length > 0;
                bytes = data.readNBytes(COPY_CHARS)) {
            send(new Message.Writer().bytes(bytes).end('d'));
        }
    }

    private void fail(String reason) {
        send(new Message.Writer().string(reason).end('f'));
    }

    /// Runs `COPY .. TO STDOUT` as text or CSV.
    ///
    /// @return how many rows went out
    /// @throws SqlException if it can't be done
    public long copyOut(String sql, Writer out) {
        return copyOut(sql, false, data -> out.write(data.text()), out);
    }

    /// Runs `COPY .. TO STDOUT` in the binary format.
    ///
    /// @return how many rows went out
    /// @throws SqlException if it can't be done
    public long copyOut(String sql, OutputStream out) {
        return copyOut(sql, true, data -> out.write(data.bytes()), out);
    }

    /// Takes the data of a message.
    private interface DataTaker {
        void take(Message data) throws IOException;
    }

    private long copyOut(String sql, boolean isBinary, DataTaker taker, Flushable out) {
        try (Answer answer = start(sql)) {
            if (answer.step() == 'H') {
                if (answer.isBinary != isBinary) {
                    throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED, otherFormat(answer.isBinary));
                }
                Message message = answer.read();
                while (message.type() != 'c' && !answer.isEnded) { // it may fail on the way
                    if (message.type() == 'd') {
                        taker.take(message);
                    }
                    message = answer.read();
                }
                out.flush();
                char _ = answer.step();
            }
            return answer.toEnd();
        } catch (IOException e) {
            throw new SqlException(
                            SqlState.IO_ERROR, "could not write COPY data: " + e.getMessage())
                    .causedBy(e);
        }
    }

    private Answer start(String sql) {
        Answer before = open;
        if (before != null) {
            before.close();
        }
        Answer answer = new Answer(sql);
        open = answer;
        send(new Message.Writer().string(sql).end('Q'));
        return answer;
    }

    private void send(Message.Writer messages) {
        try {
            connection.send(messages);
        } catch (IOException e) {
            throw lost(e);
        }
    }

    private static SqlException lost(IOException e) {
        return ServerConnection.lost("the connection to the server is lost: " + e.getMessage(), e);
    }

    @Override
    public void close() {
        connection.close();
    }

    /// What the server answers to a statement, up to ReadyForQuery.
    private final class Answer implements Result {
        private final String sql;
        private final List<ResultColumn> columns = new ArrayList<>();
        private final List<Notice> notices = new ArrayList<>();
        private @Nullable String @Nullable [] row;
        private boolean hasRows;
        private boolean isEnded;

        /// Whether the data of COPY is in the binary format.
        private boolean isBinary;

        private String tag = "";
        private @Nullable SqlException error;

        Answer(String sql) {
            this.sql = sql;
        }

        /// Reads on, up to the next message that needs an action: the first column (T), a row (D),
        /// a request for data (G) or data (H), or the end (Z).
        ///
        /// @throws SqlException at the end, if the statement has failed
        char step() {
            while (!isEnded) {
                Message message = read();
                switch (message.type()) {
                    case 'T' -> {
                        columns(message);
                        return 'T';
                    }
                    case 'D' -> {
                        row(message);
                        return 'D';
                    }
                    case 'G', 'H' -> {
                        isBinary = message.body().get() != 0;
                        return message.type();
                    }
                    default -> {} // read() has taken it
                }
            }
            SqlException failure = error;
            error = null;
            if (failure != null) {
                throw failure;
            }
            return 'Z';
        }

        /// The next message; what is of interest whatever is done is taken already.
        Message read() {
            Message message;
            try {
                message = connection.read();
            } catch (IOException e) {
                isEnded = true;
                throw error == null ? lost(e) : error;
            }
            switch (message.type()) {
                case 'C' -> tag = message.string();
                case 'E' -> error = ServerConnection.error(message, sql);
                case 'N' -> notices.add(notice(message));
                case 'Z' -> {
                    isEnded = true;
                    status =
                            switch (message.body().get()) {
                                case 'T' -> Status.ACTIVE;
                                case 'E' -> Status.FAILED;
                                default -> Status.IDLE;
                            };
                }
                default -> {}
            }
            return message;
        }

        private static Notice notice(Message message) {
            boolean isWarning = false;
            String text = "";
            for (byte field = message.body().get(); field != 0; field = message.body().get()) {
                String value = message.string();
                isWarning |= field == 'V' && value.equals("WARNING");
                text = field == 'M' ? value : text;
            }
            return isWarning ? Notice.warning(text) : Notice.notice(text);
        }

        private void columns(Message message) {
            hasRows = true;
            List<String> names = new ArrayList<>();
            List<Integer> oids = new ArrayList<>();
            int count = message.body().getShort();
            for (int i = 0; i < count; i++) {
                names.add(message.string());
                message.body().position(message.body().position() + 6);
                oids.add(message.body().getInt());
                message.body().position(message.body().position() + 8);
            }
            List<SqlType> types = TypeOids.declared(oids);
            for (int i = 0; i < count; i++) {
                columns.add(new ResultColumn(names.get(i), types.get(i)));
            }
        }

        private void row(Message message) {
            @Nullable String[] values = new @Nullable String[message.body().getShort()];
            for (int i = 0; i < values.length; i++) {
                values[i] = message.value();
            }
            row = values;
        }

        /// Reads what is left.
        ///
        /// @return how many rows the tag counts
        long toEnd() {
            while (step() != 'Z') {
                // rows that are not needed
            }
            return rowCount();
        }

        @Override
        public List<ResultColumn> columns() {
            return columns;
        }

        @Override
        public boolean hasRows() {
            return hasRows;
        }

        @Override
        public boolean next() {
            return step() == 'D';
        }

        @Override
        public @Nullable Object value(int column) {
            String text = text(column);
            return text == null ? null : TextParser.parse(text, columns.get(column).type());
        }

        @Override
        public @Nullable String text(int column) {
            @Nullable String[] current = row;
            if (current == null) {
                throw new IllegalStateException("there is no current row");
            }
            return current[column];
        }

        @Override
        public boolean isNull(int column) {
            return text(column) == null;
        }

        @Override
        public String tag() {
            return tag;
        }

        @Override
        public long rowCount() {
            String last = tag.substring(tag.lastIndexOf(' ') + 1);
            return !last.isEmpty() && last.chars().allMatch(Character::isDigit)
                    ? Long.parseLong(last)
                    : 0;
        }

        @Override
        public List<Notice> notices() {
            return notices;
        }

        @Override
        public void close() {
            if (!isEnded) {
                long _ = toEnd();
            }
            if (open == this) {
                open = null;
            }
        }
    }
}
