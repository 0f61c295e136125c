package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.ast.TypeName;

/// Writes trees as SQL on one line. The text, parsed again, gives the same tree, except for the
/// places. Conditions of CHECK are written as they were.
public final class SqlWriter {
    private final StringBuilder text = new StringBuilder();
    private final ExpressionWriter expressions = new ExpressionWriter(text);
    private final QueryWriter queries = expressions.queries();

    private SqlWriter() {}

    public static String write(Expression expression) {
        SqlWriter writer = new SqlWriter();
        writer.expressions.write(expression);
        return writer.text.toString();
    }

    public static String write(Statement statement) {
        SqlWriter writer = new SqlWriter();
        writer.statement(statement);
        return writer.text.toString();
    }

    private void statement(Statement statement) {
        switch (statement) {
            case DdlStatement d -> new DdlWriter(text, expressions).write(d);
            case Statement.Select s -> queries.write(s.query());
            case Statement.With w -> with(w);
            case Statement.Insert i -> insert(i);
            case Statement.Update u -> update(u);
            case Statement.Delete d -> delete(d);
            case Statement.Begin b -> begin(b);
            case Statement.Commit c -> text.append(c.isChained() ? "COMMIT AND CHAIN" : "COMMIT");
            case Statement.Rollback r ->
                    text.append(r.isChained() ? "ROLLBACK AND CHAIN" : "ROLLBACK");
            case Statement.Savepoint s -> named("SAVEPOINT ", s.name());
            case Statement.RollbackTo r -> named("ROLLBACK TO SAVEPOINT ", r.name());
            case Statement.Release r -> named("RELEASE SAVEPOINT ", r.name());
            case Statement.SetVariable s -> set(s);
            case Statement.Show s -> setting("SHOW ", s.name());
            case Statement.Prepare p -> prepare(p);
            case Statement.Execute e -> execute(e);
            case Statement.Call c -> call(c);
            case Statement.Do d ->
                    text.append("DO LANGUAGE ")
                            .append(d.language())
                            .append(' ')
                            .append(RoutineWriter.quoted(d.body()));
            case Statement.SetConstraints _ -> text.append("SET CONSTRAINTS ALL IMMEDIATE");
            case Statement.Discard d ->
                    text.append("DISCARD ").append(d.what().toUpperCase(Locale.ROOT));
            case Statement.Deallocate d -> {
                if (d.name() == null) {
                    text.append("DEALLOCATE ALL");
                } else {
                    named("DEALLOCATE PREPARE ", d.name());
                }
            }
            case Statement.DeclareCursor d -> {
                named("DECLARE ", d.name());
                text.append(d.isForwardOnly() ? " NO SCROLL CURSOR" : " CURSOR")
                        .append(d.isHeld() ? " WITH HOLD FOR " : " FOR ");
                queries.write(d.query());
            }
            case Statement.FetchCursor f -> {
                text.append(f.isMove() ? "MOVE " : "FETCH ").append(f.direction()).append(' ');
                text.append(f.count() == Long.MAX_VALUE ? "ALL" : String.valueOf(f.count()));
                named(" FROM ", f.name());
            }
            case Statement.CloseCursor c -> {
                if (c.name() == null) {
                    text.append("CLOSE ALL");
                } else {
                    named("CLOSE ", c.name());
                }
            }
            case Statement.Unlisten _ -> text.append("UNLISTEN *");
            case Statement.Copy c -> copy(c);
            case Statement.Analyze a -> analyze(a);
            case Statement.CreateTableAs c -> createTableAs(c);
            case Statement.Backup b -> {
                text.append("BACKUP TO ");
                expressions.string(b.directory());
            }
            case Statement.Explain e -> explain(e);
        }
    }

    private void named(String words, Name name) {
        text.append(words).append(Keywords.quoted(name.text()));
    }

    /// A setting that is called as a keyword stands in quotes, since SET has other forms too.
    private void setting(String words, Name name) {
        boolean isKeyword = Keywords.all().contains(name.text());
        text.append(words)
                .append(isKeyword ? '"' + name.text() + '"' : Keywords.quoted(name.text()));
    }

    private void with(Statement.With with) {
        String separator = "WITH ";
        for (Query.CommonTable table : with.changes()) {
            named(separator, table.name());
            if (!table.columns().isEmpty()) {
                text.append(' ');
                queries.names(table.columns());
            }
            if (table.query().body() instanceof Query.Returned returned) {
                text.append(" AS (");
                statement(returned.change());
                text.append(')');
            }
            separator = ", ";
        }
        text.append(' ');
        statement(with.statement());
    }

    private void insert(Statement.Insert insert) {
        named("INSERT INTO ", insert.table());
        as(insert.alias());
        if (!insert.columns().isEmpty()) {
            text.append(' ');
            queries.names(insert.columns());
        }
        if (insert.overriding() != null) {
            text.append(" OVERRIDING ").append(insert.overriding().name()).append(" VALUE");
        }
        if (insert.source() == null) {
            text.append(" DEFAULT VALUES");
        } else {
            text.append(' ');
            queries.write(insert.source());
        }
        if (insert.onConflict() != null) {
            onConflict(insert.onConflict());
        }
        returning(insert.returning());
    }

    private void as(@Nullable Name alias) {
        if (alias != null) {
            named(" AS ", alias);
        }
    }

    private void onConflict(Statement.OnConflict conflict) {
        text.append(" ON CONFLICT ");
        if (!conflict.columns().isEmpty()) {
            queries.names(conflict.columns());
            text.append(' ');
        }
        if (conflict.constraint() != null) {
            named("ON CONSTRAINT ", conflict.constraint());
            text.append(' ');
        }
        if (conflict.sets().isEmpty()) {
            text.append("DO NOTHING");
            return;
        }
        text.append("DO UPDATE");
        assignments(conflict.sets());
        queries.clause(" WHERE ", conflict.where());
    }

