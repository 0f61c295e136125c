package org.namdb.sql.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Statement.DeclareCursor;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.ResultColumn;

/// The cursors that a session has declared. They are closed with their transaction; those with HOLD
/// only if it is rolled back. A rollback to a savepoint closes those that were declared since.
///
/// The portals of the extended protocol are here by their names alone, which they share with
/// cursors: their rows are the server's, which closes a portal that is no longer here.
final class SqlCursors {
    /// Each keeps rows in memory.
    private static final int MAX_OPEN = 100;

    private final Map<String, Open> open = new LinkedHashMap<>();
    private final Map<String, Portal> portals = new LinkedHashMap<>();
    private int declared;

    /// @param text its statement
    /// @param since when it was bound
    /// @param number in one order with cursors
    private record Portal(String text, Instant since, int number) {}

    /// @param text its statement
    /// @param since the time of its statement
    /// @param number in the order of DECLARE
    /// @param outlives whether the transaction that declared it has committed
    private record Open(
            SqlCursor cursor,
            String text,
            Instant since,
            int number,
            boolean isHeld,
            boolean outlives) {}

    /// @throws SqlException 42P03 if there is one of this name, 54000 if there are too many
    void requireFree(Name name) {
        if (open.containsKey(name.text()) || portals.containsKey(name.text())) {
            throw new SqlException(
                    SqlState.DUPLICATE_CURSOR,
                    "cursor \"" + name.text() + "\" already exists",
                    name.position());
        }
        if (open.size() >= MAX_OPEN) {
            throw new SqlException(
                            SqlState.PROGRAM_LIMIT_EXCEEDED,
                            "this session has " + MAX_OPEN + " open cursors",
                            name.position())
                    .withHint("Close those that are not used any more: CLOSE.");
        }
    }

    void add(DeclareCursor declare, SqlCursor cursor, String text, Instant now) {
        open.put(
                declare.name().text(),
                new Open(cursor, text, now, declared++, declare.isHeld(), false));
    }

    /// The rows of `pg_cursors`.
    List<@Nullable Object[]> rows() {
        List<@Nullable Object[]> rows = new ArrayList<>();
        open.forEach((name, each) ->
                rows.add(
                        new @Nullable Object[] {
                            name,
                            each.text,
                            each.isHeld,
                            false,
                            !each.cursor.isForwardOnly(),
                            each.since
                        }));
        portals.forEach((name, each) ->
                rows.add(
                        new @Nullable Object[] {name, each.text, false, false, false, each.since}));
        return rows;
    }

    /// A portal was bound.
    void addPortal(String name, String text, Instant now) {
        portals.put(name, new Portal(text, now, declared++));
    }

    /// Whether a portal is bound that no statement has closed.
    boolean isPortal(String name) {
        return portals.containsKey(name);
    }

    void removePortal(String name) {
        portals.remove(name);
    }

    /// @throws SqlException 34000 if there is none of this name
    SqlCursor find(Name name) {
        Open found = open.get(name.text());
        if (found == null) {
            throw new SqlException(
                    SqlState.INVALID_CURSOR_NAME,
                    "cursor \"" + name.text() + "\" does not exist",
                    name.position());
        }
        return found.cursor;
    }

    /// The columns of a cursor; null if there is none of this name.
    @Nullable List<ResultColumn> columns(String name) {
        Open found = open.get(name);
        return found == null ? null : found.cursor.columns();
    }

    /// @throws SqlException 34000 if there is none of this name
    void close(Name name) {
        if (portals.remove(name.text()) == null) {
            find(name).close();
            open.remove(name.text());
        }
    }

    void closeAll() {
        portals.clear();
        closeIf(_ -> true);
    }

    /// What is declared or bound from now on has this number, or a higher one.
    int mark() {
        return declared;
    }

    /// Closes those that were declared or bound since a mark.
    void rollbackTo(int mark) {
        portals.values().removeIf(each -> each.number >= mark);
        closeIf(each -> each.number >= mark);
    }

    /// The transaction has ended.
    void ended(boolean isCommitted) {
        if (open.isEmpty()) {
            return;
        }
        closeIf(each -> !each.outlives && !(each.isHeld && isCommitted));
        open.replaceAll(
                (_, each) -> new Open(each.cursor, each.text, each.since, each.number, true, true));
    }

    private void closeIf(Predicate<Open> isClosed) {
        for (Map.Entry<String, Open> each : List.copyOf(open.entrySet())) {
            if (isClosed.test(each.getValue())) {
                each.getValue().cursor.close();
                open.remove(each.getKey());
            }
        }
    }
}
