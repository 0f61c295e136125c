package org.namdb.sql.shell;

import org.namdb.sql.shell.format.PrintSettings;

/// What the user can switch while the shell runs.
final class ShellSettings {
    private final PrintSettings print;
    private boolean isTimed;
    private boolean showsVerbs;
    private boolean explains;
    private boolean isPaged = true;
    private boolean stopsOnError;

    ShellSettings(PrintSettings print) {
        this.print = print;
    }

    /// How rows are shown.
    PrintSettings print() {
        return print;
    }

    /// Whether each statement's time is shown.
    boolean isTimed() {
        return isTimed;
    }

    void timed(boolean on) {
        isTimed = on;
    }

    /// Whether each statement's verbs are shown.
    boolean showsVerbs() {
        return showsVerbs;
    }

    void verbs(boolean on) {
        showsVerbs = on;
    }

    /// Whether the plan is shown before each query.
    boolean explains() {
        return explains;
    }

    void explain(boolean on) {
        explains = on;
    }

    /// Whether what is longer than the screen goes through the pager.
    boolean isPaged() {
        return isPaged;
    }

    void paged(boolean on) {
        isPaged = on;
    }

    /// Whether an error ends a script.
    boolean stopsOnError() {
        return stopsOnError;
    }

    void stopOnError(boolean on) {
        stopsOnError = on;
    }
}
