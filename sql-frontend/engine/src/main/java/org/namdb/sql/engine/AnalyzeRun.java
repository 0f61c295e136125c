package org.namdb.sql.engine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.execute.Execution;
import org.namdb.sql.engine.expression.ParameterTypes;
import org.namdb.sql.engine.plan.Planner;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.setting.Settings;
import org.namdb.sql.engine.statistics.StatisticsTable;
import org.namdb.sql.engine.statistics.TableSample;
import org.namdb.sql.engine.statistics.TableStatistics;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.result.Result;

/// ANALYZE reads tables, and keeps statistics of them. VACUUM has nothing to do by itself: old
/// versions are collected in the background, and memory that is free serves others.
final class AnalyzeRun {
    private static final @Nullable Object[] NO_PARAMETERS = {};

    private final PlannedStatements planned;
    private final TransactionBlock block;
    private final Statement.Analyze statement;
    private final SqlCatalog catalog;
    private final StatisticsTable statistics;
    private final SplittableRandom random;
    private final List<Notice> notices = new ArrayList<>();

    /// A table, by its name: the schema may change between two.
    ///
    /// @param columns empty for all
    private record Target(String table, List<Name> columns, Position position) {}

    /// The statistics of a table as they are stored.
    private record Learned(long version, TableStatistics statistics, long rows) {
        static final Learned NOTHING = new Learned(0, new TableStatistics(0, 0, Map.of()), 0);
    }

    AnalyzeRun(PlannedStatements planned, TransactionBlock block, Statement.Analyze statement) {
        this.planned = planned;
        this.block = block;
        this.statement = statement;
        this.catalog = block.catalog();
        this.statistics = planned.database().catalog().statistics();
        this.random = new SplittableRandom(planned.database().nextSeed());
    }

    /// Outside of a block each table is a transaction.
    Result run() {
        if (statement.isVacuum() && block.isBlock()) {
            throw new SqlException(
                    SqlState.ACTIVE_TRANSACTION,
                    "VACUUM cannot run inside a transaction block",
                    statement.position());
        }
        List<Target> targets = targets();
        if (statement.isAnalyze() && !targets.isEmpty() && !isReady()) {
            targets = List.of();
        }
        for (Target target : targets) {
            Learned learned = planned.retryConflicts(() -> run(target));
            if (!learned.equals(Learned.NOTHING)) {
                done(target, learned);
            }
        }
        return ListResult.done(statement.isVacuum() ? "VACUUM" : "ANALYZE", notices);
    }

    /// All tables are found before the first one is read.
    private List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (Statement.AnalyzedTable each : statement.targets()) {
            Name name = each.table();
            SqlTable table = catalog.find(catalog.resolve(name.text()));
            if (table != null) {
                List<SqlColumn> _ = columns(table, each.columns());
                targets.add(new Target(table.name(), each.columns(), name.position()));
            } else if (catalog.system().relation(name.text()) == null) {
                throw new SqlException(
                        SqlState.UNDEFINED_TABLE,
                        "relation \"" + name.text() + "\" does not exist",
                        name.position());
            }
        }
        if (statement.targets().isEmpty()) {
            for (SqlTable table : catalog.tables()) {
                targets.add(new Target(table.name(), List.of(), statement.position()));
            }
        }
        return targets;
    }

    private static List<SqlColumn> columns(SqlTable table, List<Name> names) {
        if (names.isEmpty()) {
            return table.columns().stream().filter(column -> !column.isHidden()).toList();
        }
        List<SqlColumn> columns = new ArrayList<>();
        Set<String> known = new HashSet<>();
        for (Name name : names) {
            int number = table.columnNumber(name.text());
            if (number < 0) {
                throw new SqlException(
                        SqlState.UNDEFINED_COLUMN,
                        "column \"%s\" of relation \"%s\" does not exist"
                                .formatted(name.text(), table.name()),
                        name.position());
            }
            if (!known.add(name.text())) {
                throw new SqlException(
                        SqlState.DUPLICATE_COLUMN,
                        "column \"%s\" of relation \"%s\" appears more than once"
                                .formatted(name.text(), table.name()),
                        name.position());
            }
            columns.add(table.columns().get(number));
        }
        return columns;
    }

    /// Makes the hidden table, if there is none yet: a schema change, which waits for
    /// all transactions.
    ///
    /// @return whether there is one
    private boolean isReady() {
        if (statistics.isMade()) {
            return true;
        }
        if (block.isRunning()) {
            notices.add(
                    Notice.warning(
                            "nothing is analyzed: the first ANALYZE of a database cannot run inside a"
                                    + " transaction block"));
            return false;
        }
        planned.database()
                .changeSchema(
                        Settings.SCHEMA_WAIT_MILLIS,
                        planned::stepAside,
                        () -> StatisticsTable.make(planned.database().engine()));
        return true;
    }

    private Learned run(Target target) {
        Transaction transaction = block.transaction();
        SqlTable table = catalog.find(target.table);
        if (table == null) {
            return Learned.NOTHING; // dropped since
        }
        if (!planned.authority().isOwner(table.ownership())) {
            String verb = statement.isVacuum() ? "vacuum" : "analyze";
            notices.add(
                    Notice.warning(
                            "skipping \"%s\" --- only table or database owner can %s it"
                                    .formatted(table.name(), verb)));
            return Learned.NOTHING;
        }
        return statement.isAnalyze() ? analyze(transaction, table, target) : Learned.NOTHING;
    }

    private Learned analyze(Transaction transaction, SqlTable table, Target target) {
        List<SqlColumn> columns = columns(table, target.columns);
        long expected = table.stored().estimatedRows();
        TableSample sample =
                new TableSample(
                        columns.stream().map(SqlColumn::name).toList(),
                        columns.stream().map(SqlColumn::type).toList(),
                        random);
        QueryPlan plan = plan(table, columns, target.position);
        Execution execution = planned.execution(transaction, NO_PARAMETERS, false);
        try (TupleCursor cursor = execution.open(plan)) {
            for (@Nullable Object @Nullable [] tuple = cursor.next();
                    tuple != null;
                    tuple = cursor.next()) {
                sample.add(tuple);
            }
        }
        StatisticsTable kept = statistics;
        TableStatistics learned = sample.statistics(expected);
        TableStatistics before = kept.of(table.name()).statistics();
        TableStatistics all =
                before == null || target.columns.isEmpty() ? learned : before.with(learned);
        return new Learned(kept.store(transaction, table.name(), all), all, sample.rows());
    }

    /// What was learned is committed, or a part of the block.
    private void done(Target target, Learned learned) {
        if (block.isBlock()) {
            statistics.watch(target.table);
        } else {
            statistics.publish(target.table, learned.version, learned.statistics);
        }
        if (statement.isVerbose()) {
            notices.add(
                    Notice.notice(
                            "\"%s\": %,d rows were read".formatted(target.table, learned.rows)));
        }
    }

    private QueryPlan plan(SqlTable table, List<SqlColumn> columns, Position position) {
        List<Query.Item> items = new ArrayList<>();
        for (SqlColumn column : columns) {
            Expression name =
                    new Expression.ColumnName(null, new Name(column.name(), position), position);
            items.add(new Query.Value(name, null, position));
        }
        Query.Source source =
                new Query.TableSource(new Name(table.name(), position), null, List.of(), position);
        Query.Select select =
                new Query.Select(false, items, List.of(source), null, List.of(), null, position);
        Query query = new Query(select, List.of(), null, null, false, position);
        return new Planner(new BindContext(catalog, new ParameterTypes())).plan(query);
    }
}
