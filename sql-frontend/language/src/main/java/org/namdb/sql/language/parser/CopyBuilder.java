package org.namdb.sql.language.parser;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.tree.TerminalNode;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Makes COPY out of its parse: with options in parentheses, or as they were written before
/// PostgreSQL 9.
final class CopyBuilder {
    /// How PostgreSQL is to write rows: no matter here.
    private static final String FREEZE = "freeze";

    private final QueryBuilder queries;
    private final Map<String, String> options = new HashMap<>();

    CopyBuilder(QueryBuilder queries) {
        this.queries = queries;
    }

    Statement copy(SqlGrammar.CopyContext tree) {
        boolean isFrom = tree.FROM() != null;
        if (isFrom && tree.queryInParentheses() != null) {
            throw SyntaxErrors.at(tree.FROM().getSymbol());
        }
        addOldest(tree);
        if (tree.copyOptions() != null) {
            tree.copyOptions().copyOption().forEach(this::add);
            tree.copyOptions().oldCopyOption().forEach(this::addOld);
        }
        return new Statement.Copy(
                tree.tableName() == null ? null : NameBuilder.tableName(tree.tableName()),
                tree.nameList() == null ? List.of() : NameBuilder.names(tree.nameList()),
                tree.queryInParentheses() == null
                        ? null
                        : queries.inParentheses(tree.queryInParentheses()),
                isFrom,
                tree.file == null ? null : StringLiterals.value((SqlToken) tree.file),
                options,
                NameBuilder.position(tree));
    }

    /// The options of PostgreSQL before 7.3: `COPY BINARY t TO STDOUT`, and `USING DELIMITERS ','`.
    private void addOldest(SqlGrammar.CopyContext tree) {
        if (tree.BINARY() != null) {
            put("format", "binary", tree);
        }
        Token word = tree.delimiters;
        if (word != null) {
            if (!Keywords.folded(word.getText()).equals("delimiters")) {
                throw SyntaxErrors.at(word);
            }
            put("delimiter", StringLiterals.value((SqlToken) tree.delimiter), tree);
        }
    }

    private void add(SqlGrammar.CopyOptionContext tree) {
        String name = NameBuilder.name(tree.optionName()).text();
        if (name.equals(FREEZE)) {
            boolean _ = OptionValues.isOn(tree.optionValue(), name);
            return;
        }
        String value =
                switch (name) {
                    case "format" -> OptionValues.text(tree.optionValue(), name);
                    case "delimiter", "null", "quote", "escape" ->
                            OptionValues.required(tree.optionValue(), name);
                    case "header" -> header(tree);
                    default -> throw unknown(name, tree);
                };
        put(name, value, tree);
    }

    private static String header(SqlGrammar.CopyOptionContext tree) {
        if (tree.optionValue() != null
                && Keywords.folded(tree.optionValue().getText()).equals("match")) {
            throw Unsupported.error("HEADER MATCH is not supported", NameBuilder.position(tree));
        }
        return String.valueOf(OptionValues.isOn(tree.optionValue(), "header"));
    }

    private void addOld(SqlGrammar.OldCopyOptionContext tree) {
        String name = NameBuilder.name(tree.optionName()).text();
        switch (name) {
            case FREEZE -> {}
            case "csv", "binary" -> flag("format", name, tree);
            case "header" -> flag("header", "true", tree);
            case "delimiter", "delimiters" -> text("delimiter", tree);
            case "null", "quote", "escape" -> text(name, tree);
            default -> throw unknown(name, tree);
        }
    }

    private void flag(String name, String value, SqlGrammar.OldCopyOptionContext tree) {
        if (tree.STRING() != null) {
            throw SyntaxErrors.at(tree.STRING().getSymbol());
        }
        put(name, value, tree);
    }

    private void text(String name, SqlGrammar.OldCopyOptionContext tree) {
        TerminalNode value = tree.STRING();
        if (value == null) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    name + " requires a parameter",
                    NameBuilder.position(tree));
        }
        put(name, StringLiterals.value((SqlToken) value.getSymbol()), tree);
    }

    private void put(String name, String value, ParserRuleContext tree) {
        if (options.put(name, value) != null) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "conflicting or redundant options",
                    NameBuilder.position(tree));
        }
    }

    private static SqlException unknown(String name, ParserRuleContext tree) {
        return switch (name) {
            case "encoding", "force", "force_quote", "force_not_null", "force_null" ->
                    Unsupported.error(
                            "COPY with the option " + name + " is not supported",
                            NameBuilder.position(tree));
            default ->
                    new SqlException(
                            SqlState.SYNTAX_ERROR,
                            "option \"" + name + "\" not recognized",
                            NameBuilder.position(tree));
        };
    }
}
