package org.namdb.sql.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Schema;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.sql.engine.bind.Scope;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.change.ConstraintBinder;
import org.namdb.sql.engine.ddl.DdlContext;
import org.namdb.sql.engine.execute.Execution;
import org.namdb.sql.engine.execute.ExecutionOptions;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.SessionContext;
import org.namdb.sql.engine.expression.SessionTime;
import org.namdb.sql.engine.plan.StatementProgress;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.procedure.ProcedureVersion;
import org.namdb.sql.engine.role.Authority;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.sequence.SequenceValues;
import org.namdb.sql.engine.setting.Settings;
import org.namdb.sql.engine.statistics.StatisticsTable;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.parser.SqlParser;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.type.SqlType;

/// What a schema change needs of the session that runs it. Its queries run in the transaction that
/// it is a part of, or in transactions of their own, under the schema latch that the change holds.
final class SessionDdlContext implements DdlContext {
    /// What a scan of all rows may take.
    private static final long WORK_MEMORY_BYTES = 256L << 20;

    private static final @Nullable Object[] NO_PARAMETERS = {};

    private final SqlDatabase database;
    private final @Nullable BlockSchema changed;
    private final @Nullable Transaction transaction;
    private final TemporaryTables temporary;
    private final Session engine;
    private final RowIds rowIds;
    private final SessionUser user;
    private final boolean isUnrestricted;
    private final SessionContext session;
    private final SessionTime time;
    private final StatementProgress progress;
    private final List<Notice> notices = new ArrayList<>();

    /// @param changed what the block has changed that the DDL is a part of; null if it takes effect
    ///     at once
    /// @param transaction the block's; null if there is none
    /// @param temporary the session's temporary tables
    /// @param isUnrestricted whether the role's rights don't matter
    /// @param progress counts the rows that are read
    SessionDdlContext(
            SqlDatabase database,
            @Nullable BlockSchema changed,
            @Nullable Transaction transaction,
            TemporaryTables temporary,
            Session engine,
            RowIds rowIds,
            SessionUser user,
            boolean isUnrestricted,
            SessionContext session,
            SessionTime time,
            StatementProgress progress) {
        this.database = database;
        this.changed = changed;
        this.transaction = transaction;
        this.temporary = temporary;
        this.engine = engine;
        this.rowIds = rowIds;
        this.user = user;
        this.isUnrestricted = isUnrestricted;
        this.session = session;
        this.time = time;
        this.progress = progress;
    }

    List<Notice> notices() {
        return notices;
    }

    @Override
    public Schema db() {
        return changed == null ? database.engine() : changed.tables();
    }

    @Override
    public @Nullable Transaction transaction() {
        return transaction;
    }

    @Override
    public Session reservedSession() {
        return database.engine().reservedSession();
    }

    @Override
    public void expect(SqlTable table, int times) {
        progress.expect(times * table.stored().estimatedRows());
    }

    @Override
    public void read(long rows) {
        progress.read(rows);
        engine.checkCancelled();
    }

    @Override
    public void requireUnchanged(String table) {
        if (changed != null) {
            changed.tables().requireUnchanged(table);
        }
    }

    @Override
    public void changeStatistics(Consumer<StatisticsTable> change) {
        if (changed == null) {
            change.accept(catalog().statistics());
        } else {
            changed.changeStatistics(change);
        }
    }

    @Override
    public SqlCatalog catalog() {
        return changed == null ? temporary.catalog() : changed.catalog();
    }

    @Override
    public Authority authority() {
        return isUnrestricted ? Authority.SUPERUSER : user.authority();
    }

    @Override
    public String sessionUser() {
        return user.sessionUser();
    }

    @Override
    public @Nullable Ownership procedure(String name) {
        ProcedureVersion version =
                (changed == null ? temporary.procedures() : changed.procedures()).find(name);
        return version == null || version.isUtility() ? null : version.ownership(catalog().roles());
    }

    @Override
    public SqlType type(TypeName name) {
        return SqlType.named(name);
    }

    @Override
    public void checkDefault(Expression expression, String column, SqlType type) {
        ConstraintBinder.defaultValue(expression, column, type, catalog());
    }

