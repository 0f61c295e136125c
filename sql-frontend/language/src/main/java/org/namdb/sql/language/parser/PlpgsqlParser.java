package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.PlpgsqlStatement;
import org.namdb.sql.language.ast.PlpgsqlStatement.Block;
import org.namdb.sql.language.ast.PlpgsqlStatement.Branch;
import org.namdb.sql.language.ast.PlpgsqlStatement.Choice;
import org.namdb.sql.language.ast.PlpgsqlStatement.Declaration;
import org.namdb.sql.language.ast.PlpgsqlStatement.Dynamic;
import org.namdb.sql.language.ast.PlpgsqlStatement.Handler;
import org.namdb.sql.language.ast.PlpgsqlStatement.Into;
import org.namdb.sql.language.ast.PlpgsqlStatement.Sql;
import org.namdb.sql.language.ast.PlpgsqlStatement.Target;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.RoutineStatement.TypeReference;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Reads the body of a routine in PL/pgSQL, with all SQL in it.
///
/// Source: PostgreSQL 15, chapter 43.
public final class PlpgsqlParser {
    /// How deep blocks, loops and branches may stand in each other.
    private static final int MAX_NESTING = 200;

    /// What may follow the statements of a block.
    private static final Set<String> ENDS =
            Set.of("end", "exception", "else", "elsif", "elseif", "when");

    private final RoutineTokens tokens;
    private int nesting;

    /// How names that are variables and columns are resolved; `error`, `use_variable` or
    /// `use_column`.
    private String conflicts = "error";

    private PlpgsqlParser(String body) {
        this.tokens = new RoutineTokens(body, 0, body.length());
    }

    /// A body.
    ///
    /// @param conflicts which meaning a name has that is a variable and a column: `error`,
    ///     `use_variable` or `use_column`
    public record Body(Block block, String conflicts) {}

    /// Reads a body.
    ///
    /// @throws SqlException 42601 if it is none, with a place in it
    public static Body parse(String body) {
        try {
            PlpgsqlParser parser = new PlpgsqlParser(body);
            return parser.body();
        } catch (SqlException e) {
            throw e.inText(body);
        }
    }

    private Body body() {
        while (tokens.accept("#")) {
            directive();
        }
        Block block = block(label(), tokens.peek());
        boolean _ = tokens.accept(";");
        if (!tokens.peek().isEnd()) {
            throw tokens.syntaxError();
        }
        return new Body(block, conflicts);
    }

    private void directive() {
        switch (tokens.name().text()) {
            case "variable_conflict" -> {
                String how = tokens.name().text();
                if (!Set.of("error", "use_variable", "use_column").contains(how)) {
                    throw tokens.syntaxError();
                }
                conflicts = how;
            }
            case "option" -> {
                Name _ = tokens.name();
            }
            case "print_strict_params" -> {
                RoutineTokens.Token _ = tokens.next();
            }
            default -> throw tokens.syntaxError();
        }
    }

    private @Nullable String label() {
        if (!tokens.accept("<<")) {
            return null;
        }
        String label = tokens.name().text();
        tokens.expect(">>");
        return label;
    }

    private void deeper() {
        if (++nesting > MAX_NESTING) {
            throw new SqlException(
                    SqlState.STATEMENT_TOO_COMPLEX,
                    "more than " + MAX_NESTING + " levels of nesting",
                    RoutineTokens.position(tokens.peek()));
        }
    }

    // ---------------------------------------------------------------------------------- Blocks

    private Block block(@Nullable String label, RoutineTokens.Token first) {
        deeper();
        List<Declaration> declarations = new ArrayList<>();
        while (tokens.accept("declare")) {
            while (!tokens.peek().is("begin") && !tokens.peek().is("declare")) {
                declarations.add(declaration());
            }
        }
        RoutineTokens.Token begin = tokens.peek();
        tokens.expect("begin");
        List<PlpgsqlStatement> body = statements();
        List<Handler> handlers = new ArrayList<>();
        if (tokens.accept("exception")) {
            while (tokens.peek().is("when")) {
                handlers.add(handler());
            }
            if (handlers.isEmpty()) {
                throw tokens.syntaxError();
            }
        }
        tokens.expect("end");
        endLabel(label);
        nesting--;
        return new Block(
                label,
                declarations,
                body,
                handlers,
                tokens.line(declarations.isEmpty() ? begin : first));
    }

