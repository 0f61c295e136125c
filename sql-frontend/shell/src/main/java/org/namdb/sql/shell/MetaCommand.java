package org.namdb.sql.shell;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The commands for the shell itself, as `\?` lists them.
public enum MetaCommand {
    HELP("?", "", "this list", Group.GENERAL),
    SYNTAX("h", "[statement]", "the syntax of a statement, or which ones there are", Group.GENERAL),
    QUIT("q", "", "leave", Group.GENERAL),
    CONNECTION("conninfo", "", "what the shell is connected to", Group.GENERAL),
    TIMING("timing", "[on|off]", "show how long statements take", Group.GENERAL),

    DESCRIBE(
            "d",
            "[table]",
            "describe a table, or list all; \\d+ with its rights and comments",
            Group.TABLES),
    TABLES(
            "dt",
            "[pattern]",
            "list the tables, or those like a*; \\dt+ with comments",
            Group.TABLES),
    INDEXES("di", "[pattern]", "list the indexes", Group.TABLES),
    VIEWS("dv", "[pattern]", "list the views", Group.TABLES),
    SEQUENCES("ds", "[pattern]", "list the sequences", Group.TABLES),
    ROUTINES(
            "df",
            "[pattern]",
            "list the functions and procedures in SQL and PL/pgSQL",
            Group.TABLES),
    SOURCE("sf", "name", "show the statement that makes a function or procedure", Group.TABLES),
    VIEW_SOURCE("sv", "view", "show the statement that makes a view", Group.TABLES),
    SCHEMAS("dn", "[pattern]", "list the schemas", Group.TABLES),
    DATABASES("l", "[pattern]", "list the databases", Group.TABLES),
    ROLES("du", "[pattern]", "list the roles", Group.TABLES),
    PRIVILEGES("dp", "[pattern]", "list the owners and privileges of tables", Group.TABLES),

    TRANSACTION(
            "tx", "", "the snapshot: its vector, its age, what the transaction wrote", Group.LOOK),
    VERBS("verbs", "[on|off]", "show what each statement costs in verbs", Group.LOOK),
    EXPLAIN("explain", "[on|off]", "show the plan before each statement", Group.LOOK),
    SESSION(
            "session",
            "[name]",
            "use another session, opened if it is new; -name ends one",
            Group.LOOK),
    SESSIONS("sessions", "", "list the sessions and their transactions", Group.LOOK),

    EXPANDED("x", "[on|off|auto]", "show rows one below the other", Group.FORMAT),
    FORMAT(
            "format",
            "[aligned|unaligned|csv|json|markdown|expanded]",
            "choose how rows look",
            Group.FORMAT),
    UNALIGNED("a", "", "aligned or unaligned", Group.FORMAT),
    TUPLES_ONLY("t", "[on|off]", "show nothing but values", Group.FORMAT),
    PSET("pset", "[option [value]]", "set or list the options of the display", Group.FORMAT),

    GO("g", "", "run the statement, as a semicolon does", Group.INPUT),
    GO_EXPANDED("gx", "", "run the statement and show its rows expanded", Group.INPUT),
    PRINT("p", "", "show the statement that was begun, or the last one", Group.INPUT),
    RESET("r", "", "forget the statement that was begun", Group.INPUT),
    EDIT("e", "[file]", "edit the last statement or a file in $EDITOR, then run it", Group.INPUT),
    WATCH(
            "watch",
            "[seconds [times]]",
            "run the last statement again and again, till Ctrl-C",
            Group.INPUT),

    INCLUDE("i", "file", "run the statements of a file", Group.FILES),
    WRITE(
            "w",
            "file",
            "write the statement that was begun, or the last one, to a file",
            Group.FILES),
    OUTPUT("o", "[file]", "send results to a file, or back to the screen", Group.FILES),
    COPY(
            "copy",
            "table|(query) from|to 'file' [options]",
            "copy rows from or to a file",
            Group.FILES),
    ECHO("echo", "[text]", "write a line to the output", Group.FILES);

    /// What belongs together in the list.
    public enum Group {
        GENERAL("General"),
        TABLES("Tables"),
        LOOK("Transactions, and what they cost"),
        FORMAT("How rows look"),
        INPUT("Statements"),
        FILES("Files");

        private final String title;

        Group(String title) {
            this.title = title;
        }

        /// The heading.
        public String title() {
            return title;
        }
    }

    private final String word;
    private final String arguments;
    private final String description;
    private final Group group;

    MetaCommand(String word, String arguments, String description, Group group) {
        this.word = word;
        this.arguments = arguments;
        this.description = description;
        this.group = group;
    }

    /// The command that a line without a backslash means, as new users write it: `exit`, `quit`,
    /// `help`.
    ///
    /// @return null if it is nothing of the kind
    public static @Nullable MetaCommand ofBare(String line) {
        String word = line.strip().toLowerCase(Locale.ROOT);
        return switch (word.endsWith(";") ? word.substring(0, word.length() - 1).strip() : word) {
            case "exit", "quit" -> QUIT;
            case "help" -> HELP;
            default -> null;
        };
    }

    /// The word behind the backslash.
    public String word() {
        return word;
    }

    /// The arguments, as the list shows them.
    public String arguments() {
        return arguments;
    }

    /// What it does.
    public String description() {
        return description;
    }

    /// Where it stands in the list.
    public Group group() {
        return group;
    }

    /// The command of this word, or of another that psql has for it; null if there is none.
    public static @Nullable MetaCommand of(String word) {
        String known =
                switch (word) {
                    case "quit" -> QUIT.word;
                    case "include" -> INCLUDE.word;
                    case "list" -> DATABASES.word;
                    case "write" -> WRITE.word;
                    case "out" -> OUTPUT.word;
                    case "print" -> PRINT.word;
                    case "reset" -> RESET.word;
                    case "edit" -> EDIT.word;
                    case "dg" -> ROLES.word;
                    case "z" -> PRIVILEGES.word;
                    case "d+", "dt+", "di+", "dv+", "ds+", "df+", "dn+", "du+", "dp+", "l+" ->
                            word.substring(0, word.length() - 1);
                    default -> word;
                };
        for (MetaCommand command : values()) {
            if (command.word.equals(known)) {
                return command;
            }
        }
        return null;
    }
}