    @Override
    public void checkCondition(Expression condition, String table, List<ColumnScalar> columns) {
        Scope scope = Scope.ofColumns(TemporaryNames.bare(table), columns);
        ConstraintBinder.condition(condition, scope, catalog());
    }

    @Override
    public void checkGenerated(
            Expression value,
            String table,
            List<ColumnScalar> columns,
            String column,
            SqlType type) {
        Scalar _ =
                ConstraintBinder.generated(
                        value,
                        Scope.ofColumns(TemporaryNames.bare(table), columns),
                        column,
                        type,
                        catalog());
    }

    @Override
    public Function<@Nullable Object[], @Nullable Object> generatedValues(
            String text, String table, List<ColumnScalar> columns, SqlType type) {
        Scalar value =
                ConstraintBinder.generated(
                        SqlParser.parseExpression(text),
                        Scope.ofColumns(TemporaryNames.bare(table), columns),
                        "generated",
                        type,
                        catalog());
        Transaction running = begin();
        EvaluationFrame frame = execution(running).frame();
        end();
        return row -> value.evaluate(frame.on(row));
    }

    @Override
    public Expression parse(String text) {
        return SqlParser.parseExpression(text);
    }

    @Override
    public Supplier<@Nullable Object> defaultValues(String text, SqlType type) {
        return values(
                ConstraintBinder.defaultValue(
                        SqlParser.parseExpression(text), "default", type, catalog()));
    }

    @Override
    public Function<@Nullable Object[], @Nullable Object> conversion(
            Expression expression, SqlTable table, String column, SqlType type) {
        List<ColumnScalar> columns = new ArrayList<>();
        for (SqlColumn each : table.columns()) {
            columns.add(new ColumnScalar(columns.size(), each.type(), each.name()));
        }
        Scalar value =
                ConstraintBinder.conversion(
                        expression,
                        Scope.ofColumns(TemporaryNames.bare(table.name()), columns),
                        column,
                        type,
                        catalog());
        Transaction running = begin();
        EvaluationFrame frame = execution(running).frame();
        end();
        return row -> value.evaluate(frame.on(row));
    }

    @Override
    public Supplier<@Nullable Object> identityValues(String sequence, SqlType type) {
        return values(ConstraintBinder.identityValue(sequence, "identity", type, catalog()));
    }

    @Override
    public SequenceValues sequences() {
        return changed == null ? database.sequences() : changed.sequences();
    }

    private Supplier<@Nullable Object> values(Scalar value) {
        // Defaults have no subqueries: the transaction is only there because an execution has one.
        Transaction running = begin();
        EvaluationFrame frame = execution(running).frame();
        end();
        return () -> value.evaluate(frame);
    }

    @Override
    public long nextRowId() {
        return rowIds.next();
    }

    @Override
    public @Nullable Object @Nullable [] first(String query) {
        StatementCompiler compiler = changed == null ? temporary.compiler() : changed.compiler();
        CompiledStatement compiled = // its names are the catalog's
                temporary.plan(
                        _ -> true,
                        () -> compiler.compile(query, SqlParser.parseOne(query), List.of(), null));
        Transaction running = begin();
        try (TupleCursor cursor =
                execution(running).open(Objects.requireNonNull(compiled.query()))) {
            return cursor.next();
        } finally {
            end();
        }
    }

    private Transaction begin() {
        return transaction == null ? engine.begin() : transaction;
    }

    private void end() {
        if (transaction == null) {
            engine.rollback();
        }
    }

    private Execution execution(Transaction transaction) {
        return new Execution(
                transaction,
                NO_PARAMETERS,
                new ExecutionOptions(
                        time,
                        rowIds::next,
                        WORK_MEMORY_BYTES,
                        Settings.DEFAULT_TEMP_DIRECTORY,
                        Long.MAX_VALUE,
                        false,
                        database.host()::nanoTime,
                        session,
                        progress),
                engine.counters());
    }

    @Override
    public void notice(String text) {
        notices.add(Notice.notice(temporary.shown(text)));
    }
}
