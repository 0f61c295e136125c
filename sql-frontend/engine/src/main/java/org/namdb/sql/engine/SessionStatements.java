package org.namdb.sql.engine;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.bind.Scope;
import org.namdb.sql.engine.copy.CopyFiles;
import org.namdb.sql.engine.copy.CopySource;
import org.namdb.sql.engine.copy.CopyTarget;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.ParameterTypes;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.plan.Planner;
import org.namdb.sql.engine.procedure.ProcedureStatistics;
import org.namdb.sql.engine.procedure.ProcedureVersion;
import org.namdb.sql.engine.setting.Settings;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.RoleStatement;
import org.namdb.sql.language.ast.RoutineStatement;
import org.namdb.sql.language.ast.SequenceStatement;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.ast.ViewStatement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.SqlType;

/// The statements of a session that are neither queries, nor changes, nor DDL.
final class SessionStatements {
    private static final String PROCEDURES = "procedures";
    private static final double MEDIAN = 50;
    private static final double NEARLY_ALL = 99;

    /// Of SHOW PROCEDURES.
    private static final List<ResultColumn> PROCEDURE_COLUMNS =
            List.of(
                    new ResultColumn("name", SqlType.TEXT),
                    new ResultColumn("parameters", SqlType.TEXT),
                    new ResultColumn("result", SqlType.TEXT),
                    new ResultColumn("jar", SqlType.TEXT),
                    new ResultColumn("calls", SqlType.BIGINT),
                    new ResultColumn("failures", SqlType.BIGINT),
                    new ResultColumn("retries", SqlType.BIGINT),
                    new ResultColumn("median_us", SqlType.BIGINT),
                    new ResultColumn("p99_us", SqlType.BIGINT),
                    new ResultColumn("verbs", SqlType.BIGINT),
                    new ResultColumn("round_trips", SqlType.BIGINT));

    private final PlannedStatements planned;
    private final TransactionBlock block;
    private final Settings settings;
    private final SessionSettings session;
    private final @Nullable CopyFiles files;
    private final NamedStatements prepared;

    SessionStatements(
            PlannedStatements planned,
            TransactionBlock block,
            Settings settings,
            SessionSettings session,
            @Nullable CopyFiles files,
            NamedStatements prepared) {
        this.planned = planned;
        this.block = block;
        this.settings = settings;
        this.session = session;
        this.files = files;
        this.prepared = prepared;
    }

    Result run(Statement.Plain statement, CompiledStatement compiled) {
        return switch (statement) {
            case Statement.Begin s -> begin(s);
            case Statement.Commit s -> commit(s);
            case Statement.Rollback s -> rollback(s);
            case Statement.Savepoint s -> {
                requireBlock("SAVEPOINT", s);
                block.savepoint(s.name());
                yield done("SAVEPOINT");
            }
            case Statement.RollbackTo s -> {
                requireBlock("ROLLBACK TO SAVEPOINT", s);
                block.rollbackTo(s.name());
                yield done("ROLLBACK");
            }
            case Statement.Release s -> {
                requireBlock("RELEASE SAVEPOINT", s);
                block.release(s.name());
                yield done("RELEASE");
            }
            case Statement.SetVariable s -> set(s);
            case Statement.Show s -> show(s);
            case Statement.Prepare s -> prepare(s, compiled.text());
            case Statement.Execute s -> execute(s);
            case Statement.Deallocate s -> deallocate(s);
            case Statement.SetConstraints _ -> done("SET CONSTRAINTS");
            case Statement.Discard s -> discard(s);
            case Statement.DeclareCursor s -> unplanned(s);
            case Statement.FetchCursor s -> planned.fetch(s);
            case Statement.CloseCursor s -> close(s);
            case Statement.Unlisten _ -> done("UNLISTEN");
            case Statement.Copy s -> copy(compiled, null, null);
            case Statement.Analyze s -> new AnalyzeRun(planned, block, s).run();
            case Statement.CreateTableAs s ->
                    new TableFromQuery(planned, block, s, compiled.text()).run();
            case Statement.Backup s -> backUp(s);
            case Statement.Explain s -> explain(s, compiled.text());
            case Statement.Select s -> unplanned(s);
            case Statement.With s -> unplanned(s);
            case Statement.Insert s -> unplanned(s);
            case Statement.Update s -> unplanned(s);
            case Statement.Delete s -> unplanned(s);
            case Statement.Call s -> unplanned(s);
            case Statement.Do s -> planned.runBlock(s);
        };
    }

