package org.namdb.benchmarks;

import java.util.concurrent.TimeUnit;
import org.namdb.timestamp.SharedSlot;
import org.namdb.timestamp.TimestampSlot;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// A commit timestamp taken, published and awaited: what the commit of a transaction pays to
/// the vector.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 100, time = 5, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 3,
        jvmArgsAppend = {
            "-Xmx1g",
            "-XX:+UseParallelGC",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow"
        })
@SuppressWarnings("NullAway.Init") // JMH calls open() before all else
public class OraclePublish {
    private static final int CAPACITY = 64;

    @Param({"1", "4", "16", "64", "256", "1024"})
    private int slots;

    private VectorServer server;
    private TimestampSlot slot;
    private SharedSlot shared;

    @Setup
    public void open() {
        server = new VectorServer(slots);
        slot = server.first();
        shared = new SharedSlot(slot, CAPACITY);
    }

    @TearDown
    public void close() {
        server.close();
    }

    /// By the thread that holds the slot.
    @Benchmark
    public void ownSlot() {
        VectorServer.publish(slot, server.queuePair());
    }

    /// By one of the threads that share the slot; alone at the moment.
    @Benchmark
    public void sharedSlot() {
        shared.complete(shared.next(), server.queuePair());
    }
}
