package org.namdb.sql.language.ast;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.RoutineStatement.TypeReference;

/// A statement of PL/pgSQL. Lines are those of the routine's body, from 1.
public sealed interface PlpgsqlStatement {
    /// The line in which it begins.
    int line();

    /// SQL within a statement: an expression, or a query or a change of rows.
    ///
    /// @param text as written, without INTO
    /// @param expression null if it is none alone, as `count(*) FROM t`
    /// @param statement what it is then: of `count(*) FROM t` that with SELECT before it; null for
    ///     an expression
    record Sql(
            String text,
            @Nullable Expression expression,
            @Nullable Statement statement,
            int line) {}

    /// A variable, or a field of a record: what assignments and INTO name.
    ///
    /// @param path the parts of its name; `$1` of a parameter
    record Target(List<String> path, int line) {
        public Target {
            path = List.copyOf(path);
        }

        @Override
        public String toString() {
            return String.join(".", path);
        }
    }

    /// Where the rows of a statement go.
    ///
    /// @param targets one record, or variables and fields; empty without INTO
    /// @param isStrict whether there must be exactly one row
    record Into(List<Target> targets, boolean isStrict) {
        /// Without INTO.
        public static final Into NOTHING = new Into(List.of(), false);

        public Into {
            targets = List.copyOf(targets);
        }
    }

    /// `[<<label>>] [DECLARE ..] BEGIN .. [EXCEPTION ..] END`.
    ///
    /// @param label null if it has none
    record Block(
            @Nullable String label,
            List<Declaration> declarations,
            List<PlpgsqlStatement> body,
            List<Handler> handlers,
            int line)
            implements PlpgsqlStatement {
        public Block {
            declarations = List.copyOf(declarations);
            body = List.copyOf(body);
            handlers = List.copyOf(handlers);
        }
    }

    /// A variable's declaration; `name ALIAS FOR other` has no type.
    ///
    /// @param type null of an alias
    /// @param alias what it is another name of; null of a variable
    record Declaration(
            String name,
            boolean isConstant,
            @Nullable TypeReference type,
            boolean isNotNull,
            @Nullable Sql defaultValue,
            @Nullable Target alias,
            int line) {}

    /// `WHEN conditions THEN ..`.
    ///
    /// @param conditions names in lower case, `others`, or a SQLSTATE's five characters
    record Handler(List<String> conditions, List<PlpgsqlStatement> body, int line) {
        public Handler {
            conditions = List.copyOf(conditions);
            body = List.copyOf(body);
        }
    }

    /// `target := value`.
    record Assign(Target target, Sql value, int line) implements PlpgsqlStatement {}

    /// A condition, and what is done if it holds.
    record Branch(Sql condition, List<PlpgsqlStatement> body) {
        public Branch {
            body = List.copyOf(body);
        }
    }

    /// `IF .. THEN .. [ELSIF .. THEN ..] [ELSE ..] END IF`.
    record If(List<Branch> branches, List<PlpgsqlStatement> otherwise, int line)
            implements PlpgsqlStatement {
        public If {
            branches = List.copyOf(branches);
            otherwise = List.copyOf(otherwise);
        }
    }

    /// `CASE [operand] WHEN .. THEN .. [ELSE ..] END CASE`.
    ///
    /// @param operand null of a searched CASE
    /// @param otherwise null without ELSE
    record Case(
            @Nullable Sql operand,
            List<Choice> choices,
            @Nullable List<PlpgsqlStatement> otherwise,
            int line)
            implements PlpgsqlStatement {
        public Case {
            choices = List.copyOf(choices);
        }
    }

    /// `WHEN values THEN ..`: conditions in a searched CASE.
    record Choice(List<Sql> values, List<PlpgsqlStatement> body) {
        public Choice {
            values = List.copyOf(values);
            body = List.copyOf(body);
        }
    }

    /// A loop. Each may have a label for EXIT and CONTINUE.
    sealed interface Looping extends PlpgsqlStatement {
        @Nullable String label();

        List<PlpgsqlStatement> body();
    }

