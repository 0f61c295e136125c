package org.namdb.sql.language.parser;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The options of EXPLAIN.
///
/// @param isAnalyze whether the statement is run
/// @param showsVerbs whether the verbs to memory servers are shown
record ExplainOptions(boolean isAnalyze, boolean showsVerbs) {
    /// Options of PostgreSQL for more or less than NamDB shows: they are accepted and ignored.
    private static final Set<String> IGNORED =
            Set.of("verbose", "costs", "settings", "buffers", "wal", "timing", "summary");

    static ExplainOptions of(SqlGrammar.@Nullable ExplainOptionsContext tree) {
        ExplainOptions options = new ExplainOptions(false, false);
        return switch (tree) {
            case null -> options;
            case SqlGrammar.ExplainWordsContext words ->
                    new ExplainOptions(words.ANALYZE() != null, words.VERBS() != null);
            case SqlGrammar.ExplainListContext list -> {
                for (SqlGrammar.ExplainOptionContext option : list.explainOption()) {
                    options = options.with(option);
                }
                yield options;
            }
            default -> throw new IllegalStateException("no options: " + tree.getClass());
        };
    }

    private ExplainOptions with(SqlGrammar.ExplainOptionContext tree) {
        String name = NameBuilder.name(tree.optionName()).text();
        return switch (name) {
            case "analyze" ->
                    new ExplainOptions(OptionValues.isOn(tree.optionValue(), name), showsVerbs);
            case "verbs" ->
                    new ExplainOptions(isAnalyze, OptionValues.isOn(tree.optionValue(), name));
            case "format" -> {
                String format = OptionValues.text(tree.optionValue(), name);
                if (!format.equals("text")) {
                    throw Unsupported.error(
                            "EXPLAIN in the format " + format + " is not supported",
                            NameBuilder.position(tree));
                }
                yield this;
            }
            default -> {
                if (!IGNORED.contains(name)) {
                    throw new SqlException(
                            SqlState.SYNTAX_ERROR,
                            "unrecognized EXPLAIN option \"" + name + "\"",
                            NameBuilder.position(tree));
                }
                yield this;
            }
        };
    }
}
