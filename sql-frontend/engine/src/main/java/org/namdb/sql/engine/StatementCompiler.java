package org.namdb.sql.engine;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.bind.Variables;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.change.ChangePlan;
import org.namdb.sql.engine.change.ConstraintBinder;
import org.namdb.sql.engine.change.DeletePlan;
import org.namdb.sql.engine.change.InsertPlan;
import org.namdb.sql.engine.change.TableConstraints;
import org.namdb.sql.engine.change.UpdatePlan;
import org.namdb.sql.engine.change.WithPlan;
import org.namdb.sql.engine.expression.ParameterTypes;
import org.namdb.sql.engine.expression.aggregate.Aggregates;
import org.namdb.sql.engine.expression.function.Functions;
import org.namdb.sql.engine.plan.OutputColumn;
import org.namdb.sql.engine.plan.Planner;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.procedure.JarStore;
import org.namdb.sql.engine.procedure.ProcedureCatalog;
import org.namdb.sql.engine.procedure.ProcedureVersion;
import org.namdb.sql.engine.statistics.StatisticsTable;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.parser.NormalizedStatement;
import org.namdb.sql.language.parser.SqlParser;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.SqlType;

/// Parses and plans statements, and keeps the plans; shared by all sessions of a database. A plan
/// is made again when the schema has changed, or a table has many times the rows.
final class StatementCompiler {
    private static final int MAX_PLANS = 1000;

    /// Longer texts are not kept: they are loads of data, that are run once.
    private static final int MAX_KEPT = 16 << 10;

    /// Of a plan that is made again each time, as it shows tables of which other compute servers
    /// may make more.
    private static final long NO_VERSION = -1;

    private final SqlCatalog catalog;

    /// Caches are maintained on the thread that uses them: a database has no threads but its
    /// host's.
    private final Cache<PlanKey, CompiledStatement> plans =
            Caffeine.newBuilder().maximumSize(MAX_PLANS).executor(Runnable::run).build();

    /// By identity: a table of another version of the schema is another object.
    private final Cache<SqlTable, TableConstraints> constraints =
            Caffeine.newBuilder().weakKeys().executor(Runnable::run).build();

    private final ProcedureCatalog procedures;

    private final JarStore jars;

    StatementCompiler(SqlCatalog catalog, ProcedureCatalog procedures, JarStore jars) {
        this.catalog = catalog;
        this.procedures = procedures;
        this.jars = jars;
    }

    /// What a plan depends on, in addition to the schema.
    private record PlanKey(String text, List<SqlType> declared) {}

    /// The statement of a text, from an earlier time if it was kept and nothing has changed.
    ///
    /// @param declared the types of its first parameters; UNKNOWN for one that the statement itself
    ///     determines
    /// @param open the transaction that the session has open; null for none
    CompiledStatement compile(String text, List<SqlType> declared, @Nullable Transaction open) {
        PlanKey key = new PlanKey(text, List.copyOf(declared));
        CompiledStatement kept = plans.getIfPresent(key);
        if (kept != null) {
            return current(kept, open);
        }
        CompiledStatement compiled = compile(text, SqlParser.parseOne(text), declared, open);
        if (compiled.isPlanned() && text.length() <= MAX_KEPT) {
            plans.put(key, compiled);
        }
        return compiled;
    }

    /// The same, with another plan if the schema has changed.
    ///
    /// @param open the transaction that the session has open; null for none
    CompiledStatement current(CompiledStatement compiled, @Nullable Transaction open) {
        if (open != null) {
            refreshStatistics(compiled, open);
        }
        if (!compiled.isPlanned() || isCurrent(compiled)) {
            return compiled;
        }
        CompiledStatement again =
                compile(compiled.text(), compiled.statement(), compiled.declared(), open);
        plans.asMap()
                .computeIfPresent(
                        new PlanKey(compiled.text(), compiled.declared()), (key, old) -> again);
        return again;
    }

    /// Whether the plan of a routine's statement suits the schema and the tables as they are now.
    boolean isCurrent(CompiledStatement compiled, Transaction open) {
        refreshStatistics(compiled, open);
        return isCurrent(compiled);
    }

    private boolean isCurrent(CompiledStatement compiled) {
        CallPlan call = compiled.call();
        return compiled.schemaVersion() == catalog.version()
                && !compiled.isOutgrown()
                && (call == null || call.version().equals(procedures.find(call.version().name())));
    }

    /// Plans a statement that was parsed.
    ///
    /// @param declared the types of its first parameters
    /// @param open the transaction that the session has open; null for none
    CompiledStatement compile(
            String text, Statement statement, List<SqlType> declared, @Nullable Transaction open) {
        return compile(text, statement, declared, Variables.NONE, open);
    }

    /// Plans a statement that was parsed.
    ///
    /// @param declared the types of its first parameters
    /// @param variables those of the routine that it is of
    /// @param open the transaction that the session has open; null for none
    CompiledStatement compile(
            String text,
            Statement statement,
            List<SqlType> declared,
            Variables variables,
            @Nullable Transaction open) {
        long version = catalog.version();
        try {
            return compile(text, statement, declared, variables, open, version);
        } catch (SqlException e) {
            // A name that is not there may be one that another compute server has just made.
            if (!e.state().code().startsWith("42") || !catalog.isChangedSince(version)) {
                throw e.inText(text);
            }
        }
        version = catalog.version();
        try {
            return compile(text, statement, declared, variables, open, version);
        } catch (SqlException e) {
            throw e.inText(text);
        }
    }

