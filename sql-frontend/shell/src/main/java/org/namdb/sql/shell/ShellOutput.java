package org.namdb.sql.shell;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.shell.format.CellText;
import org.namdb.sql.shell.format.MarkedLine;
import org.namdb.sql.shell.format.Paint;
import org.namdb.sql.shell.format.PrintSettings;
import org.namdb.sql.shell.format.RowPrinter;

/// Writes results, remarks and errors: to the screen, through the pager, or to the file that
/// `\o` names.
final class ShellOutput {
    /// Of what is no terminal.
    private static final int USUAL_COLUMNS = 80;

    private static final String CLEAR_LINE = "\u001b[K";

    private final Screen screen;
    private final ShellSettings settings;
    private final Paint errorPaint;
    private @Nullable PrintWriter file;
    private String fileName = "";
    private boolean showsProgress;

    ShellOutput(Screen screen, ShellSettings settings, boolean hasColoredErrors) {
        this.screen = screen;
        this.settings = settings;
        this.errorPaint = new Paint(hasColoredErrors);
    }

    /// Sends results to a file from now on; null for the screen.
    void redirect(@Nullable Path path) {
        closeFile();
        if (path != null) {
            try {
                file = ResultWriter.of(Files.newOutputStream(path));
                fileName = path.toString();
            } catch (IOException e) {
                throw Files.isDirectory(path)
                        ? new ShellException(path + " is a directory")
                        : new ShellException(path + " can't be written: " + reason(e));
            }
        }
    }

    void closeFile() {
        PrintWriter closed = file;
        file = null;
        if (closed != null) {
            closed.close();
        }
    }

    /// Where results go.
    PrintWriter out() {
        return file != null ? file : screen.out();
    }

    /// Where bytes go.
    ///
    /// @throws ShellException if results go to a terminal
    OutputStream bytes() {
        OutputStream bytes = out() instanceof ResultWriter results ? results.bytes() : null;
        if (bytes == null) {
            throw new ShellException(
                    "the binary format is not shown on a terminal; \\copy .. to 'file' (format"
                            + " binary) writes it to a file");
        }
        return bytes;
    }

    /// Where results go, in words.
    String target() {
        return file != null ? fileName : "standard output";
    }

    /// Whether results go to a file that the user has named.
    boolean isToFile() {
        return file != null;
    }

    /// Writes what was buffered.
    ///
    /// @throws LostOutputException if it can't be written
    void flush() {
        out().flush();
    }

    /// Whether a person sees the results.
    boolean isTerminal() {
        return screen.isTerminal() && file == null;
    }

    /// Whether remarks may stand between the rows of two statements: a program takes what it reads
    /// for rows.
    boolean isForPeople() {
        PrintSettings print = settings.print();
        return isTerminal() || (print.format().isForPeople() && !print.tuplesOnly());
    }

    /// The columns of the terminal; of a usual one if the screen is none.
    int columns() {
        return screen.columns() > 0 ? screen.columns() : USUAL_COLUMNS;
    }

    /// Colours for what goes to the screen.
    Paint paint() {
        return new Paint(settings.print().colored() && file == null);
    }

    /// Takes and shows the rows of a result.
    ///
    /// @param progress of the statement; ends when there are rows
    void rows(Result result, ProgressLine progress) {
        if (file != null) {
            new RowPrinter(settings.print().forFile()).print(result, file);
            return;
        }
        settings.print().screenColumns(screen.columns());
        paged(out -> new RowPrinter(settings.print()).print(result, progress.before(out)));
    }

    /// Shows rows that the shell has made itself.
    void listing(Result rows) {
        paged(out -> list(rows, out));
    }

    /// Writes rows that the shell has made itself, among other lines.
    void list(Result rows, PrintWriter out) {
        PrintSettings print = settings.print();
        new RowPrinter((file == null ? print : print.forFile()).forListing()).print(rows, out);
    }

    /// Writes what may be longer than the screen.
    void paged(Consumer<PrintWriter> text) {
        List<String> pager = settings.isPaged() && isTerminal() ? PagedWriter.pager() : List.of();
        if (pager.isEmpty()) {
            text.accept(out());
            out().flush();
            return;
        }
        PagedWriter writer = new PagedWriter(screen, pager);
        try (PrintWriter out = new PrintWriter(writer)) {
            text.accept(out);
        } catch (PagedWriter.ClosedByReaderException e) {
            // The reader has seen enough; the remaining rows are not needed.
        }
    }

    /// A line of a result.
    void line(String text) {
        out().println(text);
        out().flush();
    }

    /// A remark about the work of the shell, for a person: not part of any result.
    void remark(String text) {
        screen.errors().println(text);
        screen.errors().flush();
    }

    /// A statement's error, with the place and what may help.
    ///
    /// @param place the file and line of a script; empty for what was typed
    void error(SqlException error, String place) {
        PrintWriter errors = screen.errors();
        screen.out().flush();
        String code = "ERROR " + error.code() + ":";
        errors.println(place + errorPaint.error(code) + " " + clean(error.getMessage()));
        if (error.line() > 0) {
            MarkedLine marked = marked(error);
            errors.println(marked.line());
            errors.println(errorPaint.error(marked.marks()));
        }
        label("DETAIL:", error.detail());
        label("HINT:", error.hint());
        label("CONTEXT:", error.context());
        errors.flush();
    }

    private void label(String label, @Nullable String text) {
        if (text != null) {
            screen.errors().println(errorPaint.remark(label) + "  " + clean(text));
        }
    }

    private MarkedLine marked(SqlException error) {
        return MarkedLine.of(
                "LINE " + error.line() + ": ",
                error.lineText(),
                error.column() - 1,
                error.markLength(),
                columns());
    }

    /// An error of the shell itself.
    void failure(String message, String place) {
        screen.out().flush();
        screen.errors().println(place + errorPaint.error("ERROR:") + " " + clean(message));
        screen.errors().flush();
    }

    /// A remark of a statement.
    void notice(Notice notice) {
        screen.out().flush();
        screen.errors()
                .println(errorPaint.remark(notice.severity() + ":") + "  " + clean(notice.text()));
        screen.errors().flush();
    }

    /// Whether a person is at the screen, wherever results go.
    boolean isAtTerminal() {
        return screen.isTerminal();
    }

    /// How far a statement is: on a line that the next call overwrites.
    void progress(String text) {
        showsProgress = true;
        screen.errors().print("\r" + CLEAR_LINE + errorPaint.faint(text));
        screen.errors().flush();
    }

    /// Removes the line of [#progress].
    void endProgress() {
        if (showsProgress) {
            showsProgress = false;
            screen.errors().print("\r" + CLEAR_LINE);
            screen.errors().flush();
        }
    }

    /// What was wrong with a file, without its name.
    static String reason(IOException e) {
        return switch (e) {
            case NoSuchFileException missing -> "there is no such file or directory";
            case AccessDeniedException denied -> "permission denied";
            default -> String.valueOf(e.getMessage());
        };
    }

    /// What is behind an unchecked exception.
    static IOException cause(UncheckedIOException e) {
        return e.getCause() == null ? new IOException(e) : e.getCause();
    }

    private static String clean(@Nullable String text) {
        return text == null ? "" : String.join("\n", CellText.lines(text));
    }
}
