package org.namdb.simulated;

import java.util.SplittableRandom;

/// What goes wrong in a simulation, and how often.
///
/// @param jitterNanos the mean of what a message takes longer than in the model, exponentially
///     distributed; so queue pairs overtake each other
/// @param spikeProbability how likely a message is held up far longer
/// @param spikeNanos the longest time for that
/// @param tearBytes READs and WRITEs are torn at multiples of this, 64 or 8; 0 for never
/// @param tearProbability how likely one is torn
/// @param tearNanos the longest time from its first piece to its last
/// @param pauseProbability how likely a process is paused before a verb of its own
/// @param pauseNanos the longest pause
/// @param lossProbability how likely a connection breaks at a verb
/// @param unplannedProbability how likely a verb throws an [UnplannedFailure], before or after it
///     was done
public record FaultPlan(
        long jitterNanos,
        double spikeProbability,
        long spikeNanos,
        int tearBytes,
        double tearProbability,
        long tearNanos,
        double pauseProbability,
        long pauseNanos,
        double lossProbability,
        double unplannedProbability) {
    /// No faults: every message takes as long as in the model.
    public static final FaultPlan NONE = new FaultPlan(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    public FaultPlan {
        if (tearBytes != 0 && tearBytes != 8 && tearBytes != 64) {
            throw new IllegalArgumentException("torn at 64 or 8 bytes, not at " + tearBytes);
        }
        requireProbability(spikeProbability);
        requireProbability(tearProbability);
        requireProbability(pauseProbability);
        requireProbability(lossProbability);
        requireProbability(unplannedProbability);
    }

    /// The same, with verbs that throw.
    public FaultPlan withUnplanned(double probability) {
        return new FaultPlan(
                jitterNanos,
                spikeProbability,
                spikeNanos,
                tearBytes,
                tearProbability,
                tearNanos,
                pauseProbability,
                pauseNanos,
                lossProbability,
                probability);
    }

    private static void requireProbability(double probability) {
        if (!(probability >= 0 && probability <= 1)) {
            throw new IllegalArgumentException("a probability of " + probability);
        }
    }

    /// How much longer than usual a message is on its way.
    long delayNanos(SplittableRandom random) {
        long delay =
                jitterNanos == 0 ? 0 : (long) (-Math.log(1 - random.nextDouble()) * jitterNanos);
        if (spikeProbability > 0 && random.nextDouble() < spikeProbability) {
            delay += random.nextLong(1, spikeNanos + 1);
        }
        return delay;
    }
}
