package org.namdb.sql.server;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The startup parameter `options`: settings as arguments of a command line, `-c name=value` or
/// `--name=value`, with a backslash before blanks that belong to them.
final class StartupOptions {
    private StartupOptions() {}

    /// @throws SqlException 42601 if an argument is none of these
    static Map<String, String> parse(String options) {
        Map<String, String> settings = new LinkedHashMap<>();
        List<String> words = words(options);
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            String setting;
            if (word.equals("-c") && i + 1 < words.size()) {
                setting = words.get(++i);
            } else if (word.startsWith("-c") || word.startsWith("--")) {
                setting = word.substring(2);
            } else {
                throw invalid(word);
            }
            int equals = setting.indexOf('=');
            if (equals < 1) {
                throw invalid(word);
            }
            settings.put(
                    setting.substring(0, equals).replace('-', '_'), setting.substring(equals + 1));
        }
        return settings;
    }

    private static List<String> words(String options) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean isEscaped = false;
        for (int i = 0; i < options.length(); i++) {
            char c = options.charAt(i);
            if (!isEscaped && c == '\\') {
                isEscaped = true;
            } else if (!isEscaped && Character.isWhitespace(c)) {
                if (!word.isEmpty()) {
                    words.add(word.toString());
                    word.setLength(0);
                }
            } else {
                word.append(c);
                isEscaped = false;
            }
        }
        if (!word.isEmpty()) {
            words.add(word.toString());
        }
        return words;
    }

    private static SqlException invalid(String word) {
        return new SqlException(
                SqlState.SYNTAX_ERROR, "invalid command-line argument for server process: " + word);
    }
}
