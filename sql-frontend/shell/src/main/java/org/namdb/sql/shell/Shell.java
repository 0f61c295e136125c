package org.namdb.sql.shell;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.shell.StatementBuffer.MetaPiece;
import org.namdb.sql.shell.StatementBuffer.Piece;
import org.namdb.sql.shell.StatementBuffer.StatementPiece;
import org.namdb.sql.shell.format.PrintSettings;

/// Performs the lines of a source: the same for what is typed, for a file and for a pipe.
///
/// One thread uses it; [#interrupt] alone is for others.
public final class Shell implements AutoCloseable {
    /// The most files that may be running one another.
    private static final int DEEPEST_INCLUDE = 16;

    private final ShellSettings settings;
    private final ShellOutput output;
    private final Sessions sessions;
    private final ShellStatementRunner runner;
    private final MetaCommands metaCommands;
    private final Interruption interruption = new Interruption();
    private String lastStatement = "";
    private boolean isLeft;
    private boolean hasFailed;
    private int depth;

    /// Opens the first session.
    ///
    /// @param print how rows are shown at first
    /// @param stopsOnError whether an error ends a file or a pipe
    public Shell(ShellDatabase database, Screen screen, PrintSettings print, boolean stopsOnError) {
        this.settings = new ShellSettings(print);
        this.settings.stopOnError(stopsOnError);
        boolean isColored = screen.isTerminal() && print.colored();
        this.output = new ShellOutput(screen, settings, isColored);
        this.sessions = new Sessions(database);
        this.runner = new ShellStatementRunner(sessions, settings, output);
        this.metaCommands = new MetaCommands(this, database, sessions, settings);
    }

    /// Performs all lines.
    ///
    /// @return false if an error has ended it
    public boolean run(LineSource source) {
        StatementBuffer buffer = new StatementBuffer();
        try {
            while (!isLeft) {
                String line = nextLine(buffer, source);
                if (line == null) {
                    break;
                }
                buffer.append(line);
                if (!performAll(buffer, source)) {
                    return false;
                }
            }
        } catch (UncheckedIOException e) {
            fail(unreadable(source, ShellOutput.cause(e)), "");
            return false;
        }
        return isLeft || buffer.pending().isEmpty() || finish(buffer, source);
    }

    /// Runs the lines of a file.
    ///
    /// @throws ShellException if it can't be read
    public boolean runFile(Path file) {
        if (depth >= DEEPEST_INCLUDE) {
            throw new ShellException(file + ": too many files include one another");
        }
        depth++;
        try (Reader reader = FileCommands.open(file)) {
            return run(LineSource.of(reader, file.toString()));
        } catch (IOException e) {
            throw new ShellException(file + " can't be read: " + ShellOutput.reason(e));
        } finally {
            depth--;
        }
    }

    /// Whether the user has left.
    public boolean isLeft() {
        return isLeft;
    }

    /// Whether any statement or command has failed so far.
    public boolean hasFailed() {
        return hasFailed;
    }

    /// The prompt. It shows the session where there are several, and the state of its transaction.
    ///
    /// @param sign what is open, as [OpenText#sign] has it
    public String prompt(String sign) {
        String session = sessions.all().size() > 1 ? sessions.name() + " " : "";
        String state =
                switch (sessions.connection().status()) {
                    case IDLE -> "";
                    case ACTIVE -> "*";
                    case FAILED -> "!";
                };
        return session + "namdb" + state + sign + "> ";
    }

    /// Stops the running statement, or the pause of `\watch`. For any thread.
    public void interrupt() {
        interruption.set();
        sessions.connection().cancel();
    }

    /// Sends results to a file; null for the screen.
    ///
    /// @throws ShellException if it can't be written
    public void redirect(@Nullable Path file) {
        output.redirect(file);
    }

    /// Shows an error that belongs to no statement.
    public void failure(String message) {
        fail(new ShellException(message), "");
    }

    /// Ends all sessions, and reports what that rolls back.
    @Override
    public void close() {
        for (Map.Entry<String, ShellConnection> session : sessions.all().entrySet()) {
            if (session.getValue().status() != ShellConnection.Status.IDLE) {
                String which = sessions.all().size() > 1 ? " of session " + session.getKey() : "";
                output.remark("The open transaction" + which + " was rolled back.");
            }
        }
        try {
            output.closeFile();
        } catch (LostOutputException e) {
            failure("results can't be written: " + ShellOutput.reason(e.failure()));
        } finally {
            sessions.close();
        }
    }

