package org.namdb.simulated.tearing;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RequestHandler;
import org.namdb.fabric.shm.ShmFabric;

/// A fabric over memory of this process that tears and delays verbs as hardware may.
///
/// What a queue pair does is drawn from the seed and its number, the order in which it was
/// connected. The threads that are caught in between are the machine's own, so a seed replays the
/// verbs, and the interleaving only as far as the scheduler does.
public final class TearingFabric implements Fabric {
    /// How much of a READ or a WRITE is moved at a time.
    public enum Granularity {
        /// A cache line of 64 bytes, as hardware does.
        LINE(64),
        /// A word of 8 bytes, as the specification allows.
        WORD(8);

        private final int bytes;

        Granularity(int bytes) {
            this.bytes = bytes;
        }

        int bytes() {
            return bytes;
        }
    }

    /// How verbs are torn.
    ///
    /// @param seed what all choices are drawn from
    /// @param granularity how much is moved at a time
    /// @param pauseProbability how likely the thread pauses before it moves the next line or word,
    ///     or begins the next verb; 0 to 1
    public record Options(long seed, Granularity granularity, double pauseProbability) {
        /// Rare enough to run TPC-C, where a transaction moves some hundred lines.
        private static final double SELDOM = 0.005;

        public Options {
            if (!(pauseProbability >= 0 && pauseProbability <= 1)) {
                throw new IllegalArgumentException(
                        "a pause probability of " + pauseProbability + " is not in 0 to 1");
            }
        }

        /// Tears between cache lines, with few pauses.
        public static Options lines(long seed) {
            return new Options(seed, Granularity.LINE, SELDOM);
        }

        /// Tears between words, with few pauses.
        public static Options words(long seed) {
            return new Options(seed, Granularity.WORD, SELDOM);
        }

        /// The same with another pause probability.
        public Options withPauseProbability(double probability) {
            return new Options(seed, granularity, probability);
        }
    }

    private final Options options;
    private final int landingBytes;
    private final ShmFabric memory;
    private final SplittableRandom seeds;

    public TearingFabric(Options options) {
        this(options, ShmFabric.Options.DEFAULT);
    }

    /// With the landing buffers and the kind of regions of `memory`.
    public TearingFabric(Options options, ShmFabric.Options memory) {
        this.options = options;
        this.landingBytes = memory.landingBytes();
        this.memory = new ShmFabric(memory.withReadsInPlace(true));
        this.seeds = new SplittableRandom(options.seed());
    }

    @Override
    public Region register(int server, long bytes) {
        return memory.register(server, bytes);
    }

    @Override
    public Region resume(int server, long bytes) {
        return memory.resume(server, bytes);
    }

    @Override
    public long memory(int server) {
        return memory.memory(server);
    }

    @Override
    public void serve(int server, Supplier<RequestHandler> workers) {
        memory.serve(server, workers);
    }

    /// Its verbs are not torn, as those of a processor are not.
    @Override
    public @Nullable QueuePair map(int server, int landingBytes) {
        return memory.map(server, landingBytes);
    }

    @Override
    public void leave(int server) {
        memory.leave(server);
    }

    @Override
    public List<Region> regions() {
        return memory.regions();
    }

    @Override
    public synchronized QueuePair connect(List<Region> regions) {
        return new TearingQueuePair(memory.connect(regions), landingBytes, options, seeds.split());
    }

    @Override
    public void close() {
        memory.close();
    }
}