    private void endLabel(@Nullable String label) {
        if (!tokens.peek().isName()) {
            return;
        }
        RoutineTokens.Token token = tokens.peek();
        String end = tokens.name().text();
        if (label == null) {
            throw RoutineTokens.error(
                    "end label \"" + end + "\" specified for unlabeled block", token);
        }
        if (!end.equals(label)) {
            throw RoutineTokens.error(
                    "end label \"%s\" differs from block's label \"%s\"".formatted(end, label),
                    token);
        }
    }

    private Declaration declaration() {
        RoutineTokens.Token first = tokens.peek();
        int line = tokens.line(first);
        String name = tokens.name().text();
        if (tokens.accept("alias")) {
            tokens.expect("for");
            Target of = target();
            tokens.expect(";");
            return new Declaration(name, false, null, false, null, of, line);
        }
        if (tokens.peek().is("cursor") || tokens.peek().is("scroll")) {
            throw RoutineTokens.unsupported("a cursor variable", tokens.peek());
        }
        boolean isConstant = tokens.accept("constant");
        TypeReference type = tokens.type("not", "default", ":=", "=", ";", "collate");
        if (tokens.accept("collate")) {
            throw RoutineTokens.unsupported("COLLATE", tokens.peek());
        }
        boolean isNotNull = tokens.accept("not");
        if (isNotNull) {
            tokens.expect("null");
        }
        Sql value = null;
        if (tokens.accept("default") || tokens.accept(":=") || tokens.accept("=")) {
            value = tokens.expression(";");
        }
        if (isNotNull && value == null) {
            throw new SqlException(
                    SqlState.NULL_VALUE_NOT_ALLOWED,
                    "variable \""
                            + name
                            + "\" must have a default value, since it's declared NOT NULL",
                    RoutineTokens.position(first));
        }
        tokens.expect(";");
        return new Declaration(name, isConstant, type, isNotNull, value, null, line);
    }

    private Handler handler() {
        int line = tokens.line(tokens.next());
        List<String> conditions = new ArrayList<>();
        do {
            conditions.add(RaiseParser.condition(tokens));
        } while (tokens.accept("or"));
        tokens.expect("then");
        return new Handler(conditions, statements(), line);
    }

    // ------------------------------------------------------------------------------ Statements

    private List<PlpgsqlStatement> statements() {
        deeper();
        List<PlpgsqlStatement> statements = new ArrayList<>();
        while (!isEnd(tokens.peek())) {
            statements.add(statement());
            tokens.expect(";");
        }
        nesting--;
        return statements;
    }

    private boolean isEnd(RoutineTokens.Token token) {
        return token.isEnd()
                || token.kind() == SqlScanner.Kind.WORD
                        && ENDS.contains(token.word())
                        && !isAssignment(token);
    }

    /// A target, or a word that is none of PL/pgSQL's.
    private boolean isAssignment(RoutineTokens.Token token) {
        RoutineTokens.Token behind = tokens.peek(1);
        return (token.isName() || token.kind() == SqlScanner.Kind.DOLLAR_PARAMETER)
                && (behind.is(":=") || behind.is("=") || behind.is(".") || behind.is("["));
    }

