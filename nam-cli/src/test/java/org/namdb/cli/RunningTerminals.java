package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// A process of [TpccTerminals], and what it has said.
final class RunningTerminals {
    private static final long START_SECONDS = 100;

    private final Process process;
    private final Thread reader;
    private final CountDownLatch attached = new CountDownLatch(1);
    private final Acknowledged acknowledged = new Acknowledged();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicLong released = new AtomicLong();
    private final AtomicLong slowestMicros = new AtomicLong();
    private volatile int number = -1;
    private volatile List<Integer> done = List.of();

    RunningTerminals(Process process) {
        this.process = process;
        this.reader = Thread.ofPlatform().daemon().start(this::read);
    }

    /// Starts one that attaches, and then waits.
    static RunningTerminals start(ClusterFixture cluster, String name, long seed) {
        return new RunningTerminals(
                cluster.start(
                        name, TpccTerminals.class, cluster.file().toString(), Long.toString(seed)));
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.endsWith(" .")) {
                    take(line.substring(0, line.length() - 2));
                }
            }
        } catch (IOException e) {
            failures.add(e.toString());
        }
        attached.countDown();
    }

    private void take(String line) {
        List<String> words = List.of(line.split(" "));
        switch (words.getFirst()) {
            case "compute" -> {
                number = number(words, 2);
                attached.countDown();
            }
            case "slowest" -> slowestMicros.set(number(words, 1));
            case "done" ->
                    done = words.subList(1, words.size()).stream().map(Integer::parseInt).toList();
            case "cleaned" -> released.addAndGet(number(words, 1) + number(words, 2));
            default -> {
                if (!acknowledged.take(words)) {
                    failures.add(line);
                }
            }
        }
    }

    private static int number(List<String> words, int index) {
        return Integer.parseInt(words.get(index));
    }

    /// Waits until it is attached.
    void awaitAttached() throws InterruptedException {
        assertThat(attached.await(START_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(number).as("its number").isNotNegative();
    }

    /// Waits until it is attached, and has it begin.
    void begin() throws Exception {
        awaitAttached();
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    /// Waits until each of its threads has begun a transaction after this call, and ended it.
    void awaitWork() throws InterruptedException {
        List<Integer> before = done;
        while (!hasMovedOn(before) && process.isAlive() && failures.isEmpty()) {
            Thread.sleep(2); // the test's limit ends it
        }
    }

    private boolean hasMovedOn(List<Integer> before) {
        List<Integer> now = done;
        boolean hasMovedOn = !now.isEmpty();
        for (int thread = 0; thread < now.size(); thread++) {
            int since = before.isEmpty() ? 0 : before.get(thread);
            hasMovedOn &= now.get(thread) - since >= 2; // the first may have begun before
        }
        return hasMovedOn;
    }

    /// Waits until so many of its threads have failed.
    void awaitFailures(int count) throws InterruptedException {
        while (failures.size() < count && process.isAlive()) {
            Thread.sleep(2); // the test's limit ends it
        }
    }

    /// Kills it by SIGKILL.
    void kill() throws Exception {
        ClusterFixture.kill(process.toHandle());
        reader.join();
    }

    /// Has it end.
    ///
    /// @return its exit status
    int end() throws Exception {
        process.getOutputStream().close();
        assertThat(process.waitFor(START_SECONDS, TimeUnit.SECONDS)).isTrue();
        reader.join();
        return process.exitValue();
    }

    /// Its number as a compute server.
    int number() {
        return number;
    }

    Acknowledged acknowledged() {
        return acknowledged;
    }

    /// Its failures.
    Queue<String> failures() {
        return failures;
    }

    /// How many locks and versions of dead sessions it has released and undone.
    long released() {
        return released.get();
    }

    long slowestMicros() {
        return slowestMicros.get();
    }
}
