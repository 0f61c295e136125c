package org.namdb.sql.shell;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/// Where the lines of statements come from.
public interface LineSource {
    /// What was typed so far is given up.
    final class ClearedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public ClearedException() {
            super("given up by the user", null, false, false);
        }
    }

    /// The next line without its end; null if there is no more.
    ///
    /// @param open what is open in the lines before, which a prompt shows
    /// @throws ClearedException if the person gives up the statement or the data that was begun
    @Nullable String next(OpenText open);

    /// The name of the file, for messages; empty if that has no use.
    String name();

    /// Whether a person types the lines.
    default boolean isInteractive() {
        return false;
    }

    /// The lines of a text.
    static LineSource of(String text) {
        return of(new StringReader(text), "");
    }

    /// The lines of a file or a pipe.
    ///
    /// @param name what messages call it
    static LineSource of(Reader reader, String name) {
        BufferedReader lines = new BufferedReader(reader);
        return new LineSource() {
            @Override
            public @Nullable String next(OpenText open) {
                try {
                    return lines.readLine();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }

            @Override
            public String name() {
                return name;
            }
        };
    }
}
