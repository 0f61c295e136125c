package org.namdb.sql.language.parser;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Values of options in parentheses.
final class OptionValues {
    private OptionValues() {}

    /// Whether a Boolean option is on; one without a value is.
    static boolean isOn(SqlGrammar.@Nullable OptionValueContext tree, String option) {
        if (tree == null) {
            return true;
        }
        return switch (text(tree, option)) {
            case "true", "on", "1" -> true;
            case "false", "off", "0" -> false;
            default ->
                    throw new SqlException(
                            SqlState.SYNTAX_ERROR,
                            option + " requires a Boolean value",
                            NameBuilder.position(tree));
        };
    }

    /// The value in lower case.
    static String text(SqlGrammar.@Nullable OptionValueContext tree, String option) {
        return required(tree, option).toLowerCase(Locale.ROOT);
    }

    /// The value as written.
    static String required(SqlGrammar.@Nullable OptionValueContext tree, String option) {
        if (tree == null) {
            throw new SqlException(SqlState.SYNTAX_ERROR, option + " requires a parameter");
        }
        return NameBuilder.value(tree);
    }
}
