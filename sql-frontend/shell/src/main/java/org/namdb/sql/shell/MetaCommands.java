package org.namdb.sql.shell;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.shell.MetaCommand.Group;
import org.namdb.sql.shell.format.CellText;
import org.namdb.sql.shell.format.ListedRows;
import org.namdb.sql.shell.format.Paint;
import org.namdb.sql.shell.format.PrintSettings.Expanded;

/// Performs meta commands.
final class MetaCommands {
    private static final Pattern SESSION_NAME = Pattern.compile("[A-Za-z0-9_]{1,16}");
    private static final double DEFAULT_WATCH_SECONDS = 2;
    private static final double MIN_WATCH_SECONDS = 0.1;
    private static final double MAX_WATCH_SECONDS = 86_400;

    private static final int HELP_INDENT = 27;
    private static final String HOW_TO_TYPE =
            "A statement ends with a semicolon and may go over many lines. Ctrl-C stops a statement"
                    + " or clears the line, Ctrl-R searches the history, Tab completes.";
    private static final DateTimeFormatter WATCHED_AT =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

    private final Shell shell;
    private final ShellDatabase database;
    private final Sessions sessions;
    private final ShellSettings settings;
    private final ShellOutput output;
    private final RoleListing roles;
    private final TableListing listing;
    private final DisplayCommands display;
    private final FileCommands files;

    MetaCommands(Shell shell, ShellDatabase database, Sessions sessions, ShellSettings settings) {
        this.shell = shell;
        this.database = database;
        this.sessions = sessions;
        this.settings = settings;
        this.output = shell.output();
        this.roles = new RoleListing(sessions, output);
        this.listing = new TableListing(database, output, roles);
        this.display = new DisplayCommands(settings, output);
        this.files = new FileCommands(sessions, shell.runner());
    }

    /// Performs one.
    ///
    /// @param text from the backslash on
    /// @param buffer the statement that was begun before it
    /// @param source where the line stood
    void run(String text, StatementBuffer buffer, LineSource source) {
        MetaLine line = MetaLine.parse(text);
        MetaCommand command = MetaCommand.of(line.word());
        if (command == null) {
            throw new ShellException(
                    "there is no command \\" + line.word() + "; \\? lists those there are");
        }
        switch (command.group()) {
            case GENERAL, LOOK -> runGeneral(command, line);
            case TABLES, FORMAT -> runDisplay(command, line);
            case INPUT, FILES -> runInput(command, line, buffer, source);
        }
    }

    private void runGeneral(MetaCommand command, MetaLine line) {
        switch (command) {
            case HELP -> help();
            case SYNTAX -> syntax(line.rest());
            case QUIT -> shell.leave();
            case CONNECTION -> database.facts().forEach(output::line);
            case TIMING -> toggle("Timing", line, settings.isTimed(), settings::timed);
            case VERBS -> toggle("Counting of verbs", line, settings.showsVerbs(), settings::verbs);
            case EXPLAIN ->
                    toggle("Showing of plans", line, settings.explains(), settings::explain);
            case TRANSACTION -> transaction();
            case SESSION -> session(line.argument(0));
            case SESSIONS -> listSessions();
            default -> throw new IllegalStateException("not of this group: " + command);
        }
    }

    private void runDisplay(MetaCommand command, MetaLine line) {
        switch (command) {
            case DESCRIBE -> {
                if (line.rest().isEmpty()) {
                    listing.tables("", line.word().endsWith("+"));
                } else {
                    listing.describe(line.rest(), line.word().endsWith("+"));
                }
            }
            case TABLES -> listing.tables(line.rest(), line.word().endsWith("+"));
            case INDEXES -> listing.indexes(line.rest());
            case VIEWS -> listing.views(line.rest());
            case SEQUENCES -> listing.sequences(line.rest());
            case ROUTINES -> listing.routines(line.rest());
            case SOURCE -> listing.source(line.rest());
            case VIEW_SOURCE -> listing.viewSource(line.rest());
            case SCHEMAS -> listing.schemas(line.rest());
            case DATABASES -> listing.databases(line.rest());
            case ROLES -> roles.roles(line.rest());
            case PRIVILEGES -> roles.privileges(line.rest());
            case EXPANDED -> display.expanded(line.argument(0));
            case FORMAT -> display.format(line.argument(0));
            case UNALIGNED -> display.unaligned();
            case TUPLES_ONLY -> display.set("tuples_only", line.argument(0));
            case PSET -> display.set(line.argument(0), line.argument(1));
            default -> throw new IllegalStateException("not of this group: " + command);
        }
    }

