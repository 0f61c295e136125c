package org.namdb.sql.shell;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.result.Result;

/// Runs statements and shows their results, with what the settings require around them.
final class ShellStatementRunner {
    private static final Pattern COPY_IN =
            Pattern.compile("(?is)copy\\b.*\\bfrom\\s+stdin\\b(?:[^']|'[^']*')*");
    private static final Pattern COPY_OUT =
            Pattern.compile("(?is)copy\\b.*\\bto\\s+stdout\\b(?<options>(?:[^']|'[^']*')*)");
    private static final Pattern COMMENTS =
            Pattern.compile("(?s)\\A(\\s+|--[^\n]*(\n|\\z)|/\\*.*?\\*/)+");
    private static final Pattern EXPLAINABLE =
            Pattern.compile("(?is)(select|insert|update|delete|values|\\().*");
    private static final Pattern HAS_TAG =
            Pattern.compile("(?s)(INSERT|UPDATE|DELETE|MERGE|EXECUTE).*");
    private static final double NANOS_PER_MILLI = 1e6;

    private final Sessions sessions;
    private final ShellSettings settings;
    private final ShellOutput output;
    private long startNanos;
    private boolean isMeasured;

    ShellStatementRunner(Sessions sessions, ShellSettings settings, ShellOutput output) {
        this.sessions = sessions;
        this.settings = settings;
        this.output = output;
    }

    /// Runs one statement.
    ///
    /// @param lines where the data of a `COPY .. FROM STDIN` stands
    /// @throws org.namdb.sql.language.error.SqlException if it can't be done
    void run(String sql, LineSource lines) {
        String bare = COMMENTS.matcher(sql).replaceFirst("");
        if (settings.explains() && EXPLAINABLE.matcher(bare).matches()) {
            showPlan(sql);
        }
        start();
        Matcher copyOut = COPY_OUT.matcher(bare);
        if (COPY_IN.matcher(bare).matches()) {
            copyIn(sql, lines);
        } else if (copyOut.matches()) {
            if (FileCommands.isBinary(copyOut.group("options"))) {
                copyBinaryOut(sql);
            } else {
                copyOut(sql);
            }
        } else {
            execute(sql);
        }
        showCost();
    }

    /// Runs a COPY of rows between a table and a file.
    ///
    /// @param copy gives how many rows there were
    /// @param part says how much of the file is read; empty if that is not known
    void runCopy(LongSupplier copy, Supplier<String> part) {
        start();
        long rows;
        try (ProgressLine _ = ProgressLine.start(output, () -> copyProgress(part.get()))) {
            rows = copy.getAsLong();
        }
        tag("COPY " + rows);
        showCost();
    }

    /// Shows what the statement has cost that was started last, if that was not shown; for one that
    /// has failed, behind its error.
    void showCost() {
        if (!isMeasured) {
            return;
        }
        isMeasured = false;
        if (settings.isTimed()) {
            double millis = (System.nanoTime() - startNanos) / NANOS_PER_MILLI;
            output.line(String.format(Locale.ROOT, "Time: %.3f ms", millis));
        }
        if (settings.showsVerbs()) {
            output.line(output.paint().faint(sessions.connection().lastCost().text()));
        }
    }

    private String copyProgress(String part) {
        String rows = sessions.connection().progress();
        return rows.isEmpty() || part.isEmpty() ? rows + part : rows + ", " + part;
    }

    private ProgressLine startProgress() {
        return ProgressLine.start(output, sessions.connection()::progress);
    }

    private void start() {
        startNanos = System.nanoTime();
        isMeasured = true;
    }

    private void execute(String sql) {
        String tag;
        boolean showsTag;
        List<Notice> notices;
        try (ProgressLine progress = startProgress();
                Result result = sessions.connection().execute(sql)) {
            if (result.hasRows()) {
                output.rows(result, progress);
            }
            tag = result.tag();
            showsTag = !result.hasRows() || HAS_TAG.matcher(tag).matches();
            notices = result.notices();
        }
        notices.forEach(output::notice);
        if (showsTag) {
            tag(tag);
        }
    }

    /// Takes the lines up to `\.`. Those that an error leaves are no statements, so they are
    /// passed over.
    private void copyIn(String sql, LineSource lines) {
        CopyLines data = new CopyLines(lines, () -> promptForRows(lines));
        try {
            tag("COPY " + sessions.connection().copyIn(sql, data));
        } catch (SqlException | LineSource.ClearedException e) {
            throw data.isGivenUp() ? givenUp(e) : e;
        } finally {
            // A person who types gets the error of a missing table at once, and has not begun with
            // the rows.
            if (!lines.isInteractive() || data.isBegun()) {
                data.close();
            }
        }
    }

    private void promptForRows(LineSource lines) {
        if (lines.isInteractive()) {
            output.remark("Enter the rows, a line each. End with a line of \\. or with Ctrl-D.");
        }
    }

    /// It prints nothing about it: that would be in the data.
    private void copyOut(String sql) {
        DataWriter data = new DataWriter(output.out());
        try {
            long _ = sessions.connection().copyOut(sql, data);
        } catch (SqlException e) {
            LostOutputException lost = data.lost();
            throw lost == null ? e : lost;
        }
    }

    private void copyBinaryOut(String sql) {
        try (DataStream data = new DataStream(output.bytes())) {
            try {
                long _ = sessions.connection().copyOut(sql, data);
            } catch (SqlException e) {
                IOException lost = data.lost();
                throw lost == null ? e : new LostOutputException(lost);
            }
        } catch (IOException e) {
            throw new LostOutputException(e);
        }
    }

    /// Ctrl-C while the rows are typed is no mistake in them.
    private static SqlException givenUp(RuntimeException failure) {
        return new SqlException(SqlState.QUERY_CANCELED, "canceling statement due to user request")
                .causedBy(failure);
    }

    private void showPlan(String sql) {
        try (Result plan = sessions.connection().execute("EXPLAIN " + sql)) {
            while (plan.next()) {
                output.line(output.paint().faint(String.valueOf(plan.text(0))));
            }
        }
    }

    /// What a statement was: not between the rows of CSV and the like, which a program reads.
    private void tag(String tag) {
        if (!tag.isEmpty() && output.isForPeople()) {
            output.line(output.paint().faint(tag));
        }
    }
}
