package org.namdb.sql.shell.interactive;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jline.reader.LineReader;

/// Takes the place of standard error while a person types: logs of background threads are shown
/// above the prompt, line by line, and not in what is being typed.
final class LinesAbovePrompt extends OutputStream {
    private final LineReader reader;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    private LinesAbovePrompt(LineReader reader) {
        this.reader = reader;
    }

    /// Runs something with standard error in this place.
    static void during(LineReader reader, Runnable action) {
        PrintStream before = System.err;
        System.setErr(new PrintStream(new LinesAbovePrompt(reader), true, StandardCharsets.UTF_8));
        try {
            action.run();
        } finally {
            System.setErr(before);
        }
    }

    @Override
    public synchronized void write(int b) {
        if (b != '\n') {
            line.write(b);
            return;
        }
        String text = line.toString(StandardCharsets.UTF_8);
        line.reset();
        reader.printAbove(text);
    }
}