    private PlpgsqlStatement statement() {
        RoutineTokens.Token first = tokens.peek();
        int line = tokens.line(first);
        if (first.is("<<")) {
            return labelled(label());
        }
        if (isAssignment(first)) {
            return assignment();
        }
        if (first.kind() != SqlScanner.Kind.WORD) {
            throw tokens.syntaxError();
        }
        return switch (first.word()) {
            case "declare", "begin", "loop", "while", "for", "foreach" -> labelled(null);
            case "if" -> branches(line);
            case "case" -> choices(line);
            case "exit", "continue" -> exit(line);
            case "return" -> result(line);
            case "raise" -> RaiseParser.statement(tokens, line);
            case "assert" -> assertion(line);
            case "perform" -> perform(line);
            case "execute" -> dynamic(line);
            case "get" -> diagnostics(line);
            case "null" -> {
                RoutineTokens.Token _ = tokens.next();
                yield new PlpgsqlStatement.Nothing(line);
            }
            case "commit", "rollback" -> {
                RoutineTokens.Token _ = tokens.next();
                yield new PlpgsqlStatement.EndTransaction(first.is("commit"), line);
            }
            case "open", "fetch", "move", "close" ->
                    throw RoutineTokens.unsupported("a cursor variable", first);
            default -> sql(line);
        };
    }

    private PlpgsqlStatement labelled(@Nullable String label) {
        RoutineTokens.Token first = tokens.peek();
        int line = tokens.line(first);
        return switch (first.word()) {
            case "declare", "begin" -> block(label, first);
            case "loop" -> {
                tokens.expect("loop");
                yield new PlpgsqlStatement.Loop(label, null, loopBody(label), line);
            }
            case "while" -> {
                tokens.expect("while");
                Sql condition = tokens.expression("loop");
                tokens.expect("loop");
                yield new PlpgsqlStatement.Loop(label, condition, loopBody(label), line);
            }
            case "for" -> forLoop(label, line);
            case "foreach" -> forEach(label, line);
            default -> throw tokens.syntaxError();
        };
    }

    private List<PlpgsqlStatement> loopBody(@Nullable String label) {
        List<PlpgsqlStatement> body = statements();
        tokens.expect("end");
        tokens.expect("loop");
        endLabel(label);
        return body;
    }

    private PlpgsqlStatement forLoop(@Nullable String label, int line) {
        tokens.expect("for");
        List<Target> targets = targets();
        tokens.expect("in");
        if (tokens.peek().is("execute")) {
            Dynamic dynamic = dynamic("loop");
            tokens.expect("loop");
            return new PlpgsqlStatement.ForQuery(label, targets, dynamic, loopBody(label), line);
        }
        boolean isReverse = tokens.accept("reverse");
        RoutineTokens.Token from = tokens.peek();
        tokens.skip("loop", "..");
        if (tokens.peek().is("..")) {
            return forRange(label, targets, isReverse, from, line);
        }
        Sql query = tokens.statement(from.start(), "", List.of());
        tokens.expect("loop");
        return new PlpgsqlStatement.ForQuery(
                label, targets, new PlpgsqlStatement.Query(query), loopBody(label), line);
    }

    private PlpgsqlStatement forEach(@Nullable String label, int line) {
        tokens.expect("foreach");
        Target target = target();
        if (tokens.peek().is("slice")) {
            throw RoutineTokens.unsupported("SLICE", tokens.peek());
        }
        tokens.expect("in");
        tokens.expect("array");
        Sql array = tokens.expression("loop");
        tokens.expect("loop");
        return new PlpgsqlStatement.ForEach(label, target, array, loopBody(label), line);
    }

    private PlpgsqlStatement forRange(
            @Nullable String label,
            List<Target> targets,
            boolean isReverse,
            RoutineTokens.Token from,
            int line) {
        if (targets.size() != 1 || targets.getFirst().path().size() != 1) {
            throw RoutineTokens.error("integer FOR loop must have only one target variable", from);
        }
        tokens.back(from);
        Sql first = tokens.expression("..");
        tokens.expect("..");
        Sql last = tokens.expression("loop", "by");
        Sql step = tokens.accept("by") ? tokens.expression("loop") : null;
        tokens.expect("loop");
        String variable = targets.getFirst().path().getFirst();
        return new PlpgsqlStatement.ForRange(
                label, variable, isReverse, first, last, step, loopBody(label), line);
    }

