package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.antlr.v4.runtime.Token;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.RoutineStatement;
import org.namdb.sql.language.ast.RoutineStatement.Kind;
import org.namdb.sql.language.ast.RoutineStatement.Mode;
import org.namdb.sql.language.ast.RoutineStatement.Parameter;
import org.namdb.sql.language.ast.RoutineStatement.Signature;
import org.namdb.sql.language.ast.RoutineStatement.TypeReference;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Reads DO, and CREATE, ALTER and DROP of functions and procedures. Their options come in any
/// order, and few of their words are keywords: so they are read word by word, outside of the
/// grammar.
final class RoutineParser {
    private static final Set<String> VERBS = Set.of("create", "alter", "drop");
    private static final Set<String> KINDS = Set.of("function", "procedure", "routine");
    private static final String SETOF = "setof";

    private final RoutineTokens tokens;
    private final Kind kind;
    private final RoutineTokens.Token first;

    private RoutineParser(RoutineTokens tokens, Kind kind, RoutineTokens.Token first) {
        this.tokens = tokens;
        this.kind = kind;
        this.first = first;
    }

    /// The statement, if it is about a routine; null for others.
    static @Nullable Statement statement(StatementTokens all) {
        String verb = Keywords.folded(all.get(0).getText());
        if (all.get(0).getType() == SqlGrammar.DO) {
            return block(all);
        }
        if (!VERBS.contains(verb) || all.size() < 3) {
            return null;
        }
        boolean isReplace = all.get(1).getType() == SqlGrammar.OR;
        int at = isReplace ? 3 : 1;
        String object = at < all.size() - 1 ? Keywords.folded(all.get(at).getText()) : "";
        if (!KINDS.contains(object) || object.equals("routine") && verb.equals("create")) {
            return null;
        }
        if (isReplace && !Keywords.folded(all.get(2).getText()).equals("replace")) {
            throw SyntaxErrors.at(all.get(2));
        }
        RoutineTokens tokens = lexemes(all);
        RoutineTokens.Token first = tokens.peek();
        for (int i = 0; i <= at; i++) {
            RoutineTokens.Token _ = tokens.next();
        }
        Kind kind = Kind.valueOf(object.toUpperCase(Locale.ROOT));
        RoutineParser parser = new RoutineParser(tokens, kind, first);
        RoutineStatement statement =
                switch (verb) {
                    case "create" -> parser.create(isReplace);
                    case "drop" -> parser.drop();
                    default -> parser.alter();
                };
        if (!tokens.peek().isEnd()) {
            throw tokens.syntaxError();
        }
        return statement;
    }

    private static RoutineTokens lexemes(StatementTokens all) {
        SqlToken last = all.get(all.size() - 1);
        int end = last.getType() == Token.EOF ? all.source().length() : last.start();
        return new RoutineTokens(all.source(), all.get(0).start(), end);
    }

    private static Statement block(StatementTokens all) {
        RoutineTokens tokens = lexemes(all);
        RoutineTokens.Token first = tokens.next();
        String language = null;
        String body = null;
        Position place = Position.NONE;
        while (!tokens.peek().isEnd()) {
            RoutineTokens.Token token = tokens.peek();
            if (language == null && tokens.accept("language")) {
                language = language(tokens);
            } else if (body == null && token.isString()) {
                body = tokens.string();
                place = contents(token);
            } else {
                throw tokens.syntaxError();
            }
        }
        if (body == null) {
            throw tokens.syntaxError();
        }
        return new Statement.Do(
                language == null ? "plpgsql" : language, body, place, tokens.since(first));
    }

    private static String language(RoutineTokens tokens) {
        return tokens.peek().isString()
                ? tokens.string().toLowerCase(Locale.ROOT)
                : tokens.name().text();
    }

    private Name routineName() {
        Name name = tokens.name();
        if (!tokens.accept(".")) {
            return name;
        }
        Name bare = tokens.name();
        Position place = name.position().to(bare.position());
        if (!name.text().equals("public")) {
            throw new SqlException(
                    SqlState.UNDEFINED_SCHEMA,
                    "schema \"" + name.text() + "\" does not exist",
                    name.position());
        }
        return new Name(bare.text(), place);
    }

    // ------------------------------------------------------------------------------ Definition

