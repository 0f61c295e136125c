package org.namdb.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.engine.ConflictException;
import org.namdb.cache.selcc.LineSession;
import org.namdb.fabric.Host;

/// Threads of compute servers that repeat operations on cached lines, and what these cost.
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

        /// What it does them by, whose verbs and messages count.
        LineSession lines();

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
    /// @param roundTrips of an operation, with memory servers
    /// @param bytes that an operation has moved between memory servers and its compute server
    /// @param messages of an operation to other compute servers
    record Measured(List<Double> operations, double roundTrips, double bytes, double messages) {
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
        long count = 0;
        for (Client client : clients) {
            if (client.failure != null) {
                throw new IllegalStateException(
                        "an operation has failed: " + client.failure, client.failure);
            }
            perServer[client.server] +=
                    client.count * NANOS_PER_SECOND / Math.max(nanos, client.nanos);
            count += client.count;
        }
        return new Measured(
                List.of(perServer),
                mean(count, clients.stream().mapToLong(client -> client.roundTrips).sum()),
                mean(count, clients.stream().mapToLong(client -> client.bytes).sum()),
                mean(count, clients.stream().mapToLong(client -> client.messages).sum()));
    }

    private static double mean(long count, long sum) {
        return count == 0 ? 0 : (double) sum / count;
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
                client.count++;
            } while (phase == MEASURING);
            client.end();
        } catch (ConflictException e) {
            client.end();
        } catch (RuntimeException | Error e) {
            client.failure = e;
        }
    }

    /// A thread, and what it has counted.
    private static final class Client {
        private final int server;
        private final Operations operations;
        private long nanos;
        private long count;
        private long roundTrips;
        private long bytes;
        private long messages;
        private @Nullable Throwable failure;

        Client(int server, Operations operations) {
            this.server = server;
            this.operations = operations;
        }

        void begin() {
            LineSession lines = operations.lines();
            nanos = Host.MACHINE.nanoTime();
            roundTrips = lines.counters().roundTrips();
            bytes = lines.counters().bytes();
            messages = lines.messages();
        }

        void end() {
            LineSession lines = operations.lines();
            nanos = Host.MACHINE.nanoTime() - nanos;
            roundTrips = lines.counters().roundTrips() - roundTrips;
            bytes = lines.counters().bytes() - bytes;
            messages = lines.messages() - messages;
        }
    }
}