    private CompiledStatement compile(
            String text,
            Statement statement,
            List<SqlType> declared,
            Variables variables,
            @Nullable Transaction open,
            long version) {
        ParameterTypes parameters = new ParameterTypes(declared);
        BindContext context = new BindContext(catalog, parameters, variables);
        QueryPlan query = null;
        ChangePlan change = null;
        CallPlan call = call(statement, context, open);
        if (call != null) {
            // planned
        } else if (statement instanceof Statement.Select select) {
            query = new Planner(context).plan(select.query());
        } else if (statement instanceof Statement.DeclareCursor cursor) {
            query = new Planner(context).plan(cursor.query());
        } else if (statement instanceof Statement.With with) {
            change = WithPlan.plan(with, context, this::constraints, catalog);
        } else if (statement instanceof Statement.Insert insert) {
            change = InsertPlan.plan(insert, context, this::constraints);
        } else if (statement instanceof Statement.Update update) {
            change = UpdatePlan.plan(update, context, this::constraints);
        } else if (statement instanceof Statement.Delete delete) {
            change = DeletePlan.plan(delete, context, this::constraints);
        }
        boolean isOfSession =
                context.changesSession()
                        && !context.hasEffect()
                        && query != null
                        && context.usedTables().isEmpty()
                        && !context.usesSystem()
                        && !context.callsRoutine();
        return new CompiledStatement(
                text,
                NormalizedStatement.of(text, statement.position()),
                statement,
                query,
                change,
                call,
                declared,
                types(parameters),
                call == null ? columns(query, change) : call.columns(),
                new RequiredRights(context),
                context.usesSystem() ? NO_VERSION : version,
                context.usedTables().stream().map(this::planned).toList(),
                context.callsRoutine(),
                context.hasEffect() || context.changesSession() && !isOfSession,
                isOfSession);
    }

    private CompiledStatement.PlannedTable planned(SqlTable table) {
        StatisticsTable.Known known = catalog.statistics().of(table.name());
        return new CompiledStatement.PlannedTable(
                table, table.stored().estimatedRows(), known, known.statistics());
    }

    /// Reads the statistics that others may have made of the tables of a plan.
    private void refreshStatistics(CompiledStatement compiled, Transaction open) {
        StatisticsTable statistics = catalog.statistics();
        List<CompiledStatement.PlannedTable> tables = compiled.tables();
        for (int i = 0; i < tables.size(); i++) {
            CompiledStatement.PlannedTable planned = tables.get(i);
            if (statistics.isStale(planned.known())) {
                refreshStatistics(planned.table(), open);
            }
        }
        if (compiled.isPlanned() && compiled.schemaVersion() == NO_VERSION) {
            // It shows those of all tables, and right ones.
            for (SqlTable table : catalog.tables()) {
                if (statistics.mayHaveChanged(statistics.of(table.name()))) {
                    refreshStatistics(table, open);
                }
            }
        }
    }

    private void refreshStatistics(SqlTable table, Transaction open) {
        Map<String, SqlType> types = new HashMap<>();
        table.columns().forEach(column -> types.put(column.name(), column.type()));
        catalog.statistics().refresh(open, table.name(), types);
    }

    /// The plan of a call; null if the statement is none.
    private @Nullable CallPlan call(
            Statement statement, BindContext context, @Nullable Transaction open) {
        Statement.Call call = CallPlan.callOf(statement);
        if (call == null) {
            return null;
        }
        Statement.Select select = statement instanceof Statement.Select query ? query : null;
        jars.refreshIfStale(open);
        String name = call.procedure().text();
        boolean isBuiltin =
                select != null && (Functions.isFunction(name) || Aggregates.isAggregate(name));
        ProcedureVersion version = isBuiltin ? procedures.java(name) : procedures.find(name);
        if (version == null) {
            if (select != null) {
                return null; // a function, or nothing
            }
            throw CallPlan.undefined(call.procedure());
        }
        return CallPlan.plan(call, version, new Planner(context), select);
    }

    private static List<ResultColumn> columns(
            @Nullable QueryPlan query, @Nullable ChangePlan change) {
        List<OutputColumn> columns = List.of();
        if (query != null) {
            columns = query.columns();
        } else if (change != null) {
            columns = change.columns();
        }
        return columns.stream().map(c -> new ResultColumn(c.name(), c.type())).toList();
    }

    /// The constraints of a table, bound once.
    TableConstraints constraints(SqlTable table) {
        TableConstraints known = constraints.getIfPresent(table);
        if (known == null) {
            // Not by the cache itself, which would hold a lock of its own while the catalog is
            // read.
            known = ConstraintBinder.bind(table, catalog);
            constraints.put(table, known);
        }
        return known;
    }

    /// The parameters' types; TEXT where nothing determines one.
    private static List<SqlType> types(ParameterTypes parameters) {
        parameters.inferRest(SqlType.TEXT);
        return parameters.resolved();
    }
}