    private RoutineStatement create(boolean isReplace) {
        Name name = routineName();
        List<Parameter> parameters = new ArrayList<>();
        tokens.expect("(");
        if (!tokens.accept(")")) {
            do {
                parameters.add(parameter());
            } while (tokens.accept(","));
            tokens.expect(")");
        }
        TypeReference returns = null;
        boolean isSet = false;
        if (kind == Kind.FUNCTION && tokens.accept("returns")) {
            if (tokens.accept("table")) {
                isSet = true;
                tokens.expect("(");
                do {
                    RoutineTokens.Token start = tokens.peek();
                    Name column = tokens.name();
                    TypeReference type = tokens.type(",", ")");
                    parameters.add(
                            new Parameter(column, Mode.TABLE, type, null, tokens.since(start)));
                } while (tokens.accept(","));
                tokens.expect(")");
            } else {
                isSet = tokens.accept(SETOF);
                returns = tokens.type(OPTIONS);
            }
        }
        Options options = new Options();
        while (!tokens.peek().isEnd()) {
            option(options);
        }
        return options.statement(name, isReplace, parameters, returns, isSet);
    }

    private Parameter parameter() {
        RoutineTokens.Token start = tokens.peek();
        Mode mode = mode();
        Name name = null;
        boolean isNamed =
                tokens.peek().isName()
                        && !isTypeAlone(tokens.peek(), tokens.peek(1))
                        && (tokens.peek(1).isName() || tokens.peek(1).is("in"));
        if (isNamed) {
            name = tokens.name();
            mode = mode == null ? mode() : mode;
        }
        TypeReference type = tokens.type(",", ")", "default", "=");
        String value = null;
        if (tokens.accept("default") || tokens.accept("=")) {
            int from = tokens.peek().start();
            tokens.expression(",", ")");
            value = tokens.written(from);
        }
        return new Parameter(name, mode == null ? Mode.IN : mode, type, value, tokens.since(start));
    }

    /// `double precision` and `character varying` are types, and no names before types.
    private static boolean isTypeAlone(RoutineTokens.Token token, RoutineTokens.Token next) {
        return token.is("double") && next.is("precision")
                || (token.is("character") || token.is("char")) && next.is("varying")
                || next.is("default")
                || (token.is("time") || token.is("timestamp"))
                        && (next.is("with") || next.is("without"));
    }

    private @Nullable Mode mode() {
        RoutineTokens.Token token = tokens.peek();
        if (token.is("variadic")) {
            throw RoutineTokens.unsupported("VARIADIC", token);
        }
        boolean isMode =
                (token.is("in") || token.is("out") || token.is("inout")) && tokens.peek(1).isName();
        if (!isMode) {
            return null;
        }
        Mode mode = Mode.valueOf(tokens.next().word().toUpperCase(Locale.ROOT));
        return mode == Mode.IN && tokens.accept("out") ? Mode.INOUT : mode;
    }

    /// What may stand behind the type that a function returns.
    private static final String[] OPTIONS = {
        "as",
        "language",
        "immutable",
        "stable",
        "volatile",
        "strict",
        "called",
        "returns",
        "security",
        "external",
        "leakproof",
        "not",
        "cost",
        "rows",
        "parallel",
        "set",
        "window",
        "transform",
        "support",
        "begin",
        "return"
    };

    /// The options as they are found.
    private final class Options {
        private @Nullable String language;
        private @Nullable String volatility;
        private @Nullable Boolean isStrict;
        private @Nullable String body;
        private Position bodyPosition = Position.NONE;

        RoutineStatement statement(
                Name name,
                boolean isReplace,
                List<Parameter> parameters,
                @Nullable TypeReference returns,
                boolean isSet) {
            if (body == null) {
                throw invalid("no function body specified");
            }
            if (language == null) {
                throw invalid("no language specified");
            }
            return new RoutineStatement.CreateRoutine(
                    kind,
                    isReplace,
                    name,
                    parameters,
                    returns,
                    isSet,
                    language,
                    volatility == null ? "volatile" : volatility,
                    isStrict != null && isStrict,
                    body,
                    bodyPosition,
                    tokens.since(first));
        }

        private SqlException invalid(String message) {
            return new SqlException(
                    SqlState.INVALID_FUNCTION_DEFINITION, message, tokens.since(first));
        }
    }