    private void runInput(
            MetaCommand command, MetaLine line, StatementBuffer buffer, LineSource source) {
        switch (command) {
            case GO -> shell.runStatement(takeStatement(buffer), source);
            case GO_EXPANDED -> runExpanded(takeStatement(buffer), source);
            case PRINT -> output.line(orLast(buffer.pending()));
            case RESET -> {
                buffer.clear();
                output.remark("The statement is forgotten.");
            }
            case EDIT -> edit(line.argument(0), buffer);
            case WATCH -> watch(line, buffer, source);
            case INCLUDE -> include(line.rest(), line.argument(0));
            case WRITE -> files.write(line.argument(0), orLast(buffer.pending()));
            case OUTPUT -> {
                String file = line.argument(0);
                output.redirect(file == null ? null : FileCommands.path(file));
            }
            case COPY -> files.copy(line.rest(), source);
            case ECHO -> output.line(String.join(" ", line.arguments()));
            default -> throw new IllegalStateException("not of this group: " + command);
        }
    }

    private void toggle(String what, MetaLine line, boolean before, Consumer<Boolean> set) {
        String value = line.argument(0);
        boolean isOn = value == null ? !before : DisplayCommands.isOn(value);
        set.accept(isOn);
        output.remark(what + " is " + (isOn ? "on" : "off") + ".");
    }

    private void help() {
        Paint paint = output.paint();
        int columns = output.columns();
        output.paged(out -> {
            for (Group group : Group.values()) {
                out.println(paint.heading(group.title()));
                for (MetaCommand command : MetaCommand.values()) {
                    if (command.group() == group) {
                        helpLines(command, paint, columns).forEach(out::println);
                    }
                }
            }
            out.println();
            CellText.wrapped(HOW_TO_TYPE, columns).forEach(out::println);
        });
    }

    /// The description stands beside the call, or under it, and is as wide as the terminal allows.
    private static List<String> helpLines(MetaCommand command, Paint paint, int columns) {
        String call = ("\\" + command.word() + " " + command.arguments()).strip();
        String painted = "  " + paint.command(call);
        List<String> description = CellText.wrapped(command.description(), columns - HELP_INDENT);
        List<String> lines = new ArrayList<>();
        int blanks = HELP_INDENT - 2 - call.length();
        if (blanks > 0) {
            lines.add(painted + " ".repeat(blanks) + description.getFirst());
            description = description.subList(1, description.size());
        } else {
            lines.add(painted);
        }
        description.forEach(line -> lines.add(" ".repeat(HELP_INDENT) + line));
        return lines;
    }

    private void syntax(String name) {
        SyntaxHelp help = new SyntaxHelp();
        if (name.isEmpty()) {
            output.paged(out -> {
                out.println("\\h and one of these shows how it is written:");
                help.names().forEach(topic -> out.println("  " + topic));
            });
            return;
        }
        List<List<String>> topics = help.find(name);
        if (topics.isEmpty()) {
            throw new ShellException(
                    "there is no help on \"" + name + "\"; \\h lists what there is");
        }
        Paint paint = output.paint();
        output.paged(out -> {
            for (List<String> topic : topics) {
                out.println(paint.heading(topic.getFirst()));
                topic.stream().skip(1).forEach(text -> out.println("  " + text));
            }
        });
    }

    private void transaction() {
        ShellConnection connection = sessions.connection();
        SnapshotReport.lines(sessions.name(), connection.status(), connection.snapshot())
                .forEach(output::line);
    }

