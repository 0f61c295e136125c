package org.namdb.sql.shell;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;

/// The syntax of the statements, for `\h`. It is in a file beside this class: a line of
/// `# NAME, NAME: what it does`, then the syntax.
public final class SyntaxHelp {
    private final SequencedMap<String, List<String>> topics = new LinkedHashMap<>();

    public SyntaxHelp() {
        List<String> topic = new ArrayList<>();
        for (String line : text().lines().toList()) {
            if (line.startsWith("# ")) {
                topic = new ArrayList<>(List.of(line.substring(2)));
                for (String name : line.substring(2, line.indexOf(':')).split(", ", -1)) {
                    topics.put(name, topic);
                }
            } else {
                topic.add(line);
            }
        }
    }

    /// The names of all statements.
    public List<String> names() {
        return List.copyOf(topics.keySet());
    }

    /// The help about the statements whose names begin so; empty if there are none.
    List<List<String>> find(String name) {
        String wanted = name.strip().replaceAll("\\s+", " ").toUpperCase(Locale.ROOT);
        if (topics.containsKey(wanted)) {
            return List.of(topics.get(wanted));
        }
        return topics.entrySet().stream()
                .filter(topic -> topic.getKey().startsWith(wanted))
                .map(topic -> topic.getValue())
                .distinct()
                .toList();
    }

    private static String text() {
        try (InputStream text = SyntaxHelp.class.getResourceAsStream("syntax.txt")) {
            if (text == null) {
                throw new IllegalStateException("the syntax of the statements is not in the jar");
            }
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
