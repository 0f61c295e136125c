package org.namdb.sql.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.change.ChangePlan;
import org.namdb.sql.engine.ddl.DdlExecutor;
import org.namdb.sql.engine.ddl.RelationNames;
import org.namdb.sql.engine.expression.SessionContext;
import org.namdb.sql.engine.expression.SessionTime;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.engine.setting.Settings;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.DdlStatement.AlterTable;
import org.namdb.sql.language.ast.DdlStatement.CreateTable;
import org.namdb.sql.language.ast.DdlStatement.OnCommit;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.parser.Keywords;
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
        if (!block.isBlock()
                && parsed instanceof CreateTable create
                && create.temporary() == OnCommit.DROP) {
            return planned.inBlock(() -> run(parsed)); // its commit drops the table
        }
        DdlStatement own = inTemporarySchema(parsed);
        DdlStatement statement = new RelationNames(block.catalog()).resolve(own);
        boolean isThere =
                statement instanceof CreateTable create
                        && block.catalog().find(create.table().text()) != null;
        Result result = block.isBlock() ? runInBlock(statement) : runAtOnce(statement);
        switch (statement) {
            case CreateTable create when !isThere -> block.temporary().created(create);
            case AlterTable alter -> block.temporary().altered(alter);
            default -> {}
        }
        return result;
    }

    /// A temporary table is in the session's schema, and what is in that is temporary.
    private DdlStatement inTemporarySchema(DdlStatement statement) {
        if (!(statement instanceof CreateTable create)) {
            return statement;
        }
        boolean isOwn = TemporaryNames.isInOwn(create.table().text());
        if (create.temporary() == null && !isOwn) {
            return statement;
        }
        block.temporary().open();
        return new CreateTable(
                isOwn
                        ? create.table()
                        : new Name(
                                TemporaryNames.own(create.table().text()),
                                create.table().position()),
                create.ifNotExists(),
                create.temporary() == null ? OnCommit.PRESERVE_ROWS : create.temporary(),
                create.columns(),
                create.constraints(),
                create.options(),
                create.position());
    }

    /// Does what ON COMMIT says of the session's temporary tables, in the open transaction.
    void endTemporary() {
        Map<String, OnCommit> actions = block.temporary().onCommit();
        if (actions.isEmpty() || block.isReadOnly()) {
            return;
        }
        List<Name> dropped = new ArrayList<>();
        actions.forEach((name, action) -> {
            if (action == OnCommit.PRESERVE_ROWS || block.catalog().find(name) == null) {
                return;
            }
            if (action == OnCommit.DROP) {
                dropped.add(new Name(name, Position.NONE));
            } else if (block.transaction().writeCount() > 0) {
                String delete = "DELETE FROM " + Keywords.quoted(name);
                ChangePlan.ChangeResult _ =
                        planned.changed(
                                block.transaction(),
                                block.compiler().compile(delete, List.of(), block.open()),
                                new @Nullable Object[0]);
            }
        });
        if (!dropped.isEmpty()) {
            Result _ = runInBlock(new DdlStatement.DropTable(dropped, true, true, Position.NONE));
        }
    }

    /// Drops the session's temporary tables.
    void dropTemporary() {
        List<Name> tables =
                block.temporary().tables(block.catalog()).stream()
                        .map(table -> new Name(table.name(), Position.NONE))
                        .toList();
        if (!tables.isEmpty()) {
            Result _ = run(new DdlStatement.DropTable(tables, true, true, Position.NONE));
        }
    }

    private Result runAtOnce(DdlStatement statement) {
        SessionDdlContext context = context(null);
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
            Result result = run(statement, context(block.changeSchema(() -> {})));
            block.commit();
            isDone = true;
            return result;
        } finally {
            if (!isDone) {
                block.rollback();
            }
        }
    }

    private Result runInBlock(DdlStatement statement) {
        if (block.schema() == null) {
            database.lockSchema(settings.schemaWaitMillis(), planned::stepAside);
        }
        SessionDdlContext context = context(block.changeSchema(database::unlockSchema));
        requireRights(statement, context);
        return run(statement, context);
    }

    private SessionDdlContext context(@Nullable BlockSchema changed) {
        return new SessionDdlContext(
                database,
                changed,
                changed == null ? null : block.transaction(),
                block.temporary(),
                lease.session(),
                lease.rowIds(),
                user,
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