    ShellOutput output() {
        return output;
    }

    ShellStatementRunner runner() {
        return runner;
    }

    String lastStatement() {
        return lastStatement;
    }

    void leave() {
        isLeft = true;
    }

    void runText(String text) {
        run(LineSource.of(text));
    }

    void runStatement(String sql, LineSource source) {
        lastStatement = sql;
        runner.run(sql, source);
    }

    /// Sleeps.
    ///
    /// @return whether it was interrupted
    boolean sleep(double seconds) {
        return interruption.sleep(Interruption.nanos(seconds));
    }

    private static @Nullable String nextLine(StatementBuffer buffer, LineSource source) {
        while (true) {
            try {
                return source.next(buffer.open());
            } catch (LineSource.ClearedException e) {
                buffer.clear();
            }
        }
    }

    private boolean performAll(StatementBuffer buffer, LineSource source) {
        for (Piece piece = buffer.next(); piece != null && !isLeft; piece = buffer.next()) {
            if (!perform(piece, buffer, source) && isStopped(source)) {
                return false;
            }
        }
        return true;
    }

    private boolean isStopped(LineSource source) {
        return settings.stopsOnError() && !source.isInteractive();
    }

    /// The last statement of a file may do without its semicolon.
    private boolean finish(StatementBuffer buffer, LineSource source) {
        Piece rest = new StatementPiece(buffer.pending(), buffer.pendingLine());
        return perform(rest, buffer, source) || !isStopped(source);
    }

    private boolean perform(Piece piece, StatementBuffer buffer, LineSource source) {
        interruption.clear();
        String target = output.target();
        try {
            boolean isDone = attempt(piece, buffer, source);
            if (!isDone) {
                runner.showCost();
            }
            output.flush();
            return isDone;
        } catch (LostOutputException e) {
            return lost(e, target, place(piece, source));
        }
    }

    /// A reader that has seen enough ends the shell, and is no failure.
    private boolean lost(LostOutputException e, String target, String place) {
        if (e.isLeftByReader() && !output.isToFile()) {
            leave();
            return true;
        }
        String reason = ShellOutput.reason(e.failure());
        fail(new ShellException(target + " can't be written: " + reason), place);
        return false;
    }

    private boolean attempt(Piece piece, StatementBuffer buffer, LineSource source) {
        try {
            switch (piece) {
                case StatementPiece statement -> runStatement(statement.text(), source);
                case MetaPiece command -> metaCommands.run(command.text(), buffer, source);
            }
            return true;
        } catch (LostOutputException e) {
            throw e;
        } catch (SqlException e) {
            hasFailed = true;
            output.error(e, place(piece, source));
            if (e.state() == SqlState.LOCK_NOT_AVAILABLE) {
                remarkOpenTransactions();
            }
        } catch (ShellException e) {
            fail(e, place(piece, source));
        } catch (LineSource.ClearedException e) {
            fail(new ShellException("COPY was given up"), place(piece, source));
        } catch (UncheckedIOException e) {
            fail(unreadable(source, ShellOutput.cause(e)), place(piece, source));
        } catch (RuntimeException e) {
            // A mistake of the database must not end a session with a person's open transaction.
            fail(new ShellException("internal: " + e), place(piece, source));
        }
        return false;
    }

    /// The database knows sessions by their slots, a person by their names.
    private void remarkOpenTransactions() {
        sessions.all()
                .forEach((name, connection) -> {
                    if (connection.status() != ShellConnection.Status.IDLE) {
                        output.remark(
                                "Session %s (slot %d) is in a transaction."
                                        .formatted(name, connection.slot()));
                    }
                });
    }

    private void fail(ShellException e, String place) {
        hasFailed = true;
        output.failure(String.valueOf(e.getMessage()), place);
    }

    private static String place(Piece piece, LineSource source) {
        return source.name().isEmpty() ? "" : source.name() + ":" + piece.line() + ": ";
    }

    private static ShellException unreadable(LineSource source, IOException e) {
        String what = source.name().isEmpty() ? "the input" : source.name();
        return new ShellException(
                e instanceof CharacterCodingException
                        ? what + " is no text in UTF-8"
                        : what + " can't be read: " + ShellOutput.reason(e));
    }
}
