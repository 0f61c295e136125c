package org.namdb.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.tcp.TcpClientOptions;
import org.namdb.fabric.tcp.TcpComputeFabric;
import org.namdb.fabric.tcp.TcpMemoryFabric;
import org.namdb.fabric.tcp.TcpServerOptions;

/// READs from a memory server in another process of this machine: one at a time and posted
/// together, by one thread and by many virtual ones, over TCP and by its mapped memory. Prints a
/// table of throughput, latency, and processor time by process.
public final class FabricReads {
    private static final int READ_BYTES = 8;
    private static final int REGION_BYTES = 64 << 20;
    private static final long WORDS = REGION_BYTES / 64;
    private static final double TICKS_PER_SECOND = 100;

    /// @param threads virtual ones, if more than one
    /// @param posted how many READs between two awaits
    private record Load(boolean isMapped, int threads, int posted) {}

    private static final List<Load> LOADS =
            List.of(
                    new Load(false, 1, 1),
                    new Load(false, 1, 32),
                    new Load(false, 64, 1),
                    new Load(false, 64, 32),
                    new Load(true, 1, 1),
                    new Load(true, 1, 32));

    private final int port;
    private final long server;
    private final int seconds;

    private FabricReads(int port, long server, int seconds) {
        this.port = port;
        this.server = server;
        this.seconds = seconds;
    }

    /// Measures, and prints the table.
    ///
    /// @param arguments how many seconds each load is measured, after as long a warm-up; or, for
    ///     the process that it starts, `serve DIRECTORY`
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length == 2) {
            serve(Path.of(arguments[1]));
            return;
        }
        int seconds = arguments.length == 0 ? 3 : Integer.parseInt(arguments[0]);
        Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "nam-benchmark");
        Process server = start(directory);
        try {
            String port = server.inputReader(StandardCharsets.UTF_8).readLine();
            new FabricReads(Integer.parseInt(port), server.pid(), seconds).run();
        } finally {
            server.destroyForcibly().waitFor();
            Files.deleteIfExists(directory.resolve("memory-server-0.region"));
            Files.delete(directory);
        }
    }

    private static Process start(Path directory) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FabricReads.class.getName(),
                        "serve",
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static void serve(Path directory) throws IOException {
        try (TcpMemoryFabric memory =
                new TcpMemoryFabric(TcpServerOptions.LOOPBACK.withDirectory(directory))) {
            memory.register(0, REGION_BYTES);
            System.out.println(memory.address().getPort());
            while (System.in.read() >= 0) {
                // it ends with the other process
            }
        }
    }

    private void run() throws InterruptedException, IOException {
        System.out.println(
                "| | threads | posted | READs/s | p50 µs | p99 µs | µs of processor per READ:"
                        + " client, its kernel | agent, its kernel |");
        System.out.println("|---|---|---|---|---|---|---|---|");
        for (Load load : LOADS) {
            run(load);
        }
    }

    private void run(Load load) throws InterruptedException, IOException {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        TcpClientOptions options = TcpClientOptions.DEFAULT.withMappedRegions(load.isMapped());
        try (TcpComputeFabric fabric = TcpComputeFabric.connect(List.of(address), options)) {
            List<Region> regions = fabric.regions();
            long warm = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            long end = warm + TimeUnit.SECONDS.toNanos(seconds);
            LongAdder reads = new LongAdder();
            Histogram latency = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
            List<Thread> threads = new ArrayList<>();
            for (int number = 0; number < load.threads(); number++) {
                var random = new SplittableRandom(number);
                Runnable reader =
                        () -> {
                            try (QueuePair queuePair = fabric.connect(regions)) {
                                read(queuePair, load.posted(), random, warm, end, reads, latency);
                            }
                        };
                threads.add(
                        load.threads() == 1
                                ? Thread.ofPlatform().start(reader)
                                : Thread.ofVirtual().start(reader));
            }
            Thread.sleep(TimeUnit.SECONDS.toMillis(seconds));
            double[] ownBefore = processorSeconds(ProcessHandle.current().pid());
            double[] before = processorSeconds(server);
            for (Thread thread : threads) {
                thread.join();
            }
            double[] own = processorSeconds(ProcessHandle.current().pid());
            double[] agents = processorSeconds(server);
            double micros = 1e6 / reads.sum();
            System.out.printf(
                    "| %s | %d | %d | %,.0f | %.1f | %.1f | %.2f, %.2f | %.2f, %.2f |%n",
                    load.isMapped() ? "shm" : "tcp",
                    load.threads(),
                    load.posted(),
                    (double) reads.sum() / seconds,
                    latency.getValueAtPercentile(50) / 1e3,
                    latency.getValueAtPercentile(99) / 1e3,
                    (own[0] - ownBefore[0]) * micros,
                    (own[1] - ownBefore[1]) * micros,
                    (agents[0] - before[0]) * micros,
                    (agents[1] - before[1]) * micros);
        }
    }

    private static void read(
            QueuePair queuePair,
            int posted,
            SplittableRandom random,
            long warm,
            long end,
            LongAdder reads,
            Histogram latency) {
        Histogram own = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
        long[] views = new long[posted];
        long batches = 0;
        long found = 0;
        long start = System.nanoTime();
        while (start < end) {
            for (int i = 0; i < posted; i++) {
                views[i] =
                        queuePair.read(
                                RemoteAddress.of(0, random.nextLong(WORDS) * 64), READ_BYTES);
            }
            queuePair.await();
            for (long view : views) {
                found += LocalMemory.longAcquire(view);
            }
            long now = System.nanoTime();
            if (start >= warm) {
                batches++;
                own.recordValue(now - start);
            }
            start = now;
        }
        if (found != 0) {
            throw new IllegalStateException("the region is not zeroed");
        }
        reads.add(batches * posted);
        synchronized (latency) {
            latency.add(own);
        }
    }

    /// What a process has used, in its own code and in the kernel.
    private static double[] processorSeconds(long pid) throws IOException {
        String line = Files.readString(Path.of("/proc/" + pid + "/stat"));
        String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
        return new double[] {
            Long.parseLong(fields[11]) / TICKS_PER_SECOND,
            Long.parseLong(fields[12]) / TICKS_PER_SECOND
        };
    }
}
