package org.namdb.sql.engine.execute;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.ParameterTypes;
import org.namdb.sql.engine.expression.SessionContext;
import org.namdb.sql.engine.plan.Planner;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.record.KeyWriter;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.parser.SqlParser;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;

/// A small database with tables as SQL sees them, made by hand, and one session to query them.
final class QueryFixture implements AutoCloseable {
    private final NamDb db;
    private final Session session;
    private final Map<String, SqlTable> tables = new HashMap<>();
    long workMemoryBytes = ExecutionOptions.DEFAULT_WORK_MEMORY_BYTES;
    Path temporaryDirectory = Path.of(System.getProperty("java.io.tmpdir"));
    long temporaryFileLimitBytes = Long.MAX_VALUE;

    QueryFixture() {
        this(64L << 20);
    }

    QueryFixture(long bytes) {
        db = NamDb.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(bytes).withSlots(4));
        session = db.session();
    }

    Session session() {
        return session;
    }

    /// Makes a table of a CREATE TABLE with PRIMARY KEY and UNIQUE constraints, and the options
    /// `expected_rows` and `neighbours`.
    void create(String sql) {
        var create = (DdlStatement.CreateTable) SqlParser.parseOne(sql);
        List<String> key = new ArrayList<>();
        List<List<String>> unique = new ArrayList<>();
        List<DdlStatement.Constraint> constraints = new ArrayList<>(create.constraints());
        create.columns().forEach(column -> constraints.addAll(column.constraints()));
        for (DdlStatement.Constraint constraint : constraints) {
            if (constraint instanceof DdlStatement.PrimaryKey primary) {
                primary.columns().forEach(name -> key.add(name.text()));
            } else if (constraint instanceof DdlStatement.Unique one) {
                unique.add(one.columns().stream().map(Name::text).toList());
            }
        }
        String name = create.table().text();
        TableDefinition.Builder builder = TableDefinition.named(name);
        boolean isHidden = key.isEmpty();
        List<SqlType> types = new ArrayList<>();
        List<Boolean> nullable = new ArrayList<>();
        for (DdlStatement.ColumnDefinition column : create.columns()) {
            SqlType type = SqlType.named(column.type());
            boolean mayBeNull = !column.isNotNull() && !key.contains(column.name().text());
            types.add(type);
            nullable.add(mayBeNull);
            ColumnType stored = stored(type);
            if (mayBeNull) {
                builder.nullable(column.name().text(), stored);
            } else {
                builder.column(column.name().text(), stored);
            }
        }
        if (isHidden) {
            builder.column("rowid", ColumnType.INT64);
            key.add("rowid");
        }
        builder.primaryKey(key.toArray(new String[0]));
        DdlStatement.TableOption rows = create.options().get("expected_rows");
        builder.expectedRows(rows == null ? 1000 : Long.parseLong(rows.value()));
        DdlStatement.TableOption neighbours = create.options().get("neighbours");
        if (neighbours != null) {
            builder.neighbours(Integer.parseInt(neighbours.value()));
        }
        Table table = db.createTable(builder.build());
        List<SqlColumn> columns = new ArrayList<>();
        for (Column column : table.schema().columns()) {
            boolean hidden = isHidden && column.name().equals("rowid");
            columns.add(
                    new SqlColumn(
                            column.name(),
                            hidden ? SqlType.BIGINT : types.get(column.index()),
                            !hidden && nullable.get(column.index()),
                            null,
                            null,
                            column,
                            hidden));
        }
        List<Integer> primaryKey = key.stream().map(k -> table.column(k).index()).toList();
        List<SqlIndex> indexes = new ArrayList<>();
        for (List<String> one : unique) {
            indexes.add(unique(table, one, key));
        }
        tables.put(
                name,
                new SqlTable(
                        name,
                        columns,
                        primaryKey,
                        name + "_pkey",
                        null,
                        indexes,
                        List.of(),
                        List.of(),
                        List.of(),
                        null,
                        Ownership.BOOTSTRAP,
                        table.definition(),
                        table));
    }

    private SqlIndex unique(Table table, List<String> columns, List<String> key) {
        String name = table.name() + "_" + String.join("_", columns) + "_key";
        TableDefinition.Builder builder = TableDefinition.named("$" + name);
        for (String column : columns) {
            builder.column(column, table.column(column).type());
        }
        for (String column : key) {
            builder.column("key_" + column, table.column(column).type());
        }
        Table entries = db.createTable(builder.primaryKey(columns.toArray(new String[0])).build());
        List<Integer> numbers = columns.stream().map(c -> table.column(c).index()).toList();
        return new SqlIndex(name, numbers, true, false, true, null, entries);
    }

    /// Makes an index of `CREATE INDEX name ON table [USING HASH] (columns)`.
    void createIndex(String name, String table, boolean isHash, String... columns) {
        IndexDefinition definition =
                isHash
                        ? IndexDefinition.hash(name, table, columns)
                        : IndexDefinition.ordered(name, table, columns);
        Index index = db.createIndex(definition);
        SqlTable former = table(table);
        List<Integer> numbers =
                Arrays.stream(columns).map(c -> former.stored().column(c).index()).toList();
        List<SqlIndex> indexes = new ArrayList<>(former.indexes());
        indexes.add(new SqlIndex(name, numbers, false, !isHash, false, index, null));
        tables.put(
                table,
                new SqlTable(
                        table,
                        former.columns(),
                        former.primaryKey(),
                        former.primaryKeyName(),
                        former.keyOrder(),
                        indexes,
                        List.of(),
                        List.of(),
                        List.of(),
                        null,
                        Ownership.BOOTSTRAP,
                        former.definition(),
                        former.stored()));
    }

    SqlTable table(String name) {
        return Objects.requireNonNull(tables.get(name));
    }

    private static ColumnType stored(SqlType type) {
        return switch (type.kind()) {
            case SMALLINT -> ColumnType.INT16;
            case INTEGER -> ColumnType.INT32;
            case BIGINT -> ColumnType.INT64;
            case DECIMAL ->
                    type.length() == 0
                            ? ColumnType.decimal(18, 6)
                            : ColumnType.decimal(type.length(), type.scale());
            case REAL -> ColumnType.FLOAT32;
            case DOUBLE -> ColumnType.FLOAT64;
            case BOOLEAN -> ColumnType.BOOLEAN;
            case CHAR -> ColumnType.character(4 * type.length());
            case VARCHAR, TEXT -> ColumnType.varchar(type.length() == 0 ? 40 : 4 * type.length());
            case DATE -> ColumnType.DATE;
            case TIME -> ColumnType.TIME;
            case TIMESTAMP, TIMESTAMPTZ -> ColumnType.TIMESTAMP;
            case BYTEA -> ColumnType.bytes(32);
            case UUID -> ColumnType.UUID;
            case INTERVAL, ARRAY, UNKNOWN -> throw new IllegalArgumentException(type.toString());
        };
    }

    /// Inserts rows, each with the values of all columns, in a transaction of its own.
    void insert(String table, @Nullable Object[]... rows) {
        session.transact(tx -> {
            for (@Nullable Object[] row : rows) {
                insert(tx, table, row);
            }
            return true;
        });
    }

    /// Inserts a row: integers as Integer or Long, decimals as text.
    void insert(Transaction tx, String name, @Nullable Object... values) {
        SqlTable table = table(name);
        @Nullable Object[] row = new @Nullable Object[table.columns().size()];
        for (int i = 0; i < row.length; i++) {
            row[i] = i < values.length ? value(table.columns().get(i).type(), values[i]) : rowId++;
        }
        Key key = table.stored().newKey();
        for (int column : table.primaryKey()) {
            if (!KeyWriter.add(key, row[column])) {
                throw new IllegalArgumentException(Arrays.toString(values));
            }
        }
        Row inserted = tx.insert(table.stored(), key);
        for (SqlColumn column : table.columns()) {
            set(inserted, column, row[column.stored().index()]);
        }
        for (SqlIndex index : table.indexes()) {
            Table unique = index.uniqueTable();
            if (unique != null) {
                insertUnique(tx, table, index, unique, row);
            }
        }
    }

    private long rowId;

    private static @Nullable Object value(SqlType type, @Nullable Object value) {
        if (value instanceof Integer number) {
            return (long) number;
        }
        return type.kind() == SqlType.Kind.DECIMAL && value instanceof String text
                ? new BigDecimal(text)
                : value;
    }

    private static void insertUnique(
            Transaction tx, SqlTable table, SqlIndex index, Table unique, @Nullable Object[] row) {
        Key key = unique.newKey();
        for (int column : index.columns()) {
            if (!KeyWriter.add(key, row[column])) {
                return;
            }
        }
        Row entry = tx.insert(unique, key);
        for (int i = 0; i < table.primaryKey().size(); i++) {
            Object value = row[table.primaryKey().get(i)];
            Column column = unique.schema().payloadColumns()[i];
            if (value instanceof Long number) {
                entry.setInt64(column, number);
            } else {
                entry.setString(column, String.valueOf(value));
            }
        }
    }

    private static void set(Row row, SqlColumn column, @Nullable Object value) {
        Column stored = column.stored();
        if (stored.inKey() || value == null) {
            return;
        }
        switch (value) {
            case Long number -> row.setInt64(stored, number);
            case BigDecimal number ->
                    row.setInt64(
                            stored,
                            number.setScale(stored.type().scale())
                                    .unscaledValue()
                                    .longValueExact());
            case Double number -> row.setFloat64(stored, number);
            case Boolean truth -> row.setInt64(stored, truth ? 1 : 0);
            case String text -> row.setString(stored, text);
            default -> throw new IllegalArgumentException(value.getClass().toString());
        }
    }

    QueryPlan plan(String sql) {
        Statement statement = SqlParser.parseOne(sql);
        Query query = ((Statement.Select) statement).query();
        return new Planner(new BindContext(tables::get, new ParameterTypes())).plan(query);
    }

    Planner planner() {
        return new Planner(new BindContext(tables::get, new ParameterTypes()));
    }

    List<String> explain(String sql) {
        return Explain.lines(plan(sql), null, null);
    }

    /// What EXPLAIN ANALYZE shows.
    List<String> analyze(String sql) {
        return session.transact(tx -> {
            Execution execution = measured(tx, true);
            QueryPlan plan = plan(sql);
            long _ = query(execution, plan).size();
            return Explain.lines(plan, execution.statistics(), null);
        });
    }

    Execution execution(Transaction tx, @Nullable Object... parameters) {
        return measured(tx, false, parameters);
    }

    Execution measured(Transaction tx, boolean isMeasured, @Nullable Object... parameters) {
        return new Execution(
                tx,
                parameters,
                new ExecutionOptions(
                        () -> Instant.parse("2026-01-31T10:00:00Z"),
                        () -> 4,
                        workMemoryBytes,
                        temporaryDirectory,
                        temporaryFileLimitBytes,
                        isMeasured,
                        System::nanoTime,
                        SessionContext.NONE,
                        new org.namdb.sql.engine.plan.StatementProgress()),
                session.counters());
    }

    /// The rows of a query in a transaction of its own: values as text, separated by `|`, NULL
    /// as `-`.
    List<String> query(String sql, @Nullable Object... parameters) {
        return session.transact(tx -> query(tx, sql, parameters));
    }

    List<String> query(Transaction tx, String sql, @Nullable Object... parameters) {
        return query(execution(tx, parameters), plan(sql));
    }

    static List<String> query(Execution execution, QueryPlan plan) {
        List<String> rows = new ArrayList<>();
        try (TupleCursor tuples = execution.open(plan)) {
            for (@Nullable Object[] tuple = tuples.next(); tuple != null; tuple = tuples.next()) {
                List<String> texts = new ArrayList<>();
                for (int i = 0; i < tuple.length; i++) {
                    Object value = tuple[i];
                    texts.add(
                            value == null
                                    ? "-"
                                    : TextFormat.format(value, plan.columns().get(i).type()));
                }
                rows.add(String.join("|", texts));
            }
        }
        return rows;
    }

    static @Nullable Object[] row(@Nullable Object... values) {
        return values;
    }

    @Override
    public void close() {
        session.close();
        db.close();
    }
}
