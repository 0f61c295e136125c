package org.namdb.fabric.tcp;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.PlantedFault;

/// The streams of an [AgentLink], by number: any thread may look one up while others are opened and
/// closed.
///
/// A number's batches are counted over all streams that ever had it, those of earlier links to the
/// agent included: the agent takes a batch of the number that it has seen last for a repetition.
final class VerbStreams {
    /// Changed under the monitor.
    private volatile @Nullable VerbStream[] open = new @Nullable VerbStream[8];

    /// The last batches of streams that were closed; under the monitor.
    private int[] batches;

    /// @param before those of the last link to the agent, which is gone; null if this is the first
    VerbStreams(@Nullable VerbStreams before) {
        batches =
                before == null || PlantedFault.LINK_COUNTS_ANEW.isPlanted()
                        ? new int[0]
                        : before.lastBatches();
    }

    private synchronized int[] lastBatches() {
        int[] last = Arrays.copyOf(batches, Math.max(batches.length, open.length));
        forEach(stream -> last[stream.number()] = stream.batch());
        return last;
    }

    /// A stream of a number that no other has now.
    synchronized VerbStream open(AgentLink link) {
        @Nullable VerbStream[] now = open;
        int number = 0;
        while (number < now.length && now[number] != null) {
            number++;
        }
        if (number == now.length) {
            now = Arrays.copyOf(now, 2 * number);
        } else {
            now = now.clone();
        }
        VerbStream stream =
                new VerbStream(link, number, number < batches.length ? batches[number] : 0);
        now[number] = stream;
        open = now;
        return stream;
    }

    /// The next stream of its number goes on with the count of its batches.
    synchronized void close(VerbStream stream) {
        @Nullable VerbStream[] now = open.clone();
        now[stream.number()] = null;
        open = now;
        batches = Arrays.copyOf(batches, Math.max(batches.length, now.length));
        batches[stream.number()] = stream.batch();
    }

    /// The stream of a number; null if it has been closed, or there never was one.
    @Nullable VerbStream find(int number) {
        @Nullable VerbStream[] now = open;
        return number >= 0 && number < now.length ? now[number] : null;
    }

    void forEach(Consumer<VerbStream> action) {
        for (VerbStream stream : open) {
            if (stream != null) {
                action.accept(stream);
            }
        }
    }
}
