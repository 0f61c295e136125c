package org.namdb.sql.engine.catalog;

import java.util.ArrayList;
import java.util.List;

/// Several texts in one: separated by `|`, with a backslash before each `|` and backslash that
/// belongs to a text.
final class Fields {
    private static final char SEPARATOR = '|';
    private static final char ESCAPE = '\\';

    private Fields() {}

    static String join(List<String> texts) {
        StringBuilder joined = new StringBuilder();
        for (String text : texts) {
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c == SEPARATOR || c == ESCAPE) {
                    joined.append(ESCAPE);
                }
                joined.append(c);
            }
            joined.append(SEPARATOR);
        }
        return joined.toString();
    }

    static List<String> split(String joined) {
        List<String> texts = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < joined.length(); i++) {
            char c = joined.charAt(i);
            if (c == SEPARATOR) {
                texts.add(text.toString());
                text.setLength(0);
            } else {
                text.append(c == ESCAPE ? joined.charAt(++i) : c);
            }
        }
        return texts;
    }
}
