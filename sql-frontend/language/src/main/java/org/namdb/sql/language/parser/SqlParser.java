package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.antlr.v4.runtime.BailErrorStrategy;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.atn.PredictionMode;
import org.antlr.v4.runtime.misc.ParseCancellationException;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Reads SQL. Every error is a [SqlException] with the text and the place in it: 42601 for what is
/// no SQL, 0A000 for what PostgreSQL has and NamDB doesn't, 54000 and 54001 for what is too large
/// or too deep.
///
/// A chain of operators of one level, as `a + b + c`, is a tree as deep as the chain is long, and
/// may have tens of thousands of links: walks down
/// [org.namdb.sql.language.ast.Expression.Binary#left()] must be loops. Everything else is at most
/// some hundred levels deep.
public final class SqlParser {
    /// The longest text, in characters.
    public static final int MAX_TEXT = 16 << 20;

    private SqlParser() {}

    /// The statements of a text, in order; semicolons separate them. Places are places of the
    /// whole text.
    ///
    /// @throws SqlException if one of them can't be read
    public static List<Statement> parse(String text) {
        return inText(
                text,
                () -> {
                    List<Statement> statements = new ArrayList<>();
                    TokenReader reader = new TokenReader(text);
                    StatementTokens tokens;
                    do {
                        tokens = reader.next();
                        if (!tokens.isEmpty()) {
                            statements.add(statement(tokens));
                        }
                    } while (!tokens.isLast());
                    return statements;
                });
    }

    /// The one statement of a text; a semicolon may stand behind it.
    ///
    /// @throws SqlException if it can't be read, or there is none or more than one
    public static Statement parseOne(String text) {
        List<Statement> statements = parse(text);
        if (statements.size() == 1) {
            return statements.getFirst();
        }
        throw new SqlException(
                        SqlState.SYNTAX_ERROR,
                        statements.isEmpty()
                                ? "there is no statement"
                                : "cannot insert multiple commands into a prepared statement")
                .inText(text);
    }

    /// A value expression that is the whole text.
    ///
    /// @throws SqlException if it can't be read
    public static Expression parseExpression(String text) {
        return inText(
                text,
                () -> {
                    StatementTokens tokens = new TokenReader(text).next();
                    SqlGrammar.OneExpressionContext tree = tree(tokens, SqlGrammar::oneExpression);
                    return new ExpressionBuilder().expression(tree.expression());
                });
    }

    private static Statement statement(StatementTokens tokens) {
        Statement routine = RoutineParser.statement(tokens);
        if (routine != null) {
            return routine;
        }
        SqlException unsupported = Unsupported.statement(tokens);
        if (unsupported != null) {
            throw unsupported;
        }
        SqlGrammar.OneStatementContext tree = tree(tokens, SqlGrammar::oneStatement);
        return new StatementBuilder(tokens).statement(tree.statement());
    }

    /// Parses with the weaker and faster prediction, and only if that fails with the full one,
    /// which also finds the right token to complain about.
    private static <T extends ParserRuleContext> T tree(
            StatementTokens tokens, Function<SqlGrammar, T> rule) {
        SqlGrammar grammar = new SqlGrammar(tokens);
        grammar.removeErrorListeners();
        grammar.setErrorHandler(new BailErrorStrategy());
        grammar.getInterpreter().setPredictionMode(PredictionMode.SLL);
        try {
            return rule.apply(grammar);
        } catch (ParseCancellationException weak) {
            grammar.reset();
            grammar.getInterpreter().setPredictionMode(PredictionMode.LL);
        }
        try {
            return rule.apply(grammar);
        } catch (ParseCancellationException e) {
            throw SyntaxErrors.of(tokens, e.getCause());
        }
    }

    /// What is done with a text, so that its errors have the text.
    private interface Reading<T> {
        T read();
    }

    private static <T> T inText(String text, Reading<T> reading) {
        if (text.length() > MAX_TEXT) {
            throw new SqlException(
                            SqlState.PROGRAM_LIMIT_EXCEEDED,
                            "statement too long: %d characters, at most %d are allowed"
                                    .formatted(text.length(), MAX_TEXT))
                    .withHint("Send several statements, or load the rows with COPY.");
        }
        try {
            return reading.read();
        } catch (SqlException e) {
            throw e.inText(text);
        } catch (StackOverflowError e) {
            // The limit of nesting fits into a thread's usual stack; this is for threads with less,
            // or with little left.
            throw new SqlException(SqlState.STATEMENT_TOO_COMPLEX, "statement too complex")
                    .causedBy(e)
                    .inText(text);
        }
    }
}