    private static Result unplanned(Statement statement) {
        throw new IllegalStateException("not planned: " + statement.getClass().getSimpleName());
    }

    private static Result done(String tag) {
        return ListResult.done(tag, List.of());
    }

    private static Result done(String tag, String warning) {
        return ListResult.done(tag, List.of(Notice.warning(warning)));
    }

    private Result begin(Statement.Begin statement) {
        if (!statement.isStart()) {
            if (!block.isBlock()) {
                return done("SET", "SET TRANSACTION can only be used in transaction blocks");
            }
            block.modes(statement.isolation(), statement.isReadOnly());
            return done("SET");
        }
        if (block.isBlock()) {
            return done(statement.tag(), "there is already a transaction in progress");
        }
        if (statement.isolation() != null) {
            settings.checkIsolation(statement.isolation());
        }
        block.begin();
        block.modes(statement.isolation(), statement.isReadOnly());
        return done(statement.tag());
    }

    private Result commit(Statement.Commit statement) {
        if (statement.isChained()) {
            requireBlock("COMMIT AND CHAIN", statement);
        }
        Result result =
                switch (block.status()) {
                    case IDLE -> done("COMMIT", "there is no transaction in progress");
                    case ACTIVE -> {
                        block.commit();
                        yield done("COMMIT");
                    }
                    case FAILED -> {
                        block.rollback();
                        yield done("ROLLBACK");
                    }
                };
        if (statement.isChained()) {
            block.chain();
        }
        return result;
    }

    private Result rollback(Statement.Rollback statement) {
        if (statement.isChained()) {
            requireBlock("ROLLBACK AND CHAIN", statement);
        }
        if (!block.isBlock()) {
            return done("ROLLBACK", "there is no transaction in progress");
        }
        block.rollback();
        if (statement.isChained()) {
            block.chain();
        }
        return done("ROLLBACK");
    }

    private void requireBlock(String name, Statement statement) {
        if (!block.isBlock() || block.isImplicit()) {
            throw new SqlException(
                    SqlState.NO_ACTIVE_TRANSACTION,
                    name + " can only be used in transaction blocks",
                    statement.position());
        }
    }

    private Result set(Statement.SetVariable statement) {
        String name = statement.name().text().toLowerCase(Locale.ROOT);
        String tag = statement.isReset() ? "RESET" : "SET";
        if (name.equals("all") && statement.value() == null) {
            settings.resetAll();
            return done(tag);
        }
        if (statement.isLocal() && !block.isBlock()) {
            return done(tag, "SET LOCAL can only be used in transaction blocks");
        }
        try {
            session.assign(name, statement.value(), statement.isLocal());
        } catch (SqlException e) {
            throw e.at(statement.position());
        }
        return done(tag);
    }

    private Result show(Statement.Show statement) {
        String name = statement.name().text().toLowerCase(Locale.ROOT);
        if (name.equals("all")) {
            List<@Nullable Object[]> rows = new ArrayList<>();
            for (Settings.Shown shown : settings.showAll()) {
                rows.add(
                        new @Nullable Object[] {
                            shown.name(), session.setting(shown.name()), shown.description()
                        });
            }
            return new ListResult(columns(statement), rows, "SHOW", rows.size(), List.of());
        }
        if (name.equals(PROCEDURES)) {
            planned.database().jars().refreshIfStale(block.open());
            List<@Nullable Object[]> rows =
                    block.procedures().all().stream().map(SessionStatements::procedure).toList();
            return new ListResult(PROCEDURE_COLUMNS, rows, "SHOW", rows.size(), List.of());
        }
        try {
            @Nullable Object[] row = {session.setting(name)};
            return new ListResult(
                    columns(statement), List.<@Nullable Object[]>of(row), "SHOW", 1, List.of());
        } catch (SqlException e) {
            throw e.at(statement.name().position());
        }
    }

    private static @Nullable Object[] procedure(ProcedureVersion version) {
        ProcedureStatistics statistics = version.statistics();
        return new @Nullable Object[] {
            version.name(),
            version.signature(),
            version.result(),
            version.origin(),
            statistics.calls(),
            statistics.failures(),
            statistics.retries(),
            statistics.micros(MEDIAN),
            statistics.micros(NEARLY_ALL),
            statistics.verbs(),
            statistics.roundTrips()
        };
    }