    private PlpgsqlStatement branches(int line) {
        tokens.expect("if");
        List<Branch> branches = new ArrayList<>();
        do {
            Sql condition = tokens.expression("then");
            tokens.expect("then");
            branches.add(new Branch(condition, statements()));
        } while (tokens.accept("elsif") || tokens.accept("elseif"));
        List<PlpgsqlStatement> otherwise = tokens.accept("else") ? statements() : List.of();
        tokens.expect("end");
        tokens.expect("if");
        return new PlpgsqlStatement.If(branches, otherwise, line);
    }

    private PlpgsqlStatement choices(int line) {
        tokens.expect("case");
        Sql operand = tokens.peek().is("when") ? null : tokens.expression("when");
        List<Choice> choices = new ArrayList<>();
        while (tokens.accept("when")) {
            List<Sql> values = new ArrayList<>();
            do {
                values.add(
                        operand == null
                                ? tokens.expression("then")
                                : tokens.expression("then", ","));
            } while (tokens.accept(","));
            tokens.expect("then");
            choices.add(new Choice(values, statements()));
        }
        List<PlpgsqlStatement> otherwise = tokens.accept("else") ? statements() : null;
        tokens.expect("end");
        tokens.expect("case");
        return new PlpgsqlStatement.Case(operand, choices, otherwise, line);
    }

    private PlpgsqlStatement exit(int line) {
        boolean isContinue = tokens.next().is("continue");
        String label =
                tokens.peek().isName() && !tokens.peek().is("when") ? tokens.name().text() : null;
        Sql condition = tokens.accept("when") ? tokens.expression(";") : null;
        return new PlpgsqlStatement.Exit(isContinue, label, condition, line);
    }

    private PlpgsqlStatement assignment() {
        int line = tokens.line(tokens.peek());
        Target target = target();
        RoutineTokens.Token bracket = tokens.peek();
        Sql element = tokens.accept("[") ? tokens.expression("]") : null;
        if (element != null) {
            tokens.expect("]");
        }
        if (!tokens.accept(":=")) {
            tokens.expect("=");
        }
        Sql value = tokens.expression(";");
        return new PlpgsqlStatement.Assign(
                target,
                element == null ? value : withElement(target, element, value, bracket),
                line);
    }

    /// The array with another value for one element.
    private static Sql withElement(
            Target target, Sql element, Sql value, RoutineTokens.Token bracket) {
        List<String> path = target.path();
        if (path.size() > 2 || path.getFirst().startsWith("$")) {
            throw RoutineTokens.unsupported("an element of " + target, bracket);
        }
        Position at = RoutineTokens.position(bracket);
        Name qualifier = path.size() == 1 ? null : new Name(path.getFirst(), at);
        Expression array = new Expression.ColumnName(qualifier, new Name(path.getLast(), at), at);
        Expression changed =
                PrimaryBuilder.call(
                        at,
                        PrimaryBuilder.SET_ELEMENT,
                        array,
                        expression(element, bracket),
                        expression(value, bracket));
        return new Sql(SqlWriter.write(changed), changed, null, value.line());
    }

    private static Expression expression(Sql sql, RoutineTokens.Token bracket) {
        Expression expression = sql.expression();
        if (expression != null) {
            return expression;
        }
        if (sql.statement() instanceof Statement.Select select) {
            return new Expression.ScalarQuery(select.query(), RoutineTokens.position(bracket));
        }
        throw RoutineTokens.unsupported("\"" + sql.text() + "\" with an element", bracket);
    }

    private PlpgsqlStatement result(int line) {
        tokens.expect("return");
        if (tokens.accept("next")) {
            return new PlpgsqlStatement.ReturnNext(optional(), line);
        }
        if (!tokens.peek().is("query")) {
            return new PlpgsqlStatement.Return(optional(), line);
        }
        tokens.expect("query");
        if (tokens.peek().is("execute")) {
            return new PlpgsqlStatement.ReturnQuery(dynamic(";"), line);
        }
        int from = tokens.peek().start();
        tokens.skip(";");
        Sql query = tokens.statement(from, "", List.of());
        return new PlpgsqlStatement.ReturnQuery(new PlpgsqlStatement.Query(query), line);
    }

