package org.namdb.sql.engine.plpgsql;

import java.util.List;

/// A statement of a routine that is ready to run. Immutable but for plans, and shared by all
/// activations.
abstract class Step {
    /// How a step ends.
    enum End {
        /// The next one runs.
        NEXT,
        /// A loop or block is left: [Activation#target].
        EXIT,
        /// A loop begins again.
        CONTINUE,
        /// The routine ends.
        RETURN
    }

    final int line;
    private final String kind;

    /// @param kind what errors call it, as `assignment`
    Step(int line, String kind) {
        this.line = line;
        this.kind = kind;
    }

    /// Where an error says that it is, behind the line.
    String place() {
        return "at " + kind;
    }

    /// Runs it.
    abstract End run(Activation a);

    /// Whether it, or one in it, runs SQL that may change rows.
    boolean mayChange() {
        return inner().stream().anyMatch(Step::mayChange);
    }

    /// The steps that are parts of it.
    List<Step> inner() {
        return List.of();
    }

    /// Runs steps until one does not go on to the next.
    static End runAll(Step[] steps, Activation a) {
        for (Step step : steps) {
            a.current = step;
            End end = step.run(a);
            if (end != End.NEXT) {
                return end;
            }
        }
        return End.NEXT;
    }
}
