package org.namdb.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.tpcc.ItemSkew;
import org.namdb.tpcc.Mix;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.driver.InTurn;
import org.namdb.tpcc.driver.Terminal;
import org.namdb.tpcc.driver.TerminalWork;
import org.namdb.tpcc.input.Deck;
import org.namdb.tpcc.input.InputSource;
import org.namdb.tpcc.input.ItemChooser;
import org.namdb.tpcc.input.NewOrderInput;
import org.namdb.tpcc.input.NuRandConstants;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.procedure.NewOrder;
import org.namdb.tpcc.procedure.NewOrderResult;
import org.namdb.tpcc.schema.TpccSchema;

/// A program that tests start, and kill: a compute server with some terminals of TPC-C. It
/// attaches, waits for a byte on its standard input, works until that is closed, and prints:
/// ```
/// compute server P          attached
/// order W D O C             this order is acknowledged
/// slowest N                 the longest transaction so far, in µs, those included that still run
/// done N1 N2 N3             how many transactions each thread has done
/// cleaned L V               it has released L locks of a dead session, and undone V versions
/// failed WHY
/// ```
/// Every line ends with a dot, by which one that was cut off by the death is known.
final class TpccTerminals {
    static final int THREADS = 3;

    /// A warehouse for each thread, so that what keeps a transaction waiting is a lock that the
    /// dead one has held, rather than contention.
    static final Scale SCALE = new Scale(THREADS, 1);

    private static final long LOAD_SEED = 1;
    private static final long LOOK_MILLIS = 20;

    /// Between two transactions, so that the machine has time for other things.
    private static final int MAX_PAUSE_MILLIS = 10;

    private final NamDb db;
    private final TpccSchema schema;
    private final long seed;
    private final List<Loop> loops = new ArrayList<>();
    private volatile boolean isOver;

    private TpccTerminals(NamDb db, long seed) {
        this.db = db;
        this.schema = TpccSchema.open(db, SCALE);
        this.seed = seed;
    }

    /// Runs it.
    ///
    /// @param arguments the cluster's file and a seed
    public static void main(String[] arguments) throws Exception {
        try (NamDb db = NamDb.connect(Path.of(arguments[0]))) {
            db.observeRecoveries(slot -> say("cleaned " + slot.locks() + " " + slot.undone()));
            TpccTerminals terminals = new TpccTerminals(db, Long.parseLong(arguments[1]));
            say("compute server " + db.process());
            if (System.in.read() >= 0) {
                terminals.work();
            }
        } catch (RuntimeException e) {
            say("failed " + e);
            throw e;
        }
    }

    private static void say(String what) {
        System.out.println(what + " .");
    }

    private void work() throws Exception {
        for (int thread = 0; thread < THREADS; thread++) {
            Loop loop = new Loop(thread);
            loops.add(loop);
            loop.thread.start();
        }
        Thread watch = Thread.ofPlatform().daemon().start(this::watch);
        while (System.in.read() >= 0) {
            Thread.onSpinWait(); // the user may press Enter
        }
        isOver = true;
        watch.join();
        for (Loop loop : loops) {
            loop.thread.join();
        }
    }

    private void watch() {
        long said = 0;
        String before = "";
        while (!isOver) {
            String done =
                    loops.stream()
                            .map(loop -> loop.done.toString())
                            .collect(Collectors.joining(" "));
            if (!done.equals(before)) {
                before = done;
                say("done " + done);
            }
            long slowest = 0;
            for (Loop loop : loops) {
                slowest = Math.max(slowest, loop.slowestNanos());
            }
            if (slowest > said) {
                said = slowest;
                say("slowest " + slowest / 1_000);
            }
            sleep(LOOK_MILLIS);
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// One thread's terminals.
    private final class Loop implements Runnable {
        private final Thread thread;
        private final InTurn terminals;
        private final InputSource inputs;
        private final TpccRandom random;
        private final NewOrder newOrder = new NewOrder(schema);
        private final NewOrderInput order = new NewOrderInput();
        private volatile long begunNanos;
        private volatile long longestNanos;
        private final AtomicLong done = new AtomicLong();

        Loop(int number) {
            NuRandConstants constants = NuRandConstants.of(LOAD_SEED);
            long streams = 3L * number;
            terminals =
                    new InTurn(
                            Terminal.ofThread(SCALE, number, THREADS),
                            new Deck(Mix.STANDARD, TpccRandom.stream(seed, streams)));
            inputs =
                    new InputSource(
                            SCALE,
                            ItemChooser.of(new ItemSkew.Standard(), SCALE.items(), constants),
                            constants,
                            OptionalInt.empty(),
                            TpccRandom.stream(seed, streams + 1));
            random = TpccRandom.stream(seed, streams + 2);
            thread = Thread.ofPlatform().unstarted(this);
        }

        long slowestNanos() {
            long longest = longestNanos;
            long begun = begunNanos;
            return begun == 0 ? longest : Math.max(longest, System.nanoTime() - begun);
        }

        @Override
        public void run() {
            try (Session session = db.session()) {
                TerminalWork work = new TerminalWork(session, schema, inputs);
                while (!isOver) {
                    terminals.next();
                    long begun = System.nanoTime();
                    begunNanos = begun;
                    if (terminals.type() == TransactionType.NEW_ORDER) {
                        order(session);
                    } else {
                        boolean _ = work.run(terminals.type(), terminals.terminal());
                    }
                    longestNanos = Math.max(longestNanos, System.nanoTime() - begun);
                    begunNanos = 0;
                    done.incrementAndGet();
                    sleep(random.uniform(0, MAX_PAUSE_MILLIS));
                }
            } catch (RuntimeException | Error e) {
                say("failed " + e);
            }
        }

        private void order(Session session) {
            inputs.fill(order, terminals.terminal().warehouse());
            NewOrderResult result = session.call(newOrder, order);
            if (!result.isRolledBack()) {
                say(
                        "order %d %d %d %d"
                                .formatted(
                                        order.warehouse(),
                                        order.district(),
                                        result.orderId(),
                                        order.customer()));
            }
        }
    }
}