    /// The columns of the rows that a statement gives which is not planned.
    List<ResultColumn> columns(Statement.Plain statement) {
        return switch (statement) {
            case Statement.Show s -> columns(s);
            case Statement.Explain _ -> Explanation.COLUMNS;
            case Statement.Execute s -> prepared.find(s.name()).compiled().columns();
            case Statement.FetchCursor s when !s.isMove() ->
                    block.cursors().find(s.name()).columns();
            default -> List.of();
        };
    }

    private static List<ResultColumn> columns(Statement.Show statement) {
        String name = statement.name().text().toLowerCase(Locale.ROOT);
        if (name.equals(PROCEDURES)) {
            return PROCEDURE_COLUMNS;
        }
        return name.equals("all")
                ? List.of(
                        new ResultColumn("name", SqlType.TEXT),
                        new ResultColumn("setting", SqlType.TEXT),
                        new ResultColumn("description", SqlType.TEXT))
                : List.of(new ResultColumn(Settings.shownName(name), SqlType.TEXT));
    }

    private Result prepare(Statement.Prepare statement, String text) {
        Name name = statement.name();
        prepared.requireFree(name);
        prepared.requireSpace(text, name.position());
        List<SqlType> types = statement.parameterTypes().stream().map(SqlType::named).toList();
        CompiledStatement compiled =
                block.compiler().compile(text, statement.statement(), types, block.open());
        NamedStatements.Entry _ = prepared.add(name.text(), compiled, block.statementTime(), true);
        return done("PREPARE");
    }

    private Result explain(Statement.Explain explain, String text) {
        if (explain.statement() instanceof Statement.Execute execute) {
            CompiledStatement compiled = known(execute);
            return planned.explanation(arguments(execute, compiled.parameterTypes()))
                    .run(explain, compiled);
        }
        CompiledStatement compiled =
                block.compiler().compile(text, explain.statement(), List.of(), block.open());
        return planned.explanation(new @Nullable Object[0]).run(explain, compiled);
    }

