package org.namdb.sql.shell;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A meta command with its arguments.
///
/// @param word the word behind the backslash
/// @param rest all behind it
/// @param arguments the same cut at blanks outside of single quotes, which are taken off
record MetaLine(String word, String rest, List<String> arguments) {
    MetaLine {
        arguments = List.copyOf(arguments);
    }

    /// Takes a line apart that begins with a backslash.
    static MetaLine parse(String line) {
        String text = line.strip();
        if (text.endsWith(";") && !text.startsWith("\\echo")) {
            text = text.substring(0, text.length() - 1).strip(); // a habit of the fingers
        }
        int end = 1;
        while (end < text.length() && !Character.isWhitespace(text.charAt(end))) {
            end++;
        }
        String rest = text.substring(end).strip();
        return new MetaLine(text.substring(1, end), rest, split(rest));
    }

    /// The argument of this number; null if there are not so many.
    @Nullable String argument(int number) {
        return number < arguments.size() ? arguments.get(number) : null;
    }

    private static List<String> split(String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean isQuoted = false;
        boolean hasWord = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean isDoubled = isQuoted && c == '\'' && text.startsWith("''", i);
            if (isDoubled) {
                word.append(c);
                i++;
            } else if (c == '\'') {
                isQuoted = !isQuoted;
                hasWord = true;
            } else if (Character.isWhitespace(c) && !isQuoted) {
                if (hasWord) {
                    words.add(word.toString());
                }
                word.setLength(0);
                hasWord = false;
            } else {
                word.append(c);
                hasWord = true;
            }
        }
        if (isQuoted) {
            throw new ShellException("a quote is not closed: " + text);
        }
        if (hasWord) {
            words.add(word.toString());
        }
        return words;
    }
}
