package org.namdb.sql.server;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.PreparedStatement;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.engine.TransactionStatus;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.copy.CopyFormat;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.SqlParser;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.result.Result;

/// Runs a client's statements, and sends what they give.
///
/// Statements that come together are one transaction, as the protocol requires: those of one simple
/// query, and those of an extended query up to Sync. It is called *implicit block* here.
final class StatementRunner {
    private static final List<String> CHANGING =
            List.of(
                    "application_name",
                    "is_superuser",
                    "session_authorization",
                    "DateStyle",
                    "TimeZone");

    private final MessageReader in;
    private final MessageWriter out;
    private final SqlSession session;
    private final Runnable flushDue;
    private @Nullable PreparedStatement begin;
    private @Nullable PreparedStatement commit;
    private @Nullable PreparedStatement rollback;
    private boolean isCopying;
    private boolean isDropping;
    private boolean isClosingPortals;
    private boolean hasEndedBlock;

    /// What clients know of the settings that statements may change.
    private final Map<String, String> reported = new HashMap<>();

    /// The version of the settings that they know.
    private long reportedVersion;

    /// The portal whose rows are not all made yet.
    private @Nullable Portal active;

    StatementRunner(MessageReader in, MessageWriter out, SqlSession session, Runnable flushDue) {
        this.in = in;
        this.out = out;
        this.session = session;
        this.flushDue = flushDue;
        reportedVersion = session.settingsVersion();
        CHANGING.forEach(name -> reported.put(name, session.setting(name)));
    }

    boolean isCopying() {
        return isCopying;
    }

    /// Runs the statements of a simple query.
    void script(String text) throws IOException {
        List<Statement> statements = SqlParser.parse(text);
        if (statements.isEmpty()) {
            out.begin('I').end();
        }
        for (int i = 0; i < statements.size(); i++) {
            Statement statement = statements.get(i);
            requireRecovery(statement);
            enter(statement, i < statements.size() - 1);
            PreparedStatement prepared = session.prepare(text, statement);
            if (!prepared.parameterTypes().isEmpty()) {
                throw new SqlException(SqlState.UNDEFINED_PARAMETER, "there is no parameter $1");
            }
            run(prepared);
        }
        endImplicitBlock();
    }

    private void run(PreparedStatement prepared) throws IOException {
        try (Result result = start(prepared)) {
            notices(result.notices());
            if (result.hasRows()) {
                RowEncoder rows = new RowEncoder(result.columns());
                rows.describe(out);
                while (result.next()) {
                    rows.row(out, result);
                }
                notices(session.takeNotices()); // of functions, which the rows have called
            }
            out.begin('C').string(result.tag()).end();
        }
        left(prepared.statement());
    }

    /// Runs the statement of a portal, or goes on with it.
    ///
    /// @param max how many rows to send; 0 or less for all
    void execute(Portal portal, int max) throws IOException {
        PreparedStatement prepared = portal.statement().prepared();
        if (prepared == null) {
            out.begin('I').end();
            return;
        }
        if (!portal.isStarted()) {
            Statement statement = prepared.statement();
            if (isTransactional(statement) && session.status() == TransactionStatus.IDLE) {
                enter(statement, in.peek() != 'S');
            } else {
                enter(statement, false);
            }
            start(portal, prepared);
        } else if (portal.isOpen()) {
            session.resume();
        }
        long count = portal.send(out, max);
        notices(session.takeNotices());
        if (portal.isDone()) {
            if (portal.equals(active)) {
                active = null;
            }
            out.begin('C').string(portal.tag(count)).end();
            left(prepared.statement());
        } else {
            session.suspend();
            out.begin('s').end();
        }
    }

