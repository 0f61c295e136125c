package org.namdb.fabric.tcp;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.PlantedFault;

/// The lanes of an [AgentLink], by number: any thread may look one up while others are opened and
/// closed.
///
/// A number's batches are counted over all lanes that ever had it, those of earlier links to the
/// agent included: the agent takes a batch of the number that it has seen last for a repetition.
final class Lanes {
    /// Changed under the monitor.
    private volatile @Nullable Lane[] open = new @Nullable Lane[8];

    /// The last batches of lanes that were closed; under the monitor.
    private int[] batches;

    /// @param before those of the last link to the agent, which is gone; null if this is the first
    Lanes(@Nullable Lanes before) {
        batches =
                before == null || PlantedFault.LINK_COUNTS_ANEW.isPlanted()
                        ? new int[0]
                        : before.lastBatches();
    }

    private synchronized int[] lastBatches() {
        int[] last = Arrays.copyOf(batches, Math.max(batches.length, open.length));
        forEach(lane -> last[lane.number()] = lane.batch());
        return last;
    }

    /// A lane of a number that no other has now.
    synchronized Lane open(AgentLink link) {
        @Nullable Lane[] now = open;
        int number = 0;
        while (number < now.length && now[number] != null) {
            number++;
        }
        if (number == now.length) {
            now = Arrays.copyOf(now, 2 * number);
        } else {
            now = now.clone();
        }
        Lane lane = new Lane(link, number, number < batches.length ? batches[number] : 0);
        now[number] = lane;
        open = now;
        return lane;
    }

    /// The next lane of its number goes on with the count of its batches.
    synchronized void close(Lane lane) {
        @Nullable Lane[] now = open.clone();
        now[lane.number()] = null;
        open = now;
        batches = Arrays.copyOf(batches, Math.max(batches.length, now.length));
        batches[lane.number()] = lane.batch();
    }

    /// The lane of a number; null if it has been closed, or there never was one.
    @Nullable Lane find(int number) {
        @Nullable Lane[] now = open;
        return number >= 0 && number < now.length ? now[number] : null;
    }

    void forEach(Consumer<Lane> action) {
        for (Lane lane : open) {
            if (lane != null) {
                action.accept(lane);
            }
        }
    }
}
