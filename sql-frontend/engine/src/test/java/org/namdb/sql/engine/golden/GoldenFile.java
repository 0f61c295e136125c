package org.namdb.sql.engine.golden;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A subject's statements, in order, and where its answers are.
///
/// @param statements what `<subject>.sql` holds
/// @param answers the path of `<subject>.out`
public record GoldenFile(String subject, List<Statement> statements, Path answers) {
    /// One statement of the file.
    ///
    /// @param text without the semicolon and without comments before it
    /// @param copyData the lines after `COPY ... FROM STDIN`, each with its newline; null for other
    ///     statements
    public record Statement(String text, @Nullable String copyData) {
        /// The statement as it stands above its answer.
        String echo() {
            StringBuilder echo = new StringBuilder();
            text.lines().forEach(line -> echo.append("> ").append(line).append('\n'));
            return echo.toString();
        }
    }

    /// A statement whose answer isn't the one of the golden file.
    public record Difference(String statement, String expected, String actual) {
        @Override
        public String toString() {
            return "%s;\n--- expected:\n%s\n--- actual:\n%s\n"
                    .formatted(statement, expected, actual);
        }
    }

    /// The subjects in a directory, in alphabetical order. Those in directories below it are not
    /// among them.
    public static List<String> subjects(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".sql"))
                    .map(name -> name.substring(0, name.length() - ".sql".length()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Reads `<subject>.sql`.
    public static GoldenFile read(Path directory, String subject) {
        String text = text(directory.resolve(subject + ".sql"));
        return new GoldenFile(subject, split(text), directory.resolve(subject + ".out"));
    }

    /// The statements of a text, each ended by a semicolon.
    public static List<Statement> split(String text) {
        return GoldenStatements.split(text);
    }

    /// Plays all statements and answers the contents of `<subject>.out`.
    public String play(GoldenTarget target) {
        StringBuilder transcript = new StringBuilder();
        for (Statement statement : statements) {
            String answer = target.run(statement.text(), statement.copyData());
            transcript.append(statement.echo()).append(answer).append("\n\n");
        }
        return transcript.toString();
    }

    /// Plays all statements and returns those whose answers differ from the golden file. Messages
    /// of errors are not compared.
    public List<Difference> differences(GoldenTarget target) {
        List<Difference> differences = new ArrayList<>();
        List<String> expected = expectedAnswers();
        for (int i = 0; i < statements.size(); i++) {
            Statement statement = statements.get(i);
            String actual = target.run(statement.text(), statement.copyData());
            if (!Answer.binding(actual).equals(Answer.binding(expected.get(i)))) {
                differences.add(new Difference(statement.text(), expected.get(i), actual));
            }
        }
        return differences;
    }

    /// The answers of the golden file, one for each statement. They are cut at the next statement's
    /// text, because an answer may hold empty lines.
    List<String> expectedAnswers() {
        String transcript = text(answers);
        List<String> expected = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < statements.size(); i++) {
            String echo = statements.get(i).echo();
            if (!transcript.startsWith(echo, start)) {
                throw new IllegalStateException(
                        answers + " is stale: it lacks, in place,\n" + echo);
            }
            start += echo.length();
            int end =
                    i + 1 < statements.size()
                            ? transcript.indexOf("\n\n" + statements.get(i + 1).echo(), start)
                            : transcript.length() - 2;
            if (end < start) {
                throw new IllegalStateException(answers + " is stale: no answer to\n" + echo);
            }
            expected.add(transcript.substring(start, end));
            start = end + 2;
        }
        return expected;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
