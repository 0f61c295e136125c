package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Reads ANALYZE and VACUUM.
final class AnalyzeOptions {
    private static final String ANALYZE = "analyze";
    private static final String VERBOSE = "verbose";

    /// Options that say how PostgreSQL does its work: they are read and change nothing.
    private static final Set<String> IGNORED_BY_ANALYZE = Set.of("skip_locked");

    private static final Set<String> IGNORED_BY_VACUUM =
            Set.of(
                    "full",
                    "freeze",
                    "disable_page_skipping",
                    "skip_locked",
                    "index_cleanup",
                    "process_toast",
                    "truncate",
                    "parallel");

    private AnalyzeOptions() {}

    static Statement statement(SqlGrammar.AnalyzeContext tree) {
        boolean isVacuum = tree.VACUUM() != null;
        Map<String, Boolean> options = new HashMap<>();
        for (SqlGrammar.AnalyzeWordContext word : tree.analyzeWord()) {
            String name = word.getText().toLowerCase(Locale.ROOT);
            if (!isVacuum && !name.equals(VERBOSE)) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR,
                        "syntax error at or near \"" + word.getText() + "\"",
                        NameBuilder.position(word));
            }
            options.put(name, true);
        }
        for (SqlGrammar.AnalyzeOptionContext option : tree.analyzeOption()) {
            add(option, isVacuum, options);
        }
        boolean isAnalyze = !isVacuum || options.getOrDefault(ANALYZE, false);
        List<Statement.AnalyzedTable> targets = new ArrayList<>();
        for (SqlGrammar.AnalyzedContext analyzed : tree.analyzed()) {
            if (analyzed.nameList() != null && !isAnalyze) {
                throw Unsupported.error(
                        "ANALYZE option must be specified when a column list is provided",
                        NameBuilder.position(analyzed.nameList()));
            }
            targets.add(
                    new Statement.AnalyzedTable(
                            NameBuilder.tableName(analyzed.tableName()),
                            analyzed.nameList() == null
                                    ? List.of()
                                    : NameBuilder.names(analyzed.nameList())));
        }
        return new Statement.Analyze(
                isVacuum,
                isAnalyze,
                options.getOrDefault(VERBOSE, false),
                targets,
                NameBuilder.position(tree));
    }

    private static void add(
            SqlGrammar.AnalyzeOptionContext tree, boolean isVacuum, Map<String, Boolean> options) {
        String name =
                tree.optionName() == null
                        ? tree.getChild(0).getText().toLowerCase(Locale.ROOT)
                        : NameBuilder.name(tree.optionName()).text();
        Position position = NameBuilder.position(tree);
        if (name.equals(VERBOSE) || isVacuum && name.equals(ANALYZE)) {
            options.put(name, OptionValues.isOn(tree.optionValue(), name));
        } else if (!(isVacuum ? IGNORED_BY_VACUUM : IGNORED_BY_ANALYZE).contains(name)) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "unrecognized %s option \"%s\""
                            .formatted(isVacuum ? "VACUUM" : "ANALYZE", name),
                    position);
        }
    }
}