    private void assignments(List<Statement.Assignment> sets) {
        String separator = " SET ";
        for (int i = 0; i < sets.size(); i++) {
            Statement.Assignment set = sets.get(i);
            if (set.field() < 0) {
                named(separator, set.column());
            } else {
                List<Name> columns = new ArrayList<>();
                columns.add(set.column());
                while (i + 1 < sets.size() && sets.get(i + 1).field() > 0) {
                    i++;
                    columns.add(sets.get(i).column());
                }
                text.append(separator);
                queries.names(columns);
            }
            text.append(" = ");
            expressions.write(set.value());
            separator = ", ";
        }
    }

    private void returning(List<Query.Item> items) {
        if (!items.isEmpty()) {
            text.append(" RETURNING ");
            queries.items(items);
        }
    }

    private void update(Statement.Update update) {
        named("UPDATE ", update.table());
        as(update.alias());
        assignments(update.sets());
        queries.from(" FROM ", update.from());
        queries.clause(" WHERE ", update.where());
        returning(update.returning());
    }

    private void delete(Statement.Delete delete) {
        named("DELETE FROM ", delete.table());
        as(delete.alias());
        queries.from(" USING ", delete.using());
        queries.clause(" WHERE ", delete.where());
        returning(delete.returning());
    }

    private void begin(Statement.Begin begin) {
        text.append(begin.isStart() ? begin.tag() : "SET TRANSACTION");
        if (begin.isolation() != null) {
            text.append(" ISOLATION LEVEL ").append(begin.isolation().toUpperCase(Locale.ROOT));
        }
        if (begin.isReadOnly() != null) {
            text.append(begin.isReadOnly() ? " READ ONLY" : " READ WRITE");
        }
        if (!begin.isStart() && begin.isolation() == null && begin.isReadOnly() == null) {
            // All that it can have been.
            text.append(" NOT DEFERRABLE");
        }
    }

    private void set(Statement.SetVariable set) {
        if (set.isReset()) {
            setting("RESET ", set.name());
            return;
        }
        setting(set.isLocal() ? "SET LOCAL " : "SET ", set.name());
        text.append(" TO ");
        if (set.value() == null) {
            text.append("DEFAULT");
        } else {
            expressions.string(set.value());
        }
    }

    private void prepare(Statement.Prepare prepare) {
        named("PREPARE ", prepare.name());
        String separator = " (";
        for (TypeName type : prepare.parameterTypes()) {
            text.append(separator);
            expressions.type(type);
            separator = ", ";
        }
        text.append(prepare.parameterTypes().isEmpty() ? " AS " : ") AS ");
        statement(prepare.statement());
    }

    private void execute(Statement.Execute execute) {
        named("EXECUTE ", execute.name());
        if (!execute.arguments().isEmpty()) {
            text.append(" (");
            expressions.list(execute.arguments());
            text.append(')');
        }
    }

    private void call(Statement.Call call) {
        text.append("CALL ");
        expressions.functionName(call.procedure().text());
        text.append('(');
        expressions.list(call.arguments());
        text.append(')');
    }

    private void copy(Statement.Copy copy) {
        text.append("COPY ");
        if (copy.table() != null) {
            named("", copy.table());
        }
        if (copy.query() != null) {
            queries.writeInParentheses(copy.query());
        }
        if (!copy.columns().isEmpty()) {
            text.append(' ');
            queries.names(copy.columns());
        }
        text.append(copy.isFrom() ? " FROM " : " TO ");
        if (copy.file() == null) {
            text.append(copy.isFrom() ? "STDIN" : "STDOUT");
        } else {
            expressions.string(copy.file());
        }
        String separator = " WITH (";
        for (Map.Entry<String, String> option : new TreeMap<>(copy.options()).entrySet()) {
            text.append(separator).append(option.getKey()).append(' ');
            expressions.string(option.getValue());
            separator = ", ";
        }
        text.append(copy.options().isEmpty() ? "" : ")");
    }

    private void createTableAs(Statement.CreateTableAs create) {
        text.append(create.temporary() == null ? "CREATE TABLE " : "CREATE TEMPORARY TABLE ");
        text.append(create.ifNotExists() ? "IF NOT EXISTS " : "");
        text.append(Keywords.quoted(create.table().text()));
        if (!create.columns().isEmpty()) {
            text.append(' ');
            queries.names(create.columns());
        }
        DdlWriter table = new DdlWriter(text, expressions);
        table.options(create.options());
        table.onCommit(create.temporary());
        text.append(" AS ");
        queries.write(create.query());
        text.append(create.withData() ? "" : " WITH NO DATA");
    }

    private void analyze(Statement.Analyze analyze) {
        text.append(analyze.isVacuum() ? "VACUUM" : "ANALYZE");
        text.append(analyze.isVerbose() ? " VERBOSE" : "");
        text.append(analyze.isVacuum() && analyze.isAnalyze() ? " ANALYZE" : "");
        String separator = " ";
        for (Statement.AnalyzedTable target : analyze.targets()) {
            named(separator, target.table());
            if (!target.columns().isEmpty()) {
                text.append(' ');
                queries.names(target.columns());
            }
            separator = ", ";
        }
    }

    private void explain(Statement.Explain explain) {
        text.append("EXPLAIN ");
        if (explain.isAnalyze()) {
            text.append("ANALYZE ");
        }
        if (explain.showsVerbs()) {
            text.append("VERBS ");
        }
        statement(explain.statement());
    }
}
