package org.namdb.checker.history;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// Reads a history file: a JSON object on each line, for each attempted transaction, in any order.
/// Blank lines are ignored. An object, here on two lines:
/// ```
/// {"tid":12,"sid":"c0-t3","status":"ok","i":3,"t":57,"b":1000,"e":1400,
///  "snap":[9,4,7,56],"ops":[["r",17,5],["w",17,8]]}
/// ```
public final class HistoryReader {
    private HistoryReader() {}

    /// Reads a file.
    ///
    /// @throws InvalidHistoryException if it isn't there, or isn't a history: one sentence with the
    ///     line's number
    /// @throws IOException if it can't be read
    public static History read(Path file) throws IOException {
        HistoryBuilder history = History.builder();
        add(file, history);
        return built(history, file.toString());
    }

    /// Reads a stream to its end.
    ///
    /// @param name what messages call it
    /// @throws InvalidHistoryException if it isn't a history: one sentence with the line's number
    /// @throws IOException if it can't be read
    public static History read(InputStream stream, String name) throws IOException {
        HistoryBuilder history = History.builder();
        add(stream, name, history);
        return built(history, name);
    }

    private static History built(HistoryBuilder history, String name) {
        try {
            return history.build();
        } catch (InvalidHistoryException e) {
            throw new InvalidHistoryException(name + ": " + e.sentence());
        }
    }

    /// Adds what a file holds to a history that several files make together.
    ///
    /// @throws InvalidHistoryException if it isn't there, or isn't a part of a history: one
    ///     sentence with the line's number
    /// @throws IOException if it can't be read
    public static void add(Path file, HistoryBuilder history) throws IOException {
        if (Files.isDirectory(file)) {
            throw new InvalidHistoryException(file + " is a directory");
        }
        try (InputStream stream = Files.newInputStream(file)) {
            add(stream, file.toString(), history);
        } catch (NoSuchFileException e) {
            throw new InvalidHistoryException(file + ": no such file");
        } catch (AccessDeniedException e) {
            throw new InvalidHistoryException(file + ": permission denied");
        }
    }

    /// Adds what a stream holds to a history that several make together.
    ///
    /// @param name what messages call it
    /// @throws InvalidHistoryException if it isn't a part of a history: one sentence with the
    ///     line's number
    /// @throws IOException if it can't be read
    public static void add(InputStream stream, String name, HistoryBuilder history)
            throws IOException {
        LineParser parser = new LineParser(history);
        LineReader lines = new LineReader(stream);
        try {
            while (lines.next()) {
                if (!lines.isBlank()) {
                    parser.add(lines.bytes(), lines.offset(), lines.length());
                }
            }
        } catch (InvalidHistoryException e) {
            throw new InvalidHistoryException(
                    name + ", line " + lines.number() + ": " + e.sentence());
        }
    }
}