    private void session(@Nullable String name) {
        if (name == null) {
            output.remark("This is session " + sessions.name() + ".");
            return;
        }
        boolean isEnd = name.startsWith("-");
        String bare = isEnd ? name.substring(1) : name;
        if (!SESSION_NAME.matcher(bare).matches()) {
            throw new ShellException(
                    "a session's name is 1 to 16 letters and digits, not \"" + bare + "\"");
        }
        if (isEnd) {
            sessions.close(bare);
            output.remark("Session " + bare + " is ended.");
        } else {
            boolean isNew = !sessions.all().containsKey(bare);
            sessions.use(bare);
            output.remark((isNew ? "New session " : "Session ") + bare + ".");
        }
    }

    private void listSessions() {
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (Map.Entry<String, ShellConnection> entry : sessions.all().entrySet()) {
            String state =
                    switch (entry.getValue().status()) {
                        case IDLE -> "idle";
                        case ACTIVE -> "in a transaction";
                        case FAILED -> "in a failed transaction";
                    };
            String mark = entry.getKey().equals(sessions.name()) ? "this one" : "";
            long slot = entry.getValue().slot();
            rows.add(ListedRows.row(entry.getKey(), slot, state, mark));
        }
        output.listing(
                new ListedRows(
                        List.of(
                                new ResultColumn("session", SqlType.TEXT),
                                new ResultColumn("slot", SqlType.INTEGER),
                                new ResultColumn("state", SqlType.TEXT),
                                new ResultColumn("", SqlType.TEXT)),
                        rows));
    }

    private String takeStatement(StatementBuffer buffer) {
        String statement = buffer.pending();
        buffer.clear();
        return orLast(statement);
    }

    private String orLast(String statement) {
        String last = statement.isEmpty() ? shell.lastStatement() : statement;
        if (last.isEmpty()) {
            throw new ShellException("there is no statement yet");
        }
        return last;
    }

    private void runExpanded(String statement, LineSource source) {
        Expanded before = settings.print().expanded();
        settings.print().expanded(Expanded.ON);
        try {
            shell.runStatement(statement, source);
        } finally {
            settings.print().expanded(before);
        }
    }

    private void watch(MetaLine line, StatementBuffer buffer, LineSource source) {
        double seconds = number(line.argument(0), DEFAULT_WATCH_SECONDS);
        double times = number(line.argument(1), Double.POSITIVE_INFINITY);
        if (!(seconds >= MIN_WATCH_SECONDS && seconds <= MAX_WATCH_SECONDS)) {
            throw new ShellException("\\watch waits 0.1 seconds to a day");
        }
        if (!(times >= 1)) {
            throw new ShellException("\\watch runs a statement once or more often");
        }
        String statement = takeStatement(buffer);
        for (long i = 1; ; i++) {
            if (output.isForPeople()) {
                String pause = BigDecimal.valueOf(seconds).stripTrailingZeros().toPlainString();
                String heading = WATCHED_AT.format(LocalDateTime.now(ZoneId.systemDefault()));
                output.line(output.paint().heading(heading + " (every " + pause + " s)"));
            }
            shell.runStatement(statement, source);
            if (i >= times || shell.sleep(seconds)) {
                return;
            }
        }
    }

    private static double number(@Nullable String text, double otherwise) {
        try {
            return text == null ? otherwise : Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new ShellException("a number, not \"" + text + "\"");
        }
    }

    private void include(String rest, @Nullable String file) {
        if (file == null) {
            throw new ShellException("\\i needs a file");
        }
        Path path = FileCommands.path(rest.startsWith("'") ? file : rest);
        shell.runFile(path);
    }

    /// Shows what runs, as if it had been typed.
    private void runEdited(Path file) {
        String text = files.edit(file);
        output.line(output.paint().faint(text.strip()));
        shell.runText(text);
    }

    private void edit(@Nullable String file, StatementBuffer buffer) {
        if (!output.isTerminal()) {
            throw new ShellException("\\e needs a terminal");
        }
        if (file != null) {
            runEdited(FileCommands.path(file));
            return;
        }
        try {
            Path scratch = Files.createTempFile("namdb", ".sql");
            try {
                String text = buffer.pending().isEmpty() ? shell.lastStatement() : buffer.pending();
                Files.writeString(scratch, text.isEmpty() ? "" : text + ";\n");
                buffer.clear();
                runEdited(scratch);
            } finally {
                Files.deleteIfExists(scratch);
            }
        } catch (IOException e) {
            throw new ShellException("no file for the editor: " + e.getMessage());
        }
    }
}
