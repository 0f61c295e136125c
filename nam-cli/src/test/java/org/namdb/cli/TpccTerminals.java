package org.namdb.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.tpcc.ItemSkew;
import org.namdb.tpcc.Mix;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.driver.InTurn;
import org.namdb.tpcc.driver.Terminal;
import org.namdb.tpcc.driver.TerminalWork;
import org.namdb.tpcc.input.Deck;
import org.namdb.tpcc.input.DeliveryInput;
import org.namdb.tpcc.input.InputSource;
import org.namdb.tpcc.input.ItemChooser;
import org.namdb.tpcc.input.NewOrderInput;
import org.namdb.tpcc.input.NuRandConstants;
import org.namdb.tpcc.input.OrderStatusInput;
import org.namdb.tpcc.input.PaymentInput;
import org.namdb.tpcc.input.StockLevelInput;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.load.LoadProgress;
import org.namdb.tpcc.load.Loader;
import org.namdb.tpcc.procedure.Delivery;
import org.namdb.tpcc.procedure.DeliveryResult;
import org.namdb.tpcc.procedure.NewOrder;
import org.namdb.tpcc.procedure.NewOrderResult;
import org.namdb.tpcc.procedure.OrderStatus;
import org.namdb.tpcc.procedure.Payment;
import org.namdb.tpcc.procedure.StockLevel;
import org.namdb.tpcc.procedure.TpccTransactions;
import org.namdb.tpcc.schema.TpccSchema;
import org.namdb.workload.statistics.CostSource;

/// A program that tests start, and kill: some terminals of TPC-C with a compute server, or with a
/// database of their own in a data directory. It attaches or recovers, waits for a byte on its
/// standard input, works until that is closed, and prints:
/// ```
/// compute server P          attached
/// order W D O C             this order is acknowledged
/// payment W D C             this customer's payment
/// delivery W D O            the delivery of this order
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
    private static final long SAMPLE_MILLIS = 20;

    /// Between two transactions in a cluster, so that the machine has time for other things.
    private static final int MAX_PAUSE_MILLIS = 10;

    private static final int SEGMENT_BYTES = 1 << 17;
    private static final int CHECKPOINT_BYTES = 1 << 20;

    private final NamDb db;
    private final TpccSchema schema;
    private final long seed;
    private final int maxPauseMillis;
    private final Consumer<String> lines;
    private final List<Loop> loops = new ArrayList<>();
    private volatile boolean isOver;

    /// @param lines gets what they say
    TpccTerminals(NamDb db, long seed, int maxPauseMillis, Consumer<String> lines) {
        this.db = db;
        this.schema = TpccSchema.open(db, SCALE);
        this.seed = seed;
        this.maxPauseMillis = maxPauseMillis;
        this.lines = lines;
    }

    /// Runs it.
    ///
    /// @param arguments the cluster's file, or a data directory, and a seed
    public static void main(String[] arguments) throws Exception {
        Path place = Path.of(arguments[0]);
        boolean isAlone = Files.isDirectory(place);
        Consumer<String> lines = line -> System.out.println(line + " .");
        try (NamDb db =
                isAlone ? NamDb.embedded(kept(JournalOptions.in(place))) : NamDb.connect(place)) {
            db.observeRecoveries(
                    slot -> lines.accept("cleaned " + slot.locks() + " " + slot.undone()));
            TpccTerminals terminals =
                    new TpccTerminals(
                            db,
                            Long.parseLong(arguments[1]),
                            isAlone ? 0 : MAX_PAUSE_MILLIS,
                            lines);
            lines.accept("compute server " + db.process());
            if (System.in.read() >= 0) {
                terminals.work();
            }
        } catch (RuntimeException e) {
            lines.accept("failed " + e);
            throw e;
        }
    }

    /// A database of their own, with a checkpoint now and then.
    static EmbeddedOptions kept(JournalOptions journal) {
        return EmbeddedOptions.DEFAULT
                .withMemoryBytes(128 << 20)
                .withJournal(journal.withBytes(SEGMENT_BYTES, CHECKPOINT_BYTES));
    }

    /// Makes what they work on.
    static void load(NamDb db) {
        TpccSchema created = TpccSchema.create(db, SCALE, 4);
        Loader loader = new Loader(db, created, SCALE, LOAD_SEED, Instant.EPOCH);
        if (!loader.load(1, new LoadProgress(SCALE))) {
            throw new IllegalStateException("not loaded");
        }
    }

    private void work() throws Exception {
        start();
        Thread watch = Thread.ofPlatform().daemon().start(this::watch);
        while (System.in.read() >= 0) {
            Thread.onSpinWait(); // the user may press Enter
        }
        end();
        watch.join();
    }

    void start() {
        for (int thread = 0; thread < THREADS; thread++) {
            Loop loop = new Loop(thread);
            loops.add(loop);
            loop.thread.start();
        }
    }

    void end() throws InterruptedException {
        isOver = true;
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
                lines.accept("done " + done);
            }
            long slowest = 0;
            for (Loop loop : loops) {
                slowest = Math.max(slowest, loop.slowestNanos());
            }
            if (slowest > said) {
                said = slowest;
                lines.accept("slowest " + slowest / 1_000);
            }
            sleep(SAMPLE_MILLIS);
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
                TerminalWork work = new TerminalWork(new Told(session), inputs);
                while (!isOver) {
                    terminals.next();
                    long begun = System.nanoTime();
                    begunNanos = begun;
                    boolean _ = work.run(terminals.type(), terminals.terminal());
                    longestNanos = Math.max(longestNanos, System.nanoTime() - begun);
                    begunNanos = 0;
                    done.incrementAndGet();
                    sleep(random.uniform(0, maxPauseMillis));
                }
            } catch (RuntimeException | Error e) {
                lines.accept("failed " + e);
            }
        }
    }

    /// Transactions that are told when they are acknowledged.
    private final class Told implements TpccTransactions {
        private final Session session;
        private final NewOrder newOrder = new NewOrder(schema);
        private final Payment payment = new Payment(schema);
        private final OrderStatus orderStatus = new OrderStatus(schema);
        private final Delivery delivery = new Delivery(schema);
        private final StockLevel stockLevel = new StockLevel(schema);

        Told(Session session) {
            this.session = session;
        }

        private void tell(String what, long... place) {
            lines.accept(
                    what
                            + LongStream.of(place)
                                    .mapToObj(each -> " " + each)
                                    .collect(Collectors.joining()));
        }

        @Override
        public boolean newOrder(NewOrderInput input) {
            NewOrderResult result = session.call(newOrder, input);
            if (!result.isRolledBack()) {
                tell(
                        "order",
                        input.warehouse(),
                        input.district(),
                        result.orderId(),
                        input.customer());
            }
            return result.isRolledBack();
        }

        @Override
        public void payment(PaymentInput input) {
            long customer = session.call(payment, input).customer();
            tell("payment", input.customerWarehouse(), input.customerDistrict(), customer);
        }

        @Override
        public void orderStatus(OrderStatusInput input) {
            session.call(orderStatus, input);
        }

        @Override
        public void delivery(DeliveryInput input) {
            DeliveryResult result = session.call(delivery, input);
            for (int district = 1; district <= Scale.DISTRICTS; district++) {
                if (result.order(district) > 0) {
                    tell("delivery", input.warehouse(), district, result.order(district));
                }
            }
        }

        @Override
        public void stockLevel(StockLevelInput input) {
            session.call(stockLevel, input);
        }

        @Override
        public void copyDelivered(long[] target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CostSource costs() {
            return CostSource.of(session);
        }

        @Override
        public void close() {}
    }
}
