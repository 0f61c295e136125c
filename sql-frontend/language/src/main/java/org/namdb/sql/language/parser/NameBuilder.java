package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.SqlGrammar.NameContext;
import org.namdb.sql.language.parser.SqlGrammar.TypeNameContext;

/// Makes names and types out of their parses.
///
/// There are no schemas. `public.t` is `t`, since all is in PostgreSQL's default schema; another
/// schema stays a part of the name, as in `information_schema.tables`, and then no user's table is
/// called so. Functions lose `pg_catalog.` as well.
final class NameBuilder {
    /// In which names are found without them.
    private static final Set<String> USUAL_SCHEMAS = Set.of("pg_catalog", "public");

    private static final Set<String> MODES = Set.of("out", "inout");

    private NameBuilder() {}

    static Position position(ParserRuleContext tree) {
        return ((SqlToken) tree.getStart()).position().to(((SqlToken) tree.getStop()).position());
    }

    static Position position(Token token) {
        return ((SqlToken) token).position();
    }

    /// The name that a token is, folded unless quoted.
    private static String text(Token token) {
        String text = token.getText();
        return token.getType() == SqlGrammar.QUOTED_IDENTIFIER
                ? text.substring(1, text.length() - 1).replace("\"\"", "\"")
                : Keywords.folded(text);
    }

    /// A name of one token.
    static Name name(ParserRuleContext tree) {
        Token token = tree.getStart();
        return new Name(text(token), position(token));
    }

    static List<Name> names(SqlGrammar.NameListContext tree) {
        return tree.name().stream().map(NameBuilder::name).toList();
    }

    static Name tableName(SqlGrammar.TableNameContext tree) {
        return qualified(tree.name());
    }

    static List<Name> tableNames(List<SqlGrammar.TableNameContext> trees) {
        return trees.stream().map(NameBuilder::tableName).toList();
    }

    /// A table's name with its schema.
    static Name qualified(List<? extends ParserRuleContext> parts) {
        Position position = position(parts.getFirst()).to(position(parts.getLast()));
        if (parts.size() > 2) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "cross-database references are not implemented: " + dotted(parts),
                    position);
        }
        boolean isPublic = parts.size() == 2 && text(parts.getFirst().getStart()).equals("public");
        return isPublic
                ? new Name(text(parts.getLast().getStart()), position)
                : new Name(dotted(parts), position);
    }

    /// A table's name without its schema, if that is one of the schemas that there are.
    static Name unqualified(List<? extends ParserRuleContext> parts) {
        boolean hasSchema =
                parts.size() == 2
                        && List.of("pg_catalog", "information_schema", "pg_temp")
                                .contains(text(parts.getFirst().getStart()));
        return qualified(hasSchema ? parts.subList(1, 2) : parts);
    }

    static String dotted(List<? extends ParserRuleContext> parts) {
        List<String> names = new ArrayList<>();
        for (ParserRuleContext part : parts) {
            names.add(text(part.getStart()));
        }
        return String.join(".", names);
    }

    static Name functionName(SqlGrammar.FunctionNameContext tree) {
        Position position = position(tree);
        if (tree.plainName().size() < 2) {
            return new Name(text(tree.getStart()), position);
        }
        boolean isUsual = USUAL_SCHEMAS.contains(text(tree.getStart()));
        return isUsual
                ? new Name(text(tree.getStop()), position)
                : new Name(dotted(tree.plainName()), position);
    }

    /// The name of a routine, or of another object, whose arguments don't matter: there is one
    /// routine of a name.
    static Name object(SqlGrammar.GrantObjectContext tree) {
        for (SqlGrammar.RoutineArgumentContext argument : tree.routineArgument()) {
            Token mode = argument.direction;
            if (mode != null && !MODES.contains(Keywords.folded(mode.getText()))) {
                throw SyntaxErrors.at(argument.plainName().getStart());
            }
        }
        return functionName(tree.functionName());
    }

    /// @throws SqlException 0A000 for types that NamDB doesn't have
    static TypeName type(TypeNameContext tree) {
        Position position = position(tree);
        String name = typeWords(tree.typeWords());
        name = withZone(name, tree.timeZone(), position);
        List<Integer> arguments = tree.signed().stream().map(NameBuilder::signed).toList();
        if (tree.ARRAY() != null || !tree.LBRACKET().isEmpty()) {
            name += "[]";
        }
        return new TypeName(name, arguments, tree.BYTES() != null, position);
    }

    static TypeName literalType(SqlGrammar.LiteralTypeContext tree) {
        Position position = position(tree);
        String name =
                tree.plainName() == null ? "double precision" : text(tree.plainName().getStart());
        name = withZone(name, tree.timeZone(), position);
        return new TypeName(name, List.of(), false, position);
    }

    private static String typeWords(SqlGrammar.TypeWordsContext tree) {
        List<NameContext> parts = tree.name();
        if (parts.isEmpty()) {
            return text(tree.getStart()) + " " + text(tree.getStop());
        }
        if (parts.size() == 2 && text(tree.getStart()).equals("pg_catalog")) {
            return text(tree.getStop());
        }
        return dotted(parts);
    }

    private static String withZone(
            String name, SqlGrammar.TimeZoneContext timeZone, Position position) {
        SqlException unsupported = Unsupported.type(name, position);
        if (unsupported != null) {
            throw unsupported;
        }
        if (timeZone == null) {
            return name;
        }
        if (!name.equals("time") && !name.equals("timestamp")) {
            throw SyntaxErrors.at(timeZone.getStart());
        }
        boolean isWith = timeZone.WITH() != null;
        if (isWith && name.equals("time")) {
            throw Unsupported.error("type time with time zone is not supported", position);
        }
        return isWith ? "timestamptz" : name;
    }

    private static int signed(SqlGrammar.SignedContext tree) {
        String text = tree.getText();
        if (text.length() > 9) {
            throw SyntaxErrors.at(tree.getStop());
        }
        return Integer.parseInt(text);
    }

    /// The text that a value of an option or a setting is: a string's characters, a number as
    /// written, a word folded.
    static String value(ParserRuleContext tree) {
        Token last = tree.getStop();
        return switch (last.getType()) {
            case SqlGrammar.STRING -> StringLiterals.value((SqlToken) last);
            case SqlGrammar.INTEGER, SqlGrammar.DECIMAL, SqlGrammar.FLOAT ->
                    tree.getStart().getType() == SqlGrammar.MINUS
                            ? "-" + last.getText()
                            : last.getText();
            default -> text(last);
        };
    }
}