    private void option(Options options) {
        RoutineTokens.Token token = tokens.next();
        switch (token.word()) {
            case "as" -> {
                requireNew(options.body, token);
                RoutineTokens.Token start = tokens.peek();
                options.body = tokens.string();
                options.bodyPosition = contents(start);
            }
            case "language" -> {
                requireNew(options.language, token);
                options.language = language(tokens);
            }
            case "immutable", "stable", "volatile" -> {
                requireNew(options.volatility, token);
                options.volatility = token.word();
            }
            case "strict" -> strict(options, true, token);
            case "returns" -> {
                expectAll("null", "on", "null", "input");
                strict(options, true, token);
            }
            case "called" -> {
                expectAll("on", "null", "input");
                strict(options, false, token);
            }
            case "not" -> tokens.expect("leakproof");
            case "leakproof" -> {}
            case "cost", "rows" -> {
                RoutineTokens.Token _ = tokens.next();
            }
            case "parallel" -> {
                Name _ = tokens.name();
            }
            case "external" -> {
                tokens.expect("security");
                security(token);
            }
            case "security" -> security(token);
            case "set" -> throw RoutineTokens.unsupported("SET of a routine", token);
            case "window", "transform", "support" ->
                    throw RoutineTokens.unsupported(token.word().toUpperCase(Locale.ROOT), token);
            case "begin", "return" ->
                    throw RoutineTokens.unsupported("a body that is no string", token);
            default -> throw syntaxError(token);
        }
    }

    /// Where the characters of a string stand one by one; nowhere if some are written otherwise.
    private static Position contents(RoutineTokens.Token string) {
        if (string.kind() != SqlScanner.Kind.DOLLAR_STRING) {
            return Position.NONE;
        }
        int tag = string.word().indexOf('$', 1) + 1;
        int length = string.end() - string.start() - 2 * tag;
        return new Position(string.start() + tag, Math.max(1, length));
    }

    private static SqlException syntaxError(RoutineTokens.Token token) {
        return RoutineTokens.error("syntax error at or near \"" + token.word() + '"', token);
    }

    private void security(RoutineTokens.Token token) {
        if (!tokens.accept("invoker")) {
            tokens.expect("definer");
            throw RoutineTokens.unsupported("SECURITY DEFINER", token);
        }
    }

    private void strict(Options options, boolean isStrict, RoutineTokens.Token token) {
        requireNew(options.isStrict, token);
        if (kind == Kind.PROCEDURE) {
            throw new SqlException(
                    SqlState.INVALID_FUNCTION_DEFINITION,
                    "invalid attribute in procedure definition",
                    RoutineTokens.position(token));
        }
        options.isStrict = isStrict;
    }

    private static void requireNew(@Nullable Object known, RoutineTokens.Token token) {
        if (known != null) {
            throw RoutineTokens.error("conflicting or redundant options", token);
        }
    }

    private void expectAll(String... words) {
        for (String word : words) {
            tokens.expect(word);
        }
    }

    // ------------------------------------------------------------------------------- Signatures

    private RoutineStatement drop() {
        boolean ifExists = tokens.accept("if");
        if (ifExists) {
            tokens.expect("exists");
        }
        List<Signature> routines = new ArrayList<>();
        do {
            routines.add(signature());
        } while (tokens.accept(","));
        boolean isCascade = tokens.accept("cascade");
        if (!isCascade) {
            boolean _ = tokens.accept("restrict");
        }
        return new RoutineStatement.DropRoutine(
                kind, routines, ifExists, isCascade, tokens.since(first));
    }

    private RoutineStatement alter() {
        Signature routine = signature();
        if (!tokens.peek().is("owner")) {
            throw RoutineTokens.unsupported("ALTER " + kind + ", but OWNER TO,", tokens.peek());
        }
        expectAll("owner", "to");
        return new RoutineStatement.AlterRoutine(kind, routine, tokens.name(), tokens.since(first));
    }

    /// The types of OUT parameters don't count.
    private Signature signature() {
        Name name = routineName();
        if (!tokens.accept("(")) {
            return new Signature(name, null);
        }
        List<TypeReference> types = new ArrayList<>();
        if (!tokens.accept(")")) {
            do {
                Parameter parameter = parameter();
                if (parameter.mode() != Mode.OUT) {
                    types.add(parameter.type());
                }
            } while (tokens.accept(","));
            tokens.expect(")");
        }
        return new Signature(name, types);
    }
}
