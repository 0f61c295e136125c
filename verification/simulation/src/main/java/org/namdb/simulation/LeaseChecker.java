package org.namdb.simulation;

import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.namdb.simulated.Simulation;
import org.namdb.simulation.membership.SimEnsemble;
import org.namdb.timestamp.SlotOwners;

/// Observes all leases, and all memory: whether a compute server is fenced that has a lease, and
/// how long something is held under a lease that has ended while another compute server has one. It
/// is no part of the cluster, and does not disturb it.
final class LeaseChecker {
    private static final long SAMPLE_NANOS = 100_000;

    /// Longer than all those stand still, or are cut off, that may block recovery, one after the
    /// other.
    private static final long MAX_HELD_NANOS = 500_000_000;

    private final RunCourse course;
    private final Simulation simulation;
    private final SimEnsemble ensemble;
    private @Nullable SlotOwners slots;

    /// By process, when its lease has ended, if it may still hold something.
    private final Map<Integer, Long> endedNanos = new TreeMap<>();

    private final Set<Integer> fenced = new HashSet<>();
    private int ended;
    private long longestNanos;

    LeaseChecker(RunCourse course) {
        this.course = course;
        this.simulation = course.simulation();
        this.ensemble = course.cluster().ensemble();
    }

    /// Checks from now on.
    void begin() {
        slots = course.cluster().observeSlots();
        ensemble.observeEnds(this::hasEnded);
        course.cluster().observeFences(this::isFenced);
    }

    private void isFenced(int process) {
        fenced.add(process);
        if (ensemble.holds(process)) {
            course.fail("compute server %d is fenced, and has its lease".formatted(process));
        }
    }

    private void hasEnded(int process) {
        ended++;
        endedNanos.put(process, simulation.nanoTime());
        if (endedNanos.size() == 1) {
            checkLater();
        }
    }

    private void checkLater() {
        simulation.at(simulation.nanoTime() + SAMPLE_NANOS, this::check);
    }

    /// The holders of slots.
    Set<Integer> holders() {
        Set<Integer> holders = new TreeSet<>();
        for (long word : Objects.requireNonNull(slots).read()) {
            if (word != 0) {
                holders.add(SlotOwners.process(SlotOwners.holder(word)));
            }
        }
        return holders;
    }

    /// Whether a slot is held by another process than this one, or its recovery has not ended yet.
    boolean isAnyHeldBeside(int process) {
        for (long word : Objects.requireNonNull(slots).read()) {
            long holder = SlotOwners.holder(word);
            if (word != 0 && (SlotOwners.process(holder) != process || word != holder)) {
                return true;
            }
        }
        return false;
    }

    private void check() {
        if (!course.goesOn()) {
            return; // no process can recover any more
        }
        Set<Integer> holders = holders();
        long now = simulation.nanoTime();
        if (ensemble.isEmpty()) { // no compute server is left that could recover the others
            endedNanos.replaceAll((process, since) -> now);
        }
        for (long since : endedNanos.values()) {
            longestNanos = Math.max(longestNanos, now - since);
        }
        endedNanos.keySet().retainAll(holders);
        if (longestNanos > MAX_HELD_NANOS) {
            course.fail(
                    "compute servers %s have lost their leases, and what they held is not free"
                            .formatted(endedNanos.keySet()));
        }
        if (!endedNanos.isEmpty()) {
            checkLater();
        }
    }

    LeaseTally tally() {
        return new LeaseTally(ended, fenced.size(), longestNanos);
    }
}
