package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.namdb.sql.language.ast.PlpgsqlStatement;
import org.namdb.sql.language.ast.PlpgsqlStatement.Sql;

/// Reads RAISE, and the conditions of errors.
final class RaiseParser {
    private static final Set<String> LEVELS =
            Set.of("debug", "log", "info", "notice", "warning", "exception");

    private static final Set<String> RAISE_OPTIONS =
            Set.of(
                    "message",
                    "detail",
                    "hint",
                    "errcode",
                    "column",
                    "constraint",
                    "datatype",
                    "table",
                    "schema");

    private RaiseParser() {}

    /// A name, or SQLSTATE with five characters, which are not in lower case.
    static String condition(RoutineTokens tokens) {
        if (!tokens.accept("sqlstate")) {
            return tokens.name().text();
        }
        RoutineTokens.Token place = tokens.peek();
        String code = tokens.string();
        if (!code.matches("[0-9A-Z]{5}")) {
            throw RoutineTokens.error("invalid SQLSTATE code", place);
        }
        return code;
    }

    /// The statement that comes next.
    static PlpgsqlStatement statement(RoutineTokens tokens, int line) {
        tokens.expect("raise");
        String level = "exception";
        if (tokens.peek().kind() == SqlScanner.Kind.WORD && LEVELS.contains(tokens.peek().word())) {
            level = tokens.next().word();
        }
        String condition = null;
        String format = null;
        List<Sql> values = new ArrayList<>();
        RoutineTokens.Token place = tokens.peek();
        if (place.isString()) {
            format = tokens.string();
            while (tokens.accept(",")) {
                values.add(tokens.expression(",", ";", "using"));
            }
            requirePlaces(format, values.size(), place);
        } else if (place.isName() && !place.is("using")) {
            condition = condition(tokens);
        }
        List<PlpgsqlStatement.RaiseOption> options = new ArrayList<>();
        if (tokens.accept("using")) {
            do {
                RoutineTokens.Token name = tokens.peek();
                String option = tokens.name().text();
                if (!RAISE_OPTIONS.contains(option)) {
                    throw RoutineTokens.error("unrecognized RAISE statement option", name);
                }
                if (!tokens.accept("=")) {
                    tokens.expect(":=");
                }
                options.add(new PlpgsqlStatement.RaiseOption(option, tokens.expression(",", ";")));
            } while (tokens.accept(","));
        }
        return new PlpgsqlStatement.Raise(level, condition, format, values, options, line);
    }

    private static void requirePlaces(String format, int values, RoutineTokens.Token place) {
        long places = format.replace("%%", "").chars().filter(c -> c == '%').count();
        if (places != values) {
            throw RoutineTokens.error(
                    "too " + (places < values ? "many" : "few") + " parameters specified for RAISE",
                    place);
        }
    }
}
