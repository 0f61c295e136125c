package org.namdb.sql.engine.plpgsql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.catalog.Tables;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.PlpgsqlStatement;
import org.namdb.sql.language.ast.PlpgsqlStatement.Block;
import org.namdb.sql.language.ast.PlpgsqlStatement.Sql;
import org.namdb.sql.language.ast.PlpgsqlStatement.Target;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.PlpgsqlParser;
import org.namdb.sql.language.parser.SqlParser;
import org.namdb.sql.language.type.RecordType;
import org.namdb.sql.language.type.SqlType;

/// Makes a [Program] of a routine's body: gives each variable a slot, and each name of a variable,
/// a label and a type its meaning. The meaning of SQL is found when it runs first.
public final class ProgramBuilder {
    /// What a CASE compares; no variable is called so.
    private static final String OPERAND = "case operand";

    private final Routine routine;
    private final VariableTypes types;
    private final RoutineResult result;
    private final Program program;
    private final List<Variable> parameters = new ArrayList<>();
    private int slots;
    private @Nullable Names names;
    private @Nullable Label label;

    private ProgramBuilder(Routine routine, String conflicts, Tables tables) {
        this.routine = routine;
        this.types = new VariableTypes(tables);
        List<Variable> inputs = new ArrayList<>();
        List<Variable> outputs = new ArrayList<>();
        List<Routine.Parameter> all = new ArrayList<>(routine.inputs());
        routine.parameters().stream().filter(each -> !each.isInput()).forEach(all::add);
        for (Routine.Parameter each : all) {
            Variable variable =
                    declare(
                            each.name() == null ? "" : each.name(),
                            routine.name(),
                            each.type(),
                            null,
                            false,
                            false);
            parameters.add(variable);
            if (each.isInput()) {
                inputs.add(variable);
            }
        }
        for (Routine.Parameter each : routine.outputs()) {
            outputs.add(parameters.get(all.indexOf(each)));
        }
        int found = declare("found", null, SqlType.BOOLEAN, null, false, false).slot();
        // The parameters hide it.
        for (int i = 0; i < parameters.size(); i++) {
            names = new Names(parameters.get(i), names);
        }
        this.result = result(outputs);
        this.program = new Program(routine, result, conflicts, inputs, found);
    }

    private RoutineResult result(List<Variable> outputs) {
        String table = routine.rowTable();
        if (table != null) {
            return new RoutineResult(types.rowOf(table), routine.isSet(), List.of(), true);
        }
        List<String> columns = new ArrayList<>();
        List<SqlType> columnTypes = new ArrayList<>();
        for (RecordType.Column column : routine.columns()) {
            columns.add(column.name());
            columnTypes.add(column.type());
        }
        return new RoutineResult(
                new RowShape(columns, columnTypes), routine.isSet(), outputs, outputs.size() > 1);
    }

    /// Makes the program of a routine.
    ///
    /// @throws SqlException 42601 if its body can't be read, 42704 if a type is unknown, and others
    public static Program build(Routine routine, Tables tables) {
        if (routine.language().equals(Program.SQL)) {
            ProgramBuilder builder = new ProgramBuilder(routine, "use_column", tables);
            Step first = builder.statements();
            builder.program.complete(builder.slots, first);
            return builder.program;
        }
        PlpgsqlParser.Body body = PlpgsqlParser.parse(routine.body());
        ProgramBuilder builder = new ProgramBuilder(routine, body.conflicts(), tables);
        Step first = builder.step(body.block());
        builder.program.complete(builder.slots, first);
        return builder.program;
    }

    /// The statements of a function in SQL: the last one gives the result.
    private Step statements() {
        List<Statement> all = SqlParser.parse(routine.body());
        Step[] steps = new Step[all.size()];
        for (int i = 0; i < steps.length; i++) {
            Statement each = all.get(i);
            SqlCode code = new SqlCode(routine.body(), each, names, false);
            boolean isLast = i == steps.length - 1;
            if (each instanceof Statement.Call) {
                steps[i] = new SqlSteps.Call(i + 1, code, names);
            } else if (isLast && !result.isVoid() && givesRows(each)) {
                steps[i] = new SqlSteps.LastQuery(i + 1, new SqlSteps.Written(code), result);
            } else {
                steps[i] =
                        new SqlSteps.Execute(
                                i + 1,
                                "PERFORM",
                                new SqlSteps.Written(code),
                                new Destination(names, List.of()),
                                false,
                                true);
            }
        }
        boolean returns = steps.length > 0 && steps[steps.length - 1] instanceof SqlSteps.LastQuery;
        if (!result.isVoid() && !returns) {
            throw new SqlException(
                            SqlState.INVALID_FUNCTION_DEFINITION,
                            "return type mismatch in function " + routine.signature())
                    .withDetail(
                            "Function's final statement must be SELECT or INSERT/UPDATE/DELETE"
                                    + " RETURNING.");
        }
        label = new Label(null, false, null);
        return new ControlSteps.Block(1, label, List.of(), steps, List.of(), 0);
    }

