package org.namdb.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.engine.ConflictException;
import org.namdb.cache.frame.GuardSession;
import org.namdb.cache.scalestore.PageSession;
import org.namdb.fabric.Host;
import org.namdb.fabric.VerbCounters;
import org.namdb.workload.statistics.LatencyHistogram;

/// Threads of compute servers, or of nodes of a store of pages, that repeat operations on cached
/// lines or pages, and what these cost.
final class LineClients {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int WARMING_UP = 0;
    private static final int MEASURING = 1;
    private static final int ENDED = 2;

    private final List<Client> clients;
    private volatile int phase = WARMING_UP;

    /// A thread's operations.
    interface Operations extends AutoCloseable {
        /// Does one.
        void next();

        /// The measurement has ended: what it is doing may end early, by a [ConflictException].
        default void end() {}

        /// What it does them by, whose verbs, messages and disk reads count.
        GuardSession session();

        @Override
        void close();
    }

    /// Makes those of a thread.
    @FunctionalInterface
    interface Factory {
        /// Makes them.
        ///
        /// @param server the number of its compute server, from 0
        /// @param thread its number there
        Operations open(int server, int thread);
    }

    /// What was measured.
    ///
    /// @param operations each second, by compute server
    /// @param roundTrips of an operation, with memory servers or with other nodes
    /// @param bytes that an operation has moved between memory servers and its compute server; not
    ///     a number for pages, whose bytes are not counted
    /// @param messages of an operation to other compute servers, or nodes
    /// @param diskReads of an operation, on its own node
    /// @param latencies of all operations
    record Measured(
            List<Double> operations,
            double roundTrips,
            double bytes,
            double messages,
            double diskReads,
            LatencyHistogram latencies) {
        double all() {
            return operations.stream().mapToDouble(Double::doubleValue).sum();
        }
    }

    private LineClients(List<Client> clients) {
        this.clients = clients;
    }

    /// Measures.
    ///
    /// @param threads on each compute server
    /// @throws IllegalStateException if an operation fails
    static Measured measure(
            int servers, int threads, Factory factory, long warmupNanos, long nanos) {
        List<Client> all = new ArrayList<>();
        try {
            for (int server = 0; server < servers; server++) {
                for (int thread = 0; thread < threads; thread++) {
                    all.add(new Client(server, factory.open(server, thread)));
                }
            }
            return new LineClients(all).run(servers, warmupNanos, nanos);
        } finally {
            all.forEach(client -> client.operations.close());
        }
    }

    private Measured run(int servers, long warmupNanos, long nanos) {
        List<Thread> threads = new ArrayList<>();
        for (Client client : clients) {
            threads.add(Host.MACHINE.start("client", () -> run(client)));
        }
        Host.MACHINE.sleep(warmupNanos);
        phase = MEASURING;
        Host.MACHINE.sleep(nanos);
        phase = ENDED;
        clients.forEach(client -> client.operations.end());
        threads.forEach(LineClients::join);
        Double[] perServer = new Double[servers];
        Arrays.fill(perServer, 0.0);
        LatencyHistogram latencies = new LatencyHistogram();
        Cost cost = Cost.NONE;
        for (Client client : clients) {
            if (client.failure != null) {
                throw new IllegalStateException(
                        "an operation has failed: " + client.failure, client.failure);
            }
            perServer[client.server] += client.rate(nanos);
            latencies.add(client.latencies);
            cost = cost.plus(client.cost);
        }
        double count = Math.max(1, latencies.count());
        return new Measured(
                List.of(perServer),
                cost.roundTrips / count,
                cost.bytes / count,
                cost.messages / count,
                cost.diskReads / count,
                latencies);
    }

    private static void join(Thread thread) {
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                isInterrupted = true; // the threads end soon
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(Client client) {
        try {
            while (phase == WARMING_UP) {
                client.operations.next();
            }
            client.begin();
            do { // one at least, however long it takes
                client.operations.next();
                client.counted();
            } while (phase == MEASURING);
            client.end();
        } catch (ConflictException e) {
            client.end();
        } catch (RuntimeException | Error e) {
            client.failure = e;
        }
    }

    /// What a session has counted.
    private record Cost(long roundTrips, double bytes, long messages, long diskReads) {
        private static final Cost NONE = new Cost(0, 0, 0, 0);

        static Cost of(GuardSession session) {
            if (session instanceof PageSession pages) {
                return new Cost(
                        pages.roundTrips(), Double.NaN, pages.messages(), pages.diskReads());
            }
            VerbCounters verbs = session.counters();
            return new Cost(verbs.roundTrips(), verbs.bytes(), session.messages(), 0);
        }

        Cost plus(Cost other) {
            return new Cost(
                    roundTrips + other.roundTrips,
                    bytes + other.bytes,
                    messages + other.messages,
                    diskReads + other.diskReads);
        }

        Cost minus(Cost other) {
            return new Cost(
                    roundTrips - other.roundTrips,
                    bytes - other.bytes,
                    messages - other.messages,
                    diskReads - other.diskReads);
        }
    }

    /// A thread, and what it has counted.
    private static final class Client {
        private final int server;
        private final Operations operations;
        private final LatencyHistogram latencies = new LatencyHistogram();
        private Cost cost = Cost.NONE;
        private long beganNanos;
        private long lastNanos;
        private @Nullable Throwable failure;

        Client(int server, Operations operations) {
            this.server = server;
            this.operations = operations;
        }

        void begin() {
            cost = Cost.of(operations.session());
            beganNanos = Host.MACHINE.nanoTime();
            lastNanos = beganNanos;
        }

        void counted() {
            long now = Host.MACHINE.nanoTime();
            latencies.record(now - lastNanos);
            lastNanos = now;
        }

        void end() {
            lastNanos = Host.MACHINE.nanoTime();
            cost = Cost.of(operations.session()).minus(cost);
        }

        /// Operations each second, of a measurement of so many nanoseconds at least.
        double rate(long nanos) {
            return latencies.count() * NANOS_PER_SECOND / Math.max(nanos, lastNanos - beganNanos);
        }
    }
}
