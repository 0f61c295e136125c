package org.namdb.cache.line;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The protocol of one line between three stations, as a model: each of its verbs on the latch word
/// and the line, and each message, is a step, and all states that any order of steps leads to are
/// visited. A thread of each station acquires the line, changes it and evicts it; its handler
/// releases and grants it. The first one's thread may wait no longer for an answer, which may grant
/// it the line all the same. The last station may die, and its number may be another process's
/// later.
///
/// Instead of contents, there is for each copy whether it is what was written last.
///
/// Not in here: connections that are lost, more than one thread of a station.
final class LatchWordModel {
    /// A rule that is left out.
    enum Fault {
        NONE,
        /// The line is read before the bit is set.
        READ_FIRST,
        /// A reader that finds a writer does not wait for it.
        WRITER_IGNORED,
        /// A sharer makes itself the writer while others share it.
        UPGRADE_UNCHECKED,
        /// A handler answers before its fetch-and-add.
        ANSWERED_EARLY,
        /// A copy is released while a thread changes it.
        USED_WHILE_RELEASED,
        /// The dead is swept while others may still grant it the line.
        FORGET_SKIPPED,
        /// One that lives is swept.
        SWEPT_BEFORE_FENCED
    }

    /// What the visit has come to.
    ///
    /// @param states how many there are
    /// @param violation the steps to a state that is wrong, or from which a station never gets the
    ///     line; null if there is none
    record Result(int states, @Nullable String violation) {}

    private final Fault fault;
    private final int maxAbandoned;
    private final boolean isMortal;
    private final boolean isReborn;

    private final Map<LatchWordState, Integer> numbers = new HashMap<>();
    private final List<LatchWordState> states = new ArrayList<>();
    private final List<int[]> predecessors = new ArrayList<>();
    private int from;

    /// @param maxAbandoned how many waits of the first station for answers end without them
    /// @param isMortal whether the last station may die
    /// @param isReborn whether its number is given to another process then
    LatchWordModel(Fault fault, int maxAbandoned, boolean isMortal, boolean isReborn) {
        this.fault = fault;
        this.maxAbandoned = maxAbandoned;
        this.isMortal = isMortal;
        this.isReborn = isReborn;
    }

    Fault fault() {
        return fault;
    }

    int maxAbandoned() {
        return maxAbandoned;
    }

    boolean isMortal() {
        return isMortal;
    }

    boolean isReborn() {
        return isReborn;
    }

    /// Visits all states.
    Result visit() {
        from = -1;
        String wrong = add(LatchWordState.first());
        for (int number = 0; number < states.size() && wrong == null; number++) {
            from = number;
            wrong = new LatchWordSteps(this, states.get(number)).all();
        }
        for (int station = 0; station < LatchWordState.COUNT && wrong == null; station++) {
            wrong = neverModifies(station);
        }
        return new Result(states.size(), wrong);
    }

    /// Adds a state that a step has led to.
    ///
    /// @return what is wrong with it
    @Nullable String add(LatchWordState state) {
        Integer known = numbers.get(state);
        int number = known == null ? states.size() : known;
        if (known == null) {
            numbers.put(state, number);
            states.add(state);
            predecessors.add(new int[] {1, from});
            String wrong = state.wrong();
            return wrong == null ? null : wrong + trace(number);
        }
        int[] before = predecessors.get(number);
        if (from >= 0) {
            if (before[0] + 1 == before.length) {
                before = Arrays.copyOf(before, 2 * before.length);
                predecessors.set(number, before);
            }
            before[++before[0]] = from;
        }
        return null;
    }

    private String trace(int number) {
        StringBuilder trace = new StringBuilder();
        for (int at = number; at > 0; at = predecessors.get(at)[1]) {
            trace.insert(0, "\n  " + states.get(at).step());
        }
        return trace.toString();
    }

    /// Whether there is a state from which no steps lead to the station's having the line, though
    /// it lives.
    private @Nullable String neverModifies(int station) {
        boolean[] leads = new boolean[states.size()];
        int[] queue = new int[states.size()];
        int end = 0;
        for (int number = 0; number < leads.length; number++) {
            LatchWordState state = states.get(number);
            if (state.of(station, LatchWordState.FRAME) == LatchWordState.MODIFIED
                    || !state.acts(station)) {
                leads[number] = true;
                queue[end++] = number;
            }
        }
        for (int at = 0; at < end; at++) {
            int[] before = predecessors.get(queue[at]);
            for (int i = 1; i <= before[0]; i++) {
                if (before[i] >= 0 && !leads[before[i]]) {
                    leads[before[i]] = true;
                    queue[end++] = before[i];
                }
            }
        }
        for (int number = 0; number < leads.length; number++) {
            if (!leads[number]) {
                return "station " + station + " never gets the line after" + trace(number);
            }
        }
        return null;
    }
}
