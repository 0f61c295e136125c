package org.namdb.benchmarks;

import java.util.concurrent.TimeUnit;
import org.namdb.timestamp.snapshot.Snapshot;
import org.namdb.timestamp.snapshot.SnapshotOracle;
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

/// The begin and the end of a transaction that does nothing: how long it takes to get a snapshot.
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
public class OracleBegin {
    @Param({"1", "4", "16", "64", "256", "1024"})
    private int slots;

    @Param private Oracle oracle;

    private VectorServer server;
    private SnapshotOracle opened;
    private final Snapshot snapshot = new Snapshot();

    @Setup
    public void open() {
        server = new VectorServer(slots);
        opened = oracle.open(server.first());
    }

    @TearDown
    public void close() {
        server.close();
    }

    /// Nothing was committed since the last begin.
    @Benchmark
    public Snapshot quiet() {
        opened.acquire(snapshot);
        opened.release();
        return snapshot;
    }

    /// Another slot has committed since the last begin, so that a chain grows; the time of its
    /// publication is in the figure.
    @Benchmark
    public Snapshot afterACommit() {
        server.commitInLast();
        opened.acquire(snapshot);
        opened.release();
        return snapshot;
    }
}