    private static boolean givesRows(Statement statement) {
        return switch (statement) {
            case Statement.Select _ -> true;
            case Statement.With with -> givesRows(with.statement());
            case Statement.Insert insert -> !insert.returning().isEmpty();
            case Statement.Update update -> !update.returning().isEmpty();
            case Statement.Delete delete -> !delete.returning().isEmpty();
            default -> false;
        };
    }

    private Variable declare(
            String name,
            @Nullable String of,
            @Nullable SqlType type,
            @Nullable RowShape shape,
            boolean isConstant,
            boolean isNotNull) {
        Variable variable = new Variable(name, of, slots++, type, shape, isConstant, isNotNull);
        names = new Names(variable, names);
        return variable;
    }

    // ---------------------------------------------------------------------------------- Blocks

    private Step block(Block block) {
        Names outerNames = names;
        label = new Label(block.label(), false, label);
        List<ControlSteps.Initial> initials = new ArrayList<>();
        Set<String> declared = new HashSet<>();
        for (PlpgsqlStatement.Declaration each : block.declarations()) {
            if (!declared.add(each.name())) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR,
                        "duplicate declaration at or near \"" + each.name() + '"');
            }
            ControlSteps.Initial initial = declaration(each, block.label());
            if (initial != null) {
                initials.add(initial);
            }
        }
        Step[] body = steps(block.body());
        int stateSlot = 0;
        List<ControlSteps.Handler> handlers = new ArrayList<>();
        if (!block.handlers().isEmpty()) {
            Names inBlock = names;
            stateSlot = declare("sqlstate", null, SqlType.TEXT, null, true, false).slot();
            declare("sqlerrm", null, SqlType.TEXT, null, true, false);
            for (PlpgsqlStatement.Handler each : block.handlers()) {
                handlers.add(
                        new ControlSteps.Handler(
                                new ErrorConditions(each.conditions()), steps(each.body())));
            }
            names = inBlock;
        }
        Step step =
                new ControlSteps.Block(block.line(), label, initials, body, handlers, stateSlot);
        label = label.outer();
        names = outerNames;
        return step;
    }

    private ControlSteps.@Nullable Initial declaration(
            PlpgsqlStatement.Declaration declaration, @Nullable String of) {
        Target alias = declaration.alias();
        if (alias != null) {
            Variable variable = variable(alias);
            names =
                    new Names(
                            new Variable(
                                    declaration.name(),
                                    of,
                                    variable.slot(),
                                    variable.type(),
                                    variable.shape(),
                                    variable.isConstant(),
                                    variable.isNotNull()),
                            names);
            return null;
        }
        VariableTypes.Type type = types.of(declaration.type(), names);
        SqlValue value = SqlValue.orNull(declaration.defaultValue(), names, type.single());
        Variable variable =
                declare(
                        declaration.name(),
                        of,
                        type.single(),
                        type.shape(),
                        declaration.isConstant(),
                        declaration.isNotNull());
        return new ControlSteps.Initial(declaration.line(), variable, value);
    }

    private Variable variable(Target target) {
        String first = target.path().getFirst();
        if (first.startsWith("$")) {
            int number = first.length() > 6 ? 0 : Integer.parseInt(first.substring(1));
            if (number >= 1 && number <= routine.inputs().size()) {
                return parameters.get(number - 1);
            }
        }
        return Names.target(names, target).variable();
    }

    private Step[] steps(List<PlpgsqlStatement> statements) {
        return statements.stream().map(this::step).toArray(Step[]::new);
    }

    // ------------------------------------------------------------------------------ Statements

    private Step step(PlpgsqlStatement statement) {
        return switch (statement) {
            case Block s -> block(s);
            case PlpgsqlStatement.Assign s -> {
                Destination to = new Destination(names, List.of(s.target()));
                yield new ControlSteps.Assign(
                        s.line(), to, new SqlValue(s.value(), names, to.type()));
            }
            case PlpgsqlStatement.If s ->
                    new ControlSteps.If(
                            s.line(), "IF", branches(s.branches()), steps(s.otherwise()));
            case PlpgsqlStatement.Case s -> choice(s);
            case PlpgsqlStatement.Looping s -> loop(s);
            case PlpgsqlStatement.Exit s -> exit(s);
            case PlpgsqlStatement.Return s -> returned(s);
            case PlpgsqlStatement.ReturnNext s -> next(s);
            case PlpgsqlStatement.ReturnQuery s -> {
                requireSet("RETURN QUERY");
                yield new SqlSteps.ReturnQuery(s.line(), source(s.rows()), result);
            }
            case PlpgsqlStatement.Raise s -> raise(s);
            case PlpgsqlStatement.Assertion s ->
                    new MessageSteps.Assertion(
                            s.line(),
                            SqlValue.condition(s.condition(), names),
                            SqlValue.orNull(s.message(), names, SqlType.TEXT));
            case PlpgsqlStatement.Execute s -> execute(s);
            case PlpgsqlStatement.Perform s ->
                    new SqlSteps.Execute(
                            s.line(),
                            "PERFORM",
                            new SqlSteps.Written(SqlCode.of(s.query(), names)),
                            new Destination(names, List.of()),
                            false,
                            true);
            case PlpgsqlStatement.ExecuteDynamic s ->
                    new SqlSteps.Execute(
                            s.line(),
                            "EXECUTE",
                            source(s.statement()),
                            new Destination(names, s.into().targets()),
                            s.into().isStrict(),
                            true);
            case PlpgsqlStatement.Diagnostics s ->
                    new MessageSteps.Diagnostics(
                            s.line(),
                            s.isStacked(),
                            s.items().stream()
                                    .map(each ->
                                            new MessageSteps.Item(
                                                    new Destination(names, List.of(each.target())),
                                                    each.name()))
                                    .toList());
            case PlpgsqlStatement.Nothing s -> new ControlSteps.Nothing(s.line());
            case PlpgsqlStatement.EndTransaction s ->
                    new ControlSteps.EndTransaction(s.line(), s.isCommit());
        };
    }

    private List<ControlSteps.Branch> branches(List<PlpgsqlStatement.Branch> branches) {
        return branches.stream()
                .map(each ->
                        new ControlSteps.Branch(
                                SqlValue.condition(each.condition(), names), steps(each.body())))
                .toList();
    }

    private Step choice(PlpgsqlStatement.Case statement) {
        List<PlpgsqlStatement> last = statement.otherwise();
        Step[] otherwise = last == null ? null : steps(last);
        Sql operand = statement.operand();
        List<ControlSteps.Branch> branches = new ArrayList<>();
        if (operand == null) {
            for (PlpgsqlStatement.Choice each : statement.choices()) {
                branches.add(
                        new ControlSteps.Branch(
                                SqlValue.condition(each.values().getFirst(), names),
                                steps(each.body())));
            }
            return new ControlSteps.If(statement.line(), "CASE", branches, otherwise);
        }
        SqlValue value = new SqlValue(operand, names, null);
        Names outer = names;
        Variable variable = declare(OPERAND, null, null, null, false, false);
        for (PlpgsqlStatement.Choice each : statement.choices()) {
            branches.add(
                    new ControlSteps.Branch(
                            SqlValue.condition(comparison(each.values()), names),
                            steps(each.body())));
        }
        names = outer;
        return new ControlSteps.Case(statement.line(), value, variable, branches, otherwise);
    }

    /// Whether the operand is one of some values.
    private static Sql comparison(List<Sql> values) {
        Name name = new Name(OPERAND, Position.NONE);
        Expression operand = new Expression.ColumnName(name, name, Position.NONE);
        List<Expression> compared = new ArrayList<>();
        for (Sql each : values) {
            Expression expression = each.expression();
            if (expression == null) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR, "syntax error at or near \"" + each.text() + '"');
            }
            compared.add(expression);
        }
        Expression test = new Expression.InList(operand, compared, false, Position.NONE);
        return new Sql(values.getFirst().text(), test, null, values.getFirst().line());
    }

    private Step loop(PlpgsqlStatement.Looping statement) {
        Names outerNames = names;
        Label own = new Label(statement.label(), true, label);
        Step step =
                switch (statement) {
                    case PlpgsqlStatement.Loop s ->
                            new ControlSteps.Loop(
                                    s.line(),
                                    own,
                                    SqlValue.orNull(s.condition(), names, SqlType.BOOLEAN),
                                    body(s, own));
                    case PlpgsqlStatement.ForRange s -> range(s, own);
                    case PlpgsqlStatement.ForEach s ->
                            new ControlSteps.ForEach(
                                    s.line(),
                                    own,
                                    new Destination(names, List.of(s.target())),
                                    new SqlValue(s.array(), names, null),
                                    body(s, own));
                    case PlpgsqlStatement.ForQuery s -> {
                        SqlSteps.Source rows = source(s.rows());
                        Destination into = new Destination(names, s.targets());
                        Step[] body = body(s, own);
                        boolean mayChange = Arrays.stream(body).anyMatch(Step::mayChange);
                        yield new SqlSteps.ForQuery(s.line(), own, rows, into, body, mayChange);
                    }
                };
        names = outerNames;
        return step;
    }

    private Step[] body(PlpgsqlStatement.Looping statement, Label own) {
        label = own;
        Step[] body = steps(statement.body());
        label = own.outer();
        return body;
    }

    private Step range(PlpgsqlStatement.ForRange statement, Label own) {
        SqlValue from = new SqlValue(statement.from(), names, SqlType.INTEGER);
        SqlValue to = new SqlValue(statement.to(), names, SqlType.INTEGER);
        SqlValue step = SqlValue.orNull(statement.step(), names, SqlType.INTEGER);
        Variable variable =
                declare(
                        statement.variable(),
                        statement.label(),
                        SqlType.INTEGER,
                        null,
                        false,
                        false);
        return new ControlSteps.ForRange(
                statement.line(),
                own,
                variable,
                statement.isReverse(),
                from,
                to,
                step,
                body(statement, own));
    }

    private Step exit(PlpgsqlStatement.Exit statement) {
        String name = statement.label();
        Label found = label;
        while (found != null && (name == null ? !found.isLoop() : !name.equals(found.name()))) {
            found = found.outer();
        }
        String verb = statement.isContinue() ? "CONTINUE" : "EXIT";
        if (found == null) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    name == null
                            ? verb
                                    + " cannot be used outside a loop"
                                    + (statement.isContinue() ? "" : ", unless it has a label")
                            : "there is no label \"%s\" attached to any block or loop enclosing this statement"
                                    .formatted(name));
        }
        if (statement.isContinue() && !found.isLoop()) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "block label \"" + name + "\" cannot be used in CONTINUE");
        }
        return new ControlSteps.Exit(
                statement.line(),
                statement.isContinue(),
                found,
                SqlValue.orNull(statement.condition(), names, SqlType.BOOLEAN));
    }

    private static SqlException mismatch(String message) {
        return new SqlException(SqlState.DATATYPE_MISMATCH, message);
    }

    private Step returned(PlpgsqlStatement.Return statement) {
        Sql value = statement.value();
        if (value != null) {
            if (result.isSet()) {
                throw mismatch("RETURN cannot have a parameter in function returning set");
            }
            if (routine.isProcedure()) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR, "RETURN cannot have a parameter in a procedure");
            }
            if (result.isVoid()) {
                throw mismatch("RETURN cannot have a parameter in function returning void");
            }
            if (!result.variables().isEmpty()) {
                throw mismatch("RETURN cannot have a parameter in function with OUT parameters");
            }
        } else if (!result.isSet() && !result.isVoid() && result.variables().isEmpty()) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "missing expression at or near \";\"");
        }
        return new ControlSteps.Return(
                statement.line(), SqlValue.orNull(value, names, result.type()), result);
    }

    private void requireSet(String what) {
        if (!result.isSet()) {
            throw mismatch("cannot use " + what + " in a non-SETOF function");
        }
    }

    private Step next(PlpgsqlStatement.ReturnNext statement) {
        requireSet("RETURN NEXT");
        boolean hasVariables = !result.variables().isEmpty();
        if (hasVariables && statement.value() != null) {
            throw mismatch("RETURN NEXT cannot have a parameter in function with OUT parameters");
        }
        if (!hasVariables && statement.value() == null) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "missing expression at or near \";\"");
        }
        return new ControlSteps.ReturnNext(
                statement.line(), SqlValue.orNull(statement.value(), names, result.type()), result);
    }

    private Step raise(PlpgsqlStatement.Raise statement) {
        if (statement.condition() != null) {
            String _ = ErrorConditions.code(statement.condition());
        }
        return new MessageSteps.RaiseMessage(
                statement,
                statement.values().stream().map(each -> new SqlValue(each, names, null)).toList(),
                statement.options().stream()
                        .map(each ->
                                new MessageSteps.Option(
                                        each.name(),
                                        new SqlValue(each.value(), names, SqlType.TEXT)))
                        .toList());
    }

    private Step execute(PlpgsqlStatement.Execute statement) {
        SqlCode code = SqlCode.of(statement.sql(), names);
        if (code.statement() instanceof Statement.Call) {
            return new SqlSteps.Call(statement.line(), code, names);
        }
        return new SqlSteps.Execute(
                statement.line(),
                "SQL statement",
                new SqlSteps.Written(code),
                new Destination(names, statement.into().targets()),
                statement.into().isStrict(),
                !(code.statement() instanceof Statement.Select));
    }

    private SqlSteps.Source source(PlpgsqlStatement.Rows rows) {
        return switch (rows) {
            case PlpgsqlStatement.Query query ->
                    new SqlSteps.Written(SqlCode.of(query.query(), names));
            case PlpgsqlStatement.Dynamic dynamic ->
                    new SqlSteps.Made(
                            new SqlValue(dynamic.text(), names, SqlType.TEXT),
                            dynamic.using().stream()
                                    .map(each -> new SqlValue(each, names, null))
                                    .toList());
        };
    }
}
