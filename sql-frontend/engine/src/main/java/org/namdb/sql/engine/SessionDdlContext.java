package org.namdb.sql.engine;

import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.sql.engine.bind.Scope;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.change.ConstraintBinder;
import org.namdb.sql.engine.ddl.DdlContext;
import org.namdb.sql.engine.execute.Execution;
import org.namdb.sql.engine.execute.ExecutionOptions;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.Frame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.SessionContext;
import org.namdb.sql.engine.plan.StatementProgress;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.procedure.ProcedureVersion;
import org.namdb.sql.engine.role.Authority;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.sequence.SequenceValues;
import org.namdb.sql.engine.setting.Settings;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.parser.SqlParser;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.type.SqlType;

/// What a schema change needs of the session that runs it. Its queries run in transactions of their
/// own, under the schema latch that the change holds.
final class SessionDdlContext implements DdlContext {
    /// What a scan of all rows may take.
    private static final long WORK_MEMORY_BYTES = 256L << 20;

    private static final @Nullable Object[] NO_PARAMETERS = {};

    private final SqlDatabase database;
    private final Session engine;
    private final RowIds rowIds;
    private final SessionUser user;
    private final SessionContext session;
    private final List<Notice> notices = new ArrayList<>();

    SessionDdlContext(
            SqlDatabase database,
            Session engine,
            RowIds rowIds,
            SessionUser user,
            SessionContext session) {
        this.database = database;
        this.engine = engine;
        this.rowIds = rowIds;
        this.user = user;
        this.session = session;
    }

    List<Notice> notices() {
        return notices;
    }

    @Override
    public NamDb db() {
        return database.engine();
    }

    @Override
    public SqlCatalog catalog() {
        return database.catalog();
    }

    @Override
    public Authority authority() {
        return user.authority();
    }

    @Override
    public String sessionUser() {
        return user.sessionUser();
    }

    @Override
    public @Nullable Ownership procedure(String name) {
        ProcedureVersion version = database.procedures().find(name);
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
        ConstraintBinder.condition(condition, Scope.ofColumns(table, columns), catalog());
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
    public Supplier<@Nullable Object> identityValues(String sequence, SqlType type) {
        return values(ConstraintBinder.identityValue(sequence, "identity", type, catalog()));
    }

    @Override
    public SequenceValues sequences() {
        return database.sequences();
    }

    private Supplier<@Nullable Object> values(Scalar value) {
        // Defaults have no subqueries: the transaction is only there because an execution has one.
        Transaction transaction = engine.begin();
        Frame frame = execution(transaction).frame();
        engine.rollback();
        return () -> value.evaluate(frame);
    }

    @Override
    public long nextRowId() {
        return rowIds.next();
    }

    @Override
    public @Nullable Object @Nullable [] first(String query) {
        CompiledStatement compiled =
                database.compiler().compile(query, SqlParser.parseOne(query), List.of(), null);
        Transaction transaction = engine.begin();
        try (TupleCursor cursor =
                execution(transaction).open(Objects.requireNonNull(compiled.query()))) {
            return cursor.next();
        } finally {
            engine.rollback();
        }
    }

    private Execution execution(Transaction transaction) {
        LocalDateTime now = database.now();
        return new Execution(
                transaction,
                NO_PARAMETERS,
                new ExecutionOptions(
                        () -> now,
                        rowIds::next,
                        WORK_MEMORY_BYTES,
                        Settings.DEFAULT_TEMP_DIRECTORY,
                        Long.MAX_VALUE,
                        false,
                        database.host()::nanoTime,
                        session,
                        new StatementProgress()),
                engine.counters());
    }

    @Override
    public void notice(String text) {
        notices.add(Notice.notice(text));
    }
}
