package org.namdb.sql.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.PreparedStatement;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.engine.TransactionStatus;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.SqlParser;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TypeOids;

/// Executes a client's requests after its startup: simple and extended queries.
///
/// Source: PostgreSQL 15, sections 55.2.2 (simple query), 55.2.3 (extended query), 55.2.6 (COPY).
final class QueryProtocol {
    /// The settings that a client gets at its start.
    static final List<String> REPORTED =
            List.of(
                    "server_version",
                    "server_encoding",
                    "client_encoding",
                    "application_name",
                    "is_superuser",
                    "DateStyle",
                    "IntervalStyle",
                    "TimeZone",
                    "integer_datetimes",
                    "standard_conforming_strings",
                    "default_transaction_read_only",
                    "in_hot_standby");

    private static final int MAX_PREPARED = 10_000;

    /// PostgreSQL numbers its own types below it.
    private static final long FIRST_OID_OF_USERS = 16_384;

    private final MessageReader in;
    private final MessageWriter out;
    private final SqlSession session;
    private final StatementRunner runner;
    private final ParameterDecoder parameters;
    private final Map<String, ClientStatement> statements = new HashMap<>();
    private final Map<String, Portal> portals = new HashMap<>();
    private final ConnectionMemory memory = new ConnectionMemory();

    /// After an error in an extended query, until Sync.
    private boolean isSkipping;

    private boolean isFlushDue;

    QueryProtocol(MessageReader in, MessageWriter out, SqlSession session) {
        this.in = in;
        this.out = out;
        this.session = session;
        this.runner = new StatementRunner(in, out, session, () -> isFlushDue = true);
        this.parameters = new ParameterDecoder(in);
    }

    /// Sends what has been answered, if a client waits for it.
    void flushIfDue() throws IOException {
        if (isFlushDue) {
            isFlushDue = false;
            out.flush();
        }
    }

    /// Whether the client holds a session while it is waited for.
    boolean isHolding() {
        return session.status() != TransactionStatus.IDLE || runner.isCopying();
    }

    /// Reports that the next query may come.
    void ready() throws IOException {
        char status =
                switch (session.status()) {
                    case IDLE -> 'I';
                    case ACTIVE -> 'T';
                    case FAILED -> 'E';
                };
        out.begin('Z').int8(status).end();
        isFlushDue = true;
    }