    /// `LOOP .. END LOOP`, or `WHILE condition LOOP .. END LOOP`.
    ///
    /// @param condition null of LOOP
    record Loop(
            @Nullable String label, @Nullable Sql condition, List<PlpgsqlStatement> body, int line)
            implements Looping {
        public Loop {
            body = List.copyOf(body);
        }
    }

    /// `FOR name IN [REVERSE] from .. to [BY step] LOOP .. END LOOP`.
    ///
    /// @param step null for 1
    record ForRange(
            @Nullable String label,
            String variable,
            boolean isReverse,
            Sql from,
            Sql to,
            @Nullable Sql step,
            List<PlpgsqlStatement> body,
            int line)
            implements Looping {
        public ForRange {
            body = List.copyOf(body);
        }
    }

    /// `FOR targets IN query LOOP .. END LOOP`.
    record ForQuery(
            @Nullable String label,
            List<Target> targets,
            Rows rows,
            List<PlpgsqlStatement> body,
            int line)
            implements Looping {
        public ForQuery {
            targets = List.copyOf(targets);
            body = List.copyOf(body);
        }
    }

    /// `FOREACH target IN ARRAY array LOOP .. END LOOP`.
    record ForEach(
            @Nullable String label, Target target, Sql array, List<PlpgsqlStatement> body, int line)
            implements Looping {
        public ForEach {
            body = List.copyOf(body);
        }
    }

    /// Where rows come from.
    sealed interface Rows {}

    /// A query.
    record Query(Sql query) implements Rows {}

    /// `EXECUTE text [USING values]`: a statement that is made when it is run.
    record Dynamic(Sql text, List<Sql> using) implements Rows {
        public Dynamic {
            using = List.copyOf(using);
        }
    }

    /// `EXIT | CONTINUE [label] [WHEN condition]`.
    record Exit(boolean isContinue, @Nullable String label, @Nullable Sql condition, int line)
            implements PlpgsqlStatement {}

    /// `RETURN [value]`.
    record Return(@Nullable Sql value, int line) implements PlpgsqlStatement {}

    /// `RETURN NEXT [value]`.
    record ReturnNext(@Nullable Sql value, int line) implements PlpgsqlStatement {}

    /// `RETURN QUERY query`, or `RETURN QUERY EXECUTE ..`.
    record ReturnQuery(Rows rows, int line) implements PlpgsqlStatement {}

    /// `RAISE [level] [format, values | condition] [USING options]`; RAISE alone raises the error
    /// again that is handled.
    ///
    /// @param level in lower case
    /// @param condition a name or a SQLSTATE; null if there is none
    /// @param format null if there is none
    record Raise(
            String level,
            @Nullable String condition,
            @Nullable String format,
            List<Sql> values,
            List<RaiseOption> options,
            int line)
            implements PlpgsqlStatement {
        public Raise {
            values = List.copyOf(values);
            options = List.copyOf(options);
        }
    }

    /// `MESSAGE = value` and its kin, by name in lower case.
    record RaiseOption(String name, Sql value) {}

    /// `ASSERT condition [, message]`.
    record Assertion(Sql condition, @Nullable Sql message, int line) implements PlpgsqlStatement {}

    /// A statement of SQL.
    record Execute(Sql sql, Into into, int line) implements PlpgsqlStatement {}

    /// `PERFORM query`: a query whose rows are dropped.
    record Perform(Sql query, int line) implements PlpgsqlStatement {}

    /// `EXECUTE text [INTO targets] [USING values]`.
    record ExecuteDynamic(Dynamic statement, Into into, int line) implements PlpgsqlStatement {}

    /// `GET [STACKED] DIAGNOSTICS target = item, ..`.
    ///
    /// @param isStacked whether it is about the error that is handled
    record Diagnostics(boolean isStacked, List<DiagnosticItem> items, int line)
            implements PlpgsqlStatement {
        public Diagnostics {
            items = List.copyOf(items);
        }
    }

    /// One item by its name in lower case.
    record DiagnosticItem(Target target, String name) {}

    /// `NULL`.
    record Nothing(int line) implements PlpgsqlStatement {}

    /// `COMMIT` or `ROLLBACK`.
    record EndTransaction(boolean isCommit, int line) implements PlpgsqlStatement {}
}
