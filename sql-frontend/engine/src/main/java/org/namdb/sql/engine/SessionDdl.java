package org.namdb.sql.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.catalog.TemporarySchema;
import org.namdb.sql.engine.ddl.DdlExecutor;
import org.namdb.sql.engine.ddl.RelationNames;
import org.namdb.sql.engine.expression.SessionContext;
import org.namdb.sql.engine.expression.SessionTime;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.engine.setting.Settings;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.DdlStatement.CreateTable;
import org.namdb.sql.language.ast.DdlStatement.OnCommit;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Result;

/// Runs the DDL of a session: at once, or as a part of its transaction block.
final class SessionDdl {
    private final PlannedStatements planned;
    private final SqlDatabase database;
    private final SessionLease lease;
    private final Settings settings;
    private final TransactionBlock block;
    private final SessionContext session;
    private final SessionUser user;

    SessionDdl(
            PlannedStatements planned,
            SqlDatabase database,
            SessionLease lease,
            Settings settings,
            TransactionBlock block,
            SessionContext session,
            SessionUser user) {
        this.planned = planned;
        this.database = database;
        this.lease = lease;
        this.settings = settings;
        this.block = block;
        this.session = session;
        this.user = user;
    }

    /// Runs DDL: in a block as a part of it, else when no transaction runs.
    Result run(DdlStatement parsed) {
        planned.requireWritable(SessionStatements.name(parsed));
        if (parsed instanceof CreateTable create && isTemporary(create)) {
            block.temporary().open();
            if (!block.isBlock() && create.temporary() == OnCommit.DROP) {
                return planned.inBlock(() -> run(parsed)); // its commit drops the table
            }
        }
        DdlStatement statement = new RelationNames(block.catalog()).resolve(parsed);
        if (block.isBlock()) {
            return runInBlock(statement, false);
        }
        block.temporary().changes();
        if (statement instanceof CreateTable create && create.temporary() != null) {
            block.temporary().makes(TemporaryNames.bare(create.table().text()));
        }
        try {
            return runAtOnce(statement, false);
        } finally {
            block.temporary().settle();
        }
    }

    private static boolean isTemporary(CreateTable create) {
        return create.temporary() != null || TemporaryNames.isInOwn(create.table().text());
    }

    /// Does what ON COMMIT says of the session's temporary tables, in the open transaction. If that
    /// has changed nothing, no table has rows that it has written.
    void endTemporary() {
        if (block.schema() == null && block.transaction().writeCount() == 0) {
            return;
        }
        List<Name> dropped = new ArrayList<>();
        List<SqlTable> emptied = new ArrayList<>();
        for (SqlTable table : block.catalog().temporaryTables()) {
            String action = table.definition().properties().get(TemporarySchema.ON_COMMIT);
            if (OnCommit.DROP.name().equals(action)) {
                dropped.add(new Name(table.name(), Position.NONE));
            } else if (OnCommit.DELETE_ROWS.name().equals(action)) {
                emptied.add(table);
            }
        }
        // Tables that reference others are emptied before those.
        while (!emptied.isEmpty()) {
            SqlTable next =
                    emptied.stream()
                            .filter(table -> !isReferenced(table, emptied))
                            .findFirst()
                            .orElse(emptied.getFirst());
            emptied.remove(next);
            planned.deleteAll(block.transaction(), next.name());
        }
        if (!dropped.isEmpty()) {
            Result _ =
                    runInBlock(
                            new DdlStatement.DropTable(dropped, true, true, Position.NONE), true);
        }
    }

    private static boolean isReferenced(SqlTable table, List<SqlTable> others) {
        return others.stream()
                .anyMatch(other ->
                        !other.name().equals(table.name())
                                && other.foreignKeys().stream()
                                        .anyMatch(
                                                key -> key.referencedTable().equals(table.name())));
    }

    /// Drops the session's temporary tables.
    void dropTemporary() {
        List<Name> tables =
                block.catalog().temporaryTables().stream()
                        .map(table -> new Name(table.name(), Position.NONE))
                        .toList();
        DdlStatement drop = new DdlStatement.DropTable(tables, true, true, Position.NONE);
        if (block.isBlock()) {
            Result _ = runInBlock(drop, true);
            return;
        }
        if (!tables.isEmpty()) {
            Result _ = runAtOnce(drop, true);
        }
        block.temporary().forget();
    }

    /// @param isOwn whether the session itself does it, whatever its role may do
    private Result runAtOnce(DdlStatement statement, boolean isOwn) {
        SessionDdlContext context = context(null, isOwn);
        requireRights(statement, context);
        List<Result> results = new ArrayList<>();
        database.changeSchema(
                settings.schemaWaitMillis(),
                planned::stepAside,
                () ->
                        results.add(
                                DdlExecutor.isRename(statement)
                                        ? runAsDraft(statement)
                                        : run(statement, context)));
        return results.getFirst();
    }

    private static Result run(DdlStatement statement, SessionDdlContext context) {
        String tag = DdlExecutor.run(statement, context);
        return ListResult.done(tag, context.notices());
    }

    /// All tables and views that are concerned have the new names at once, even if this process
    /// dies meanwhile.
    private Result runAsDraft(DdlStatement statement) {
        boolean isDone = false;
        try {
            BlockSchema changed = block.changeSchema(() -> {});
            Result result = run(statement, context(changed, false));
            block.temporary().makes(changed.catalog());
            block.commit();
            isDone = true;
            return result;
        } finally {
            if (!isDone) {
                block.rollback();
            }
        }
    }

    private Result runInBlock(DdlStatement statement, boolean isOwn) {
        if (block.schema() == null) {
            block.temporary().changes();
            database.lockSchema(settings.schemaWaitMillis(), planned::stepAside);
        }
        BlockSchema changed = block.changeSchema(database::unlockSchema);
        SessionDdlContext context = context(changed, isOwn);
        requireRights(statement, context);
        Result result = run(statement, context);
        block.temporary().makes(changed.catalog());
        return result;
    }

    private SessionDdlContext context(@Nullable BlockSchema changed, boolean isOwn) {
        return new SessionDdlContext(
                database,
                changed,
                changed == null ? null : block.transaction(),
                block.temporary(),
                lease.session(),
                lease.rowIds(),
                user,
                isOwn,
                session,
                block.isBlock() ? block : SessionTime.of(block.clockTime(), block.zone()),
                block.progress());
    }

    /// A right that another compute server has granted a moment ago is found by the schema change
    /// itself.
    private void requireRights(DdlStatement statement, SessionDdlContext context) {
        Roles _ = block.catalog().latestRoles();
        long version = block.catalog().version();
        try {
            DdlExecutor.requireRights(statement, context);
        } catch (SqlException e) {
            if (!block.catalog().isChangedSince(version)) {
                throw e;
            }
        }
    }
}