    private @Nullable Sql optional() {
        return tokens.peek().is(";") ? null : tokens.expression(";");
    }

    private PlpgsqlStatement assertion(int line) {
        tokens.expect("assert");
        Sql condition = tokens.expression(";", ",");
        Sql message = tokens.accept(",") ? tokens.expression(";") : null;
        return new PlpgsqlStatement.Assertion(condition, message, line);
    }

    private PlpgsqlStatement perform(int line) {
        tokens.expect("perform");
        int from = tokens.peek().start();
        tokens.skip(";");
        return new PlpgsqlStatement.Perform(tokens.statement(from, "SELECT ", List.of()), line);
    }

    private Dynamic dynamic(String end) {
        tokens.expect("execute");
        Sql text = tokens.expression(end, "into", "using");
        return new Dynamic(text, tokens.peek().is("using") ? using(end) : List.of());
    }

    private List<Sql> using(String end) {
        tokens.expect("using");
        List<Sql> values = new ArrayList<>();
        do {
            values.add(tokens.expression(end, ",", "into"));
        } while (tokens.accept(","));
        return values;
    }

    private PlpgsqlStatement dynamic(int line) {
        Dynamic statement = dynamic(";");
        Into into = Into.NOTHING;
        if (tokens.accept("into")) {
            into = into();
            if (tokens.peek().is("using")) {
                statement = new Dynamic(statement.text(), using(";"));
            }
        }
        return new PlpgsqlStatement.ExecuteDynamic(statement, into, line);
    }

    private PlpgsqlStatement diagnostics(int line) {
        tokens.expect("get");
        boolean isStacked = tokens.accept("stacked");
        if (!isStacked) {
            boolean _ = tokens.accept("current");
        }
        tokens.expect("diagnostics");
        List<PlpgsqlStatement.DiagnosticItem> items = new ArrayList<>();
        do {
            Target target = target();
            if (!tokens.accept("=")) {
                tokens.expect(":=");
            }
            items.add(new PlpgsqlStatement.DiagnosticItem(target, tokens.name().text()));
        } while (tokens.accept(","));
        return new PlpgsqlStatement.Diagnostics(isStacked, items, line);
    }

    // --------------------------------------------------------------------------------- SQL, INTO

    /// A statement of SQL; INTO is no part of it, and may stand anywhere but behind INSERT.
    private PlpgsqlStatement sql(int line) {
        RoutineTokens.Token first = tokens.peek();
        Into into = Into.NOTHING;
        List<int[]> hidden = new ArrayList<>();
        boolean isInsert = false;
        while (true) {
            tokens.skip(";", "into");
            if (!tokens.peek().is("into")) {
                break;
            }
            if (!isInsert && tokens.peek(-1).is("insert")) { // perhaps behind WITH
                isInsert = true;
                RoutineTokens.Token _ = tokens.next();
                continue;
            }
            if (!hidden.isEmpty()) {
                throw RoutineTokens.error("INTO specified more than once", tokens.peek());
            }
            int from = tokens.peek().start();
            tokens.expect("into");
            into = into();
            hidden.add(new int[] {from, tokens.endOfLast()});
            if (tokens.peek().is(";")) {
                break;
            }
        }
        return new PlpgsqlStatement.Execute(
                tokens.statement(first.start(), "", hidden), into, line);
    }

    private Into into() {
        boolean isStrict = tokens.accept("strict");
        return new Into(targets(), isStrict);
    }

    private List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        do {
            targets.add(target());
        } while (tokens.accept(","));
        return targets;
    }

    private Target target() {
        RoutineTokens.Token first = tokens.peek();
        int line = tokens.line(first);
        List<String> path = new ArrayList<>();
        if (first.kind() == SqlScanner.Kind.DOLLAR_PARAMETER) {
            path.add(tokens.next().word());
        } else {
            path.add(tokens.name().text());
        }
        while (tokens.accept(".")) {
            path.add(tokens.name().text());
        }
        return new Target(path, line);
    }
}
