package org.namdb.tpcc.driver;

import java.util.List;
import java.util.function.Function;
import org.namdb.compute.Session;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.input.Deck;
import org.namdb.tpcc.input.InputSource;
import org.namdb.tpcc.input.ItemChooser;
import org.namdb.tpcc.input.NuRandConstants;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.procedure.TpccTransactions;
import org.namdb.tpcc.statistics.DeliveryLog;
import org.namdb.workload.driver.Pacing;
import org.namdb.workload.driver.Work;
import org.namdb.workload.statistics.CostSource;
import org.namdb.workload.statistics.MeasuredWindow;

/// The terminals of one thread.
final class Terminals implements Work {
    private static final int STREAMS_PER_THREAD = 3;
    private static final int PROCESS_SHIFT = 24;

    private final TerminalWork work;
    private final Pacing pacing;
    private final Turns turns;
    private final DeliveryLog deliveries;
    private final long[] orders = new long[Scale.DISTRICTS];
    private Terminal terminal = new Terminal(1, 1);
    private TransactionType type = TransactionType.NEW_ORDER;

    private Terminals(TerminalWork work, Pacing pacing, Turns turns, DeliveryLog deliveries) {
        this.work = work;
        this.pacing = pacing;
        this.turns = turns;
        this.deliveries = deliveries;
    }

    /// Makes the terminals of every thread of a run.
    ///
    /// @param process the number of the compute server
    /// @param transactions makes those of a thread, which has a session
    /// @param deliveries takes a log for each thread
    static Factory of(
            TpccOptions options,
            int process,
            Function<Session, TpccTransactions> transactions,
            List<DeliveryLog> deliveries) {
        NuRandConstants constants = NuRandConstants.of(options.loadSeed());
        ItemChooser items = ItemChooser.of(options.itemSkew(), options.scale().items(), constants);
        return (int thread, Session session, MeasuredWindow window, long startNanos) -> {
            InputSource inputs =
                    new InputSource(
                            options.scale(),
                            items,
                            constants,
                            options.distributionPercent(),
                            random(options, process, thread, 0));
            DeliveryLog log = new DeliveryLog(window, options.out() != null);
            deliveries.add(log);
            List<Terminal> own = Terminal.ofThread(options.scale(), thread, options.threads());
            Deck deck = new Deck(options.mix(), random(options, process, thread, 1));
            TerminalWork work = new TerminalWork(transactions.apply(session), inputs);
            if (options.thinkTimes()) {
                WithThinkTimes people =
                        new WithThinkTimes(
                                own, deck, random(options, process, thread, 2), startNanos);
                return new Terminals(work, people, people, log);
            }
            return new Terminals(
                    work, Work.pacing(options, thread, startNanos), new InTurn(own, deck), log);
        };
    }

    /// Processes that use one database draw from streams of their own, whatever their seeds: the
    /// same ones would have them meet at every record.
    private static TpccRandom random(TpccOptions options, int process, int thread, int purpose) {
        long first = (long) process << PROCESS_SHIFT;
        return TpccRandom.stream(
                options.seed(), first + (long) thread * STREAMS_PER_THREAD + purpose);
    }

    @Override
    public CostSource costs(Session session) {
        return work.transactions().costs();
    }

    @Override
    public void close() {
        work.transactions().close();
    }

    @Override
    public Pacing pacing() {
        return pacing;
    }

    @Override
    public void next() {
        turns.next();
        terminal = turns.terminal();
        type = turns.type();
    }

    @Override
    public TransactionType kind() {
        return type;
    }

    @Override
    public boolean isDeferred() {
        return type == TransactionType.DELIVERY;
    }

    @Override
    public boolean run() {
        return work.run(type, terminal);
    }

    @Override
    public void completed(long intendedStartNanos, long endNanos) {
        if (type == TransactionType.DELIVERY) {
            work.transactions().copyDelivered(orders);
            deliveries.add(
                    intendedStartNanos, endNanos, terminal.warehouse(), work.carrier(), orders);
        }
    }
}