    /// Sends rows of a cursor that DECLARE has made, as those of a portal.
    ///
    /// @param max how many rows to send; 0 or less for all
    void fetch(String cursor, int max) throws IOException {
        String count = max > 0 ? String.valueOf(max) : "ALL";
        PreparedStatement fetch = session.prepare("FETCH " + count + " FROM " + quoted(cursor));
        requireRecovery(fetch.statement());
        long sent = 0;
        try (Result result = start(fetch)) {
            RowEncoder rows = new RowEncoder(result.columns());
            while (result.next()) {
                rows.row(out, result);
                sent++;
            }
        }
        notices(session.takeNotices());
        if (max > 0 && sent == max) {
            out.begin('s').end();
        } else {
            out.begin('C').string("SELECT " + sent).end();
        }
    }

    /// Closes a cursor that DECLARE has made.
    void closeCursor(String cursor) throws IOException {
        free();
        session.prepare("CLOSE " + quoted(cursor)).execute().close();
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    private void start(Portal portal, PreparedStatement prepared) throws IOException {
        try {
            Result result = start(prepared, portal.parameters());
            portal.start(result);
            notices(result.notices());
            active = portal;
        } catch (SqlException e) {
            portal.fail();
            throw e;
        }
    }

    private Result start(PreparedStatement prepared, @Nullable Object... parameters)
            throws IOException {
        free();
        return prepared.statement() instanceof Statement.Copy copy && copy.file() == null
                ? copy(prepared, copy)
                : prepared.execute(parameters);
    }

    /// Frees the session for another statement: the rows that a portal has left are kept.
    void free() throws IOException {
        Portal portal = active;
        if (portal != null) {
            active = null;
            if (portal.isOpen()) {
                session.resume();
                portal.keep();
            }
        }
    }

    /// Before a statement: begins or ends an implicit block.
    ///
    /// @param hasMore whether others follow that belong together with it
    private void enter(Statement statement, boolean hasMore) throws IOException {
        if (statement instanceof Statement.Begin begins && begins.isStart()) {
            endImplicitBlock();
        } else if (hasMore
                && isTransactional(statement)
                && session.status() == TransactionStatus.IDLE) {
            begin = run("BEGIN", begin);
            session.setImplicitBlock();
        }
    }

    private static boolean isTransactional(Statement statement) {
        return switch (statement) {
            case Statement.Select _,
                    Statement.With _,
                    Statement.Insert _,
                    Statement.Update _,
                    Statement.Delete _,
                    Statement.Copy _,
                    Statement.Execute _,
                    Statement.Call _,
                    Statement.Do _,
                    Statement.Explain _,
                    Statement.DeclareCursor _,
                    Statement.FetchCursor _,
                    DdlStatement _ ->
                    true;
            default -> false;
        };
    }

    /// After a statement: it may have ended the block, or changed what clients get.
    private void left(Statement statement) throws IOException {
        boolean isDiscard =
                statement instanceof Statement.Discard discard && discard.what().equals("all");
        isDropping |= isDiscard || statement instanceof Statement.Deallocate;
        isClosingPortals |=
                isDiscard
                        || statement instanceof Statement.RollbackTo
                        || statement instanceof Statement.CloseCursor;
        hasEndedBlock |=
                statement instanceof Statement.Commit || statement instanceof Statement.Rollback;
        if (session.settingsVersion() != reportedVersion) {
            report();
        }
    }

    private void report() throws IOException {
        reportedVersion = session.settingsVersion();
        for (String name : CHANGING) {
            String value = session.setting(name);
            if (!value.equals(reported.put(name, value))) {
                out.begin('S').string(name).string(value).end();
            }
        }
    }

    /// Whether a statement has dropped prepared statements since the last call.
    boolean hasDroppedStatements() {
        boolean hasDropped = isDropping;
        isDropping = false;
        return hasDropped;
    }

    /// Whether a statement may have closed portals since the last call.
    boolean mayHaveClosedPortals() {
        boolean mayHave = isClosingPortals;
        isClosingPortals = false;
        return mayHave;
    }

    /// Whether a statement has ended a block since the last call.
    boolean hasEndedBlock() {
        boolean hasEnded = hasEndedBlock;
        hasEndedBlock = false;
        return hasEnded;
    }

    /// Commits the implicit block, if one is open. A portal that has rows left ends with it.
    void endImplicitBlock() throws IOException {
        if (session.isImplicitBlock()) {
            Portal portal = active;
            active = null;
            if (portal != null && portal.isOpen()) {
                session.resume();
                portal.close();
            }
            commit = run("COMMIT", commit);
        }
    }

    /// Something has failed: an open block has, and an implicit one is rolled back.
    void failed() throws IOException {
        if (active != null) {
            active.fail();
        }
        active = null;
        notices(session.takeNotices());
        session.fail();
        if (session.isImplicitBlock()) {
            rollback = run("ROLLBACK", rollback);
        }
    }

    private PreparedStatement run(String text, @Nullable PreparedStatement known) {
        PreparedStatement prepared = known == null ? session.prepare(text) : known;
        prepared.execute().close();
        return prepared;
    }

    /// @throws SqlException 25P02 if the block has failed, and this does not end it
    void requireRecovery(Statement statement) {
        boolean ends =
                statement instanceof Statement.Rollback
                        || statement instanceof Statement.RollbackTo
                        || statement instanceof Statement.Commit;
        if (!ends) {
            requireNotFailed();
        }
    }

    /// @throws SqlException 25P02 if the block has failed
    void requireNotFailed() {
        if (session.status() == TransactionStatus.FAILED) {
            throw new SqlException(
                    SqlState.IN_FAILED_TRANSACTION,
                    "current transaction is aborted, commands ignored until end of transaction"
                            + " block");
        }
    }

    private void notices(List<Notice> notices) throws IOException {
        for (Notice notice : notices) {
            ErrorMessages.notice(out, notice);
        }
    }

    private Result copy(PreparedStatement prepared, Statement.Copy copy) throws IOException {
        return copy.isFrom() ? copyIn(prepared, copy) : copyOut(prepared, copy);
    }

    private Result copyIn(PreparedStatement prepared, Statement.Copy copy) throws IOException {
        CopyInStream data =
                new CopyInStream(
                        in,
                        () -> {
                            copyResponse('G', copy);
                            flushDue.run();
                        });
        isCopying = true;
        try {
            return prepared.copyIn(data);
        } catch (SqlException e) {
            throw lost(data.failure(), e);
        } finally {
            isCopying = false;
        }
    }

    private Result copyOut(PreparedStatement prepared, Statement.Copy copy) throws IOException {
        CopyOutStream data = new CopyOutStream(out, () -> copyResponse('H', copy));
        try {
            Result result = prepared.copyOut(data);
            data.end();
            return result;
        } catch (SqlException e) {
            throw lost(data.failure(), e);
        }
    }

    /// What has ended a COPY: the connection, or something else.
    private static SqlException lost(@Nullable IOException failure, SqlException e)
            throws IOException {
        if (failure != null) {
            throw failure;
        }
        return e;
    }

    private void copyResponse(char type, Statement.Copy copy) throws IOException {
        int columns = columns(copy);
        int format = CopyFormat.of(copy.options()).isBinary() ? 1 : 0;
        out.begin(type).int8(format).int16(columns);
        for (int i = 0; i < columns; i++) {
            out.int16(format);
        }
        out.end();
    }

    /// How many columns a COPY has.
    private int columns(Statement.Copy copy) {
        if (!copy.columns().isEmpty()) {
            return copy.columns().size();
        }
        Query query = copy.query();
        if (query != null) {
            Statement select = new Statement.Select(query, Position.NONE);
            return session.prepare("", select).columns().size();
        }
        SqlTable table = session.catalog().find(Objects.requireNonNull(copy.table()).text());
        return table == null
                ? 0
                : (int) table.columns().stream().filter(column -> !column.isHidden()).count();
    }
}