    /// Executes one request; a failure is sent to the client.
    ///
    /// @throws IOException if the connection can't be used any more
    void handle(int type) throws IOException {
        if (isSkipping && type != 'S') {
            return;
        }
        switch (type) {
            case 'Q' -> {
                String text = "";
                try {
                    text = in.string();
                    in.requireEnd();
                    closePortal("");
                    closeStatement("");
                    runner.script(text);
                    dropClosed();
                } catch (SqlException e) {
                    failed(e, text);
                }
                closePortalsOutsideOfBlock();
                ready();
            }
            case 'P', 'B', 'D', 'E', 'C' -> extended(type);
            case 'H' -> isFlushDue = true;
            case 'S' -> sync();
            case 'F' -> {
                failed(
                        new SqlException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                "the function call protocol is not supported"),
                        null);
                ready();
            }
            case 'd', 'c', 'f' -> {} // of a COPY that has failed
            default -> throw new ProtocolException("invalid frontend message type " + type);
        }
    }

    private void extended(int type) throws IOException {
        String text = null;
        try {
            switch (type) {
                case 'P' -> {
                    String name = in.string();
                    text = in.string();
                    parse(name, text);
                }
                case 'B' -> bind();
                case 'D' -> describe();
                case 'E' -> {
                    String name = in.string();
                    int rows = in.int32();
                    in.requireEnd();
                    if (isCursor(name)) {
                        runner.fetch(name, rows);
                        return;
                    }
                    Portal portal = portal(name);
                    text = portal.statement().text();
                    PreparedStatement prepared = portal.statement().prepared();
                    if (prepared != null) {
                        runner.requireRecovery(prepared.statement());
                    }
                    portal.requireRunnable(name);
                    runner.execute(portal, rows);
                    dropClosed();
                }
                default -> close();
            }
        } catch (SqlException e) {
            failed(e, text);
            isSkipping = true;
            isFlushDue = true; // a Flush that follows is skipped, too
        }
    }

    private void failed(SqlException e, @Nullable String text) throws IOException {
        runner.failed();
        ErrorMessages.error(out, e, text);
    }

    private void sync() throws IOException {
        isSkipping = false;
        try {
            in.requireEnd();
            runner.endImplicitBlock();
        } catch (SqlException e) {
            failed(e, null);
        }
        closePortalsOutsideOfBlock();
        ready();
    }

    /// Portals end with the block; one that was bound before a savepoint of a failed block lives on
    /// after a rollback to it.
    private void closePortalsOutsideOfBlock() throws IOException {
        if (session.status() == TransactionStatus.IDLE) {
            closePortals();
        }
    }

    private void closePortals() throws IOException {
        for (String name : List.copyOf(portals.keySet())) {
            try {
                closePortal(name);
            } catch (SqlException e) {
                failed(e, null);
            }
        }
    }

    /// Drops the prepared statements and portals that a statement has closed.
    private void dropClosed() throws IOException {
        if (runner.hasEndedBlock()) {
            closePortals();
        }
        if (runner.mayHaveClosedPortals()) {
            for (String name : List.copyOf(portals.keySet())) {
                if (!session.isPortal(name)) {
                    closePortal(name);
                }
            }
        }
        if (runner.hasDroppedStatements()) {
            statements
                    .entrySet()
                    .removeIf(each -> {
                        ClientStatement statement = each.getValue();
                        boolean isDropped =
                                !each.getKey().isEmpty()
                                        && statement.prepared() != null
                                        && !session.isPrepared(each.getKey());
                        if (isDropped) {
                            memory.free(statement.bytes());
                        }
                        return isDropped;
                    });
        }
    }

    private void parse(String name, String text) throws IOException {
        int count = in.count();
        List<Integer> oids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            oids.add(in.int32());
        }
        in.requireEnd();
        if (!name.isEmpty() && (statements.containsKey(name) || session.isPrepared(name))) {
            throw new SqlException(
                    SqlState.DUPLICATE_PREPARED_STATEMENT,
                    "prepared statement \"" + name + "\" already exists");
        }
        if (statements.size() >= MAX_PREPARED) {
            throw new SqlException(
                            SqlState.PROGRAM_LIMIT_EXCEEDED,
                            "more than " + MAX_PREPARED + " prepared statements in one connection")
                    .withHint("Close those that are not used any more: DEALLOCATE ALL.");
        }
        closeStatement(name);
        long bytes = ClientStatement.bytes(text);
        memory.take(bytes);
        ClientStatement statement = null;
        try {
            statement = prepared(name, text, oids);
            statements.put(name, statement);
        } finally {
            if (statement == null) {
                memory.free(bytes);
                deallocate(name);
            }
        }
        out.begin('1').end();
    }

    private ClientStatement prepared(String name, String text, List<Integer> oids)
            throws IOException {
        if (session.status() == TransactionStatus.FAILED) {
            SqlParser.parse(text).forEach(runner::requireRecovery);
        }
        if (isBlank(text)) {
            return new ClientStatement(text, null, oids, List.of());
        }
        requireKnown(oids);
        runner.free();
        List<SqlType> declared = TypeOids.declared(oids);
        PreparedStatement prepared =
                name.isEmpty()
                        ? session.prepare(text, declared)
                        : session.prepare(name, text, declared);
        return new ClientStatement(text, prepared, oids, prepared.columns());
    }

    /// @throws SqlException 42704 if a type can only be a user's, of which there are none
    private static void requireKnown(List<Integer> oids) {
        for (int each : oids) {
            long oid = Integer.toUnsignedLong(each);
            if (oid >= FIRST_OID_OF_USERS) {
                throw new SqlException(
                        SqlState.UNDEFINED_OBJECT, "type with OID " + oid + " does not exist");
            }
        }
    }

    /// Whether there is nothing but blanks, comments and semicolons.
    private static boolean isBlank(String text) {
        String start = text.stripLeading();
        boolean mayBe = start.isEmpty() || "-/;".indexOf(start.charAt(0)) >= 0;
        return mayBe && SqlParser.parse(text).isEmpty();
    }

    private ClientStatement statement(String name) {
        ClientStatement statement = statements.get(name);
        if (statement == null) {
            throw new SqlException(
                    SqlState.INVALID_STATEMENT_NAME,
                    name.isEmpty()
                            ? "unnamed prepared statement does not exist"
                            : "prepared statement \"" + name + "\" does not exist");
        }
        return statement;
    }

    private Portal portal(String name) {
        Portal portal = portals.get(name);
        if (portal == null) {
            throw new SqlException(
                    SqlState.INVALID_CURSOR_NAME, "portal \"" + name + "\" does not exist");
        }
        return portal;
    }

    /// Whether DECLARE has made a cursor of this name: in PostgreSQL it is a portal.
    private boolean isCursor(String name) {
        return !portals.containsKey(name) && session.cursorColumns(name) != null;
    }

    private void bind() throws IOException {
        long bytes = ConnectionMemory.OBJECT_BYTES + in.remaining();
        String name = in.string();
        String of = in.string();
        ClientStatement statement = statement(of);
        PreparedStatement prepared = statement.prepared();
        if (prepared == null) {
            runner.requireNotFailed();
        } else {
            runner.requireRecovery(prepared.statement());
        }
        boolean isTaken = portals.containsKey(name) || session.cursorColumns(name) != null;
        if (!name.isEmpty() && isTaken) {
            throw new SqlException(
                    SqlState.DUPLICATE_CURSOR, "cursor \"" + name + "\" already exists");
        }
        @Nullable Object[] values =
                parameters.decode(
                        of,
                        statement.oids(),
                        prepared == null ? List.of() : prepared.parameterTypes());
        short[] formats = new short[in.count()];
        for (int i = 0; i < formats.length; i++) {
            formats[i] = in.int16();
        }
        in.requireEnd();
        closePortal(name);
        bytes += statement.bytes(); // which a portal keeps when the statement is closed
        memory.take(bytes);
        portals.put(name, new Portal(statement, values, memory, bytes, formats));
        session.addPortal(name, statement.text());
        out.begin('2').end();
    }

    private void describe() throws IOException {
        byte kind = kind("DESCRIBE");
        String name = in.string();
        in.requireEnd();
        if (kind == 'P') {
            List<ResultColumn> declared = isCursor(name) ? session.cursorColumns(name) : null;
            if (declared != null) {
                describe(new RowEncoder(declared), true);
            } else {
                Portal portal = portal(name);
                describe(portal.encoder(), portal.statement().hasRows());
            }
            return;
        }
        ClientStatement statement = statement(name);
        requireDescribable(statement.hasRows());
        PreparedStatement prepared = statement.prepared();
        List<SqlType> types = prepared == null ? List.of() : prepared.parameterTypes();
        out.begin('t').int16(types.size());
        for (int i = 0; i < types.size(); i++) {
            int declared = i < statement.oids().size() ? statement.oids().get(i) : 0;
            out.int32(TypeOids.isOpen(declared) ? TypeOids.oid(types.get(i)) : declared);
        }
        out.end();
        describe(new RowEncoder(statement.columns()), statement.hasRows());
    }

    /// @throws SqlException 25P02 if there are rows and the block has failed
    private void requireDescribable(boolean hasRows) {
        if (hasRows) {
            runner.requireNotFailed();
        }
    }

    private void describe(RowEncoder rows, boolean hasRows) throws IOException {
        requireDescribable(hasRows);
        if (hasRows) {
            rows.describe(out);
        } else {
            out.begin('n').end();
        }
    }

    /// Whether a request is for a statement, `S`, or for a portal, `P`.
    private byte kind(String request) {
        byte kind = in.int8();
        if (kind != 'S' && kind != 'P') {
            throw new SqlException(
                    SqlState.PROTOCOL_VIOLATION, "invalid " + request + " message subtype " + kind);
        }
        return kind;
    }

    private void close() throws IOException {
        byte kind = kind("CLOSE");
        String name = in.string();
        in.requireEnd();
        if (kind == 'S') {
            closeStatement(name);
        } else if (isCursor(name)) {
            runner.closeCursor(name);
        } else {
            closePortal(name);
        }
        out.begin('3').end();
    }

    private void closeStatement(String name) {
        ClientStatement statement = statements.remove(name);
        if (statement != null) {
            memory.free(statement.bytes());
        }
        deallocate(name);
    }

    private void deallocate(String name) {
        if (session.isPrepared(name)) {
            session.deallocate(name);
        }
    }

    private void closePortal(String name) {
        Portal portal = portals.remove(name);
        if (portal != null) {
            session.removePortal(name);
            portal.close();
        }
    }
}
