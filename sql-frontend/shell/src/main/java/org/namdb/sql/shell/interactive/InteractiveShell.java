package org.namdb.sql.shell.interactive;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jline.reader.LineReader;
import org.jline.reader.LineReader.Option;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.Reference;
import org.jline.reader.Widget;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.shell.Screen;
import org.namdb.sql.shell.Shell;
import org.namdb.sql.shell.ShellDatabase;
import org.namdb.sql.shell.ShellException;
import org.namdb.sql.shell.ShellOptions;
import org.namdb.sql.shell.SqlShell;
import org.namdb.sql.shell.format.LineStyle;
import org.namdb.sql.shell.format.Paint;
import org.namdb.sql.shell.format.PrintSettings;

/// A shell in a terminal.
public final class InteractiveShell {
    private static final Size USUAL_SIZE = new Size(80, 24);

    private static final int MAX_LISTED = 200;

    private static final String TAB = "complete-or-tab";

    private final ShellDatabase database;
    private final ShellOptions options;
    private final Terminal terminal;
    private final boolean isColored;

    private InteractiveShell(
            ShellDatabase database, ShellOptions options, Terminal terminal, boolean isColored) {
        this.database = database;
        this.options = options;
        this.terminal = terminal;
        this.isColored = isColored;
    }

    /// Runs in the terminal of this process until the user leaves.
    ///
    /// @return the exit status
    public static int run(ShellDatabase database, ShellOptions options) {
        Map<String, String> environment = System.getenv();
        try (Terminal terminal = TerminalBuilder.builder().system(true).dumb(true).build()) {
            sizeUp(terminal);
            Path history = StatementHistory.file(environment, System.getProperty("user.home", "."));
            boolean isColored = environment.getOrDefault("NO_COLOR", "").isEmpty();
            return run(database, options, terminal, history, isColored);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A terminal of unknown size reports no columns at all.
    private static void sizeUp(Terminal terminal) {
        if (terminal.getWidth() <= 0 || terminal.getHeight() <= 0) {
            terminal.setSize(USUAL_SIZE);
        }
    }

    /// Runs in a terminal until the user leaves.
    ///
    /// @param history the file that keeps what was typed; null for none
    /// @param wantsColors whether the user has nothing against colours
    /// @return the exit status
    public static int run(
            ShellDatabase database,
            ShellOptions options,
            Terminal terminal,
            @Nullable Path history,
            boolean wantsColors) {
        boolean isColored = wantsColors && !terminal.getType().startsWith("dumb");
        return new InteractiveShell(database, options, terminal, isColored).run(history);
    }

    private int run(@Nullable Path history) {
        prepare(options.print());
        Shell shell = new Shell(database, screen(), options.print(), options.stopsOnError());
        StatementParser parser = new StatementParser();
        LineReader reader = reader(parser, history);
        Terminal.SignalHandler before = terminal.handle(Signal.INT, signal -> interrupt(shell));
        try (shell) {
            banner();
            if (begin(shell)) {
                LinesAbovePrompt.during(
                        reader,
                        () -> {
                            boolean _ = shell.run(new TypedLines(reader, parser, shell));
                        });
            }
            return SqlShell.DONE;
        } finally {
            terminal.handle(Signal.INT, before);
            terminal.flush();
        }
    }

    private boolean begin(Shell shell) {
        try {
            SqlShell.begin(shell, options);
        } catch (ShellException e) {
            shell.failure(String.valueOf(e.getMessage()));
        }
        return !shell.isLeft();
    }

    private void prepare(PrintSettings print) {
        print.colored(isColored);
        print.nullText("NULL");
        print.border(2);
        if (StandardCharsets.UTF_8.equals(terminal.encoding())
                && !terminal.getType().startsWith("dumb")) {
            print.lineStyle(LineStyle.UNICODE);
        }
    }

    private LineReader reader(StatementParser parser, @Nullable Path history) {
        LineReaderBuilder builder =
                LineReaderBuilder.builder()
                        .appName("namdb")
                        .terminal(terminal)
                        .parser(parser)
                        .history(new StatementHistory())
                        .completer(new SqlCompleter(database))
                        .highlighter(new SqlHighlighter(isColored))
                        .option(Option.DISABLE_EVENT_EXPANSION, true) // `!=` is no event
                        .option(Option.INSERT_TAB, false)
                        .option(Option.CASE_INSENSITIVE, true)
                        .option(Option.HISTORY_IGNORE_DUPS, true)
                        .option(Option.HISTORY_REDUCE_BLANKS, false)
                        .option(Option.AUTO_FRESH_LINE, true)
                        .variable(LineReader.LIST_MAX, MAX_LISTED)
                        .variable(LineReader.INDENTATION, 0);
        if (history != null) {
            builder.variable(LineReader.HISTORY_FILE, history);
        }
        LineReader reader = builder.build();
        parser.remarkBy(reader::printAbove);
        Widget expand =
                Objects.requireNonNull(reader.getWidgets().get(LineReader.EXPAND_OR_COMPLETE));
        reader.getWidgets().put(TAB, () -> tab(reader, parser, expand));
        for (String keys : List.of(LineReader.MAIN, LineReader.EMACS, LineReader.VIINS)) {
            Objects.requireNonNull(reader.getKeyMaps().get(keys)).bind(new Reference(TAB), "\t");
        }
        return reader;
    }

    /// Tab completes, but in the data of a COPY it is what stands between two values.
    private static boolean tab(LineReader reader, StatementParser parser, Widget expand) {
        if (parser.takesData()) {
            reader.getBuffer().write('\t');
        } else {
            // Not by callWidget, which would swallow an interrupt that comes while a list is shown.
            return expand.apply();
        }
        return true;
    }

    /// The terminal has written `^C`; what comes now begins a line.
    private void interrupt(Shell shell) {
        terminal.writer().println();
        terminal.flush();
        shell.interrupt();
    }

    private void banner() {
        Paint paint = new Paint(isColored);
        PrintWriter out = terminal.writer();
        String version = InteractiveShell.class.getPackage().getImplementationVersion();
        out.println(
                paint.heading("NamDB" + (version == null ? "" : " " + version))
                        + ": "
                        + database.facts().getFirst());
        database.facts().stream().skip(1).forEach(out::println);
        out.println(
                paint.command("\\?")
                        + " lists commands, "
                        + paint.command("\\h")
                        + " helps with SQL, "
                        + paint.command("\\q")
                        + " or Ctrl-D leaves.");
        out.println();
        out.flush();
    }

    private Screen screen() {
        return new Screen() {
            @Override
            public PrintWriter out() {
                return terminal.writer();
            }

            @Override
            public PrintWriter errors() {
                return terminal.writer();
            }

            @Override
            public boolean isTerminal() {
                return true;
            }

            @Override
            public int columns() {
                return terminal.getWidth();
            }

            @Override
            public int rows() {
                return terminal.getHeight();
            }
        };
    }
}
