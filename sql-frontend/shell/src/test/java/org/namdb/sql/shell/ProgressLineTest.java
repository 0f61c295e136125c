package org.namdb.sql.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.namdb.sql.shell.format.PrintSettings;

/// A line shows how far a statement is, and is erased before anything else is written.
class ProgressLineTest {
    private final StringWriter written = new StringWriter();
    private final CountDownLatch asked = new CountDownLatch(3);

    /// A terminal: results and remarks go to the same place.
    private record Terminal(PrintWriter out, boolean isTerminal) implements Screen {
        @Override
        public PrintWriter errors() {
            return out;
        }

        @Override
        public int columns() {
            return 80;
        }

        @Override
        public int rows() {
            return 24;
        }
    }

    private ShellOutput output(boolean isTerminal) {
        Screen screen = new Terminal(new PrintWriter(written), isTerminal);
        return new ShellOutput(screen, new ShellSettings(new PrintSettings()), false);
    }

    private String progress() {
        asked.countDown();
        return "7 rows read";
    }

    @Test
    void theLineIsRemovedBeforeTheFirstRow() throws InterruptedException {
        ShellOutput output = output(true);
        try (ProgressLine line = ProgressLine.start(output, this::progress, 0.001)) {
            asked.await();
            line.before(output.out()).println("row");
        }
        assertThat(written.toString())
                .startsWith("\r\u001b[K7 rows read, 0 s\r\u001b[K7 rows read, ")
                .endsWith("s\r\u001b[Krow" + System.lineSeparator());
    }

    @Test
    void aQuickStatementShowsNone() {
        try (ProgressLine _ = ProgressLine.start(output(true), this::progress)) {
            // ends at once
        }
        assertThat(written.toString()).isEmpty();
    }

    @Test
    void aProgramIsShownNone() {
        ShellOutput output = output(false);
        try (ProgressLine line = ProgressLine.start(output, this::progress, 0)) {
            assertThat(line.before(output.out())).isSameAs(output.out());
        }
        assertThat(written.toString()).isEmpty();
        assertThat(asked.getCount()).isEqualTo(3);
    }
}