    /// The prepared statement, with a plan that is good for the schema as it is.
    private CompiledStatement known(Statement.Execute statement) {
        NamedStatements.Entry entry = prepared.find(statement.name());
        CompiledStatement known = entry.compiled();
        CompiledStatement compiled = planned.current(known);
        if (!compiled.columns().equals(known.columns())) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "cached plan must not change result type",
                    statement.position());
        }
        entry.replan(compiled);
        entry.executed();
        return compiled;
    }

    private Result execute(Statement.Execute statement) {
        CompiledStatement compiled = known(statement);
        @Nullable Object[] values = arguments(statement, compiled.parameterTypes());
        if (compiled.query() != null) {
            return planned.query(compiled, values);
        }
        if (compiled.change() != null) {
            return planned.change(compiled, values);
        }
        if (compiled.call() != null) {
            return planned.call(compiled, values);
        }
        throw new SqlException(
                SqlState.FEATURE_NOT_SUPPORTED,
                "only SELECT, INSERT, UPDATE, DELETE and VALUES can be prepared",
                statement.position());
    }

    private @Nullable Object[] arguments(Statement.Execute statement, List<SqlType> types) {
        List<Expression> arguments = statement.arguments();
        if (arguments.size() != types.size()) {
            throw new SqlException(
                            SqlState.SYNTAX_ERROR,
                            "wrong number of parameters for prepared statement \""
                                    + statement.name().text()
                                    + "\"",
                            statement.position())
                    .withDetail(
                            "Expected "
                                    + types.size()
                                    + " parameters but got "
                                    + arguments.size()
                                    + ".");
        }
        @Nullable Object[] values = new @Nullable Object[types.size()];
        if (values.length == 0) {
            return values;
        }
        Planner planner = new Planner(new BindContext(block.catalog(), new ParameterTypes()));
        EvaluationFrame frame = planned.execution(block.transaction(), values, false).frame();
        for (int i = 0; i < values.length; i++) {
            Scalar value = planner.scalar(arguments.get(i), Scope.EMPTY);
            values[i] = Casts.assignment(value, types.get(i), "$" + (i + 1)).evaluate(frame);
        }
        return values;
    }

    private Result close(Statement.CloseCursor statement) {
        if (statement.name() == null) {
            block.cursors().closeAll();
            return done("CLOSE CURSOR ALL");
        }
        block.cursors().close(statement.name());
        return done("CLOSE CURSOR");
    }

    private Result deallocate(Statement.Deallocate statement) {
        if (statement.name() == null) {
            prepared.clear();
            return done("DEALLOCATE ALL");
        }
        prepared.remove(statement.name());
        return done("DEALLOCATE");
    }

    /// Plans belong to all sessions.
    private Result discard(Statement.Discard statement) {
        if (statement.what().equals("all")) {
            if (block.isBlock()) {
                throw new SqlException(
                        SqlState.ACTIVE_TRANSACTION,
                        "DISCARD ALL cannot run inside a transaction block",
                        statement.position());
            }
            prepared.clear();
            block.cursors().closeAll();
            settings.resetAll();
            session.unlockAll();
        }
        if (statement.what().equals("all") || statement.what().equals("sequences")) {
            session.sequences().discard();
        }
        if (!statement.what().equals("plans") && !statement.what().equals("sequences")) {
            planned.ddl().dropTemporary();
        }
        return done("DISCARD " + statement.what().toUpperCase(Locale.ROOT));
    }

    private Result backUp(Statement.Backup statement) {
        if (block.isBlock()) {
            throw new SqlException(
                    SqlState.ACTIVE_TRANSACTION,
                    "BACKUP cannot run inside a transaction block",
                    statement.position());
        }
        planned.authority().requireSuperuser("write a backup");
        SqlDatabase database = planned.database();
        if (database.engine().options().journal() == null) {
            throw new SqlException(
                            SqlState.NOT_IN_PREREQUISITE_STATE,
                            "this database has no data directory: there is nothing to back up",
                            statement.position())
                    .withHint(
                            "Start it with --data DIR to keep the database there. COPY .. TO writes the"
                                    + " rows of a table to the client.");
        }
        Path directory = backupDirectory(database, statement);
        long _ = database.engine().backUp(directory, planned::checkCancelled);
        return done("BACKUP");
    }

    private Path backupDirectory(SqlDatabase database, Statement.Backup statement) {
        Path backups = database.backups();
        if (files == null && backups == null) {
            throw new SqlException(
                            SqlState.INSUFFICIENT_PRIVILEGE,
                            "permission denied to write a backup on the server",
                            statement.position())
                    .withHint("nam server --backups DIR lets clients write backups in DIR.");
        }
        String name = statement.directory();
        boolean isName = name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
        if (files == null && !isName) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "the name of a backup on the server has letters, digits, '.', '_' and '-' only",
                    statement.position());
        }
        try {
            return files == null ? Objects.requireNonNull(backups).resolve(name) : Path.of(name);
        } catch (InvalidPathException e) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "'" + name + "' is no directory's name",
                    statement.position());
        }
    }

    /// Runs COPY, with the streams for STDIN and STDOUT if the program has given them.
    ///
    Result copy(CompiledStatement compiled, @Nullable CopySource in, @Nullable CopyTarget out) {
        if (!(compiled.statement() instanceof Statement.Copy copy)) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "this is no COPY statement");
        }
        return new CopyStreams(planned, block, files).run(copy, in, out);
    }

    /// What the statement is called in messages.
    static String name(DdlStatement statement) {
        return switch (statement) {
            case DdlStatement.CreateTable s -> "CREATE TABLE";
            case DdlStatement.DropTable s -> "DROP TABLE";
            case DdlStatement.CreateIndex s -> "CREATE INDEX";
            case DdlStatement.DropIndex s -> "DROP INDEX";
            case DdlStatement.AlterIndex s -> "ALTER INDEX";
            case DdlStatement.AlterTable s -> "ALTER TABLE";
            case DdlStatement.Truncate s -> "TRUNCATE";
            case DdlStatement.Comment s -> "COMMENT";
            case SequenceStatement.CreateSequence s -> "CREATE SEQUENCE";
            case SequenceStatement.AlterSequence s -> "ALTER SEQUENCE";
            case SequenceStatement.DropSequence s -> "DROP SEQUENCE";
            case RoutineStatement.CreateRoutine s -> "CREATE " + s.kind();
            case RoutineStatement.DropRoutine s -> "DROP " + s.kind();
            case RoutineStatement.AlterRoutine s -> "ALTER " + s.kind();
            case ViewStatement.CreateView s -> "CREATE VIEW";
            case ViewStatement.AlterView s -> "ALTER VIEW";
            case ViewStatement.DropView s -> "DROP VIEW";
            case RoleStatement.CreateRole s -> "CREATE ROLE";
            case RoleStatement.AlterRole s -> "ALTER ROLE";
            case RoleStatement.DropRole s -> "DROP ROLE";
            case RoleStatement.Grant s -> s.isRevoke() ? "REVOKE" : "GRANT";
            case RoleStatement.GrantRole s -> s.isRevoke() ? "REVOKE ROLE" : "GRANT ROLE";
        };
    }
}
