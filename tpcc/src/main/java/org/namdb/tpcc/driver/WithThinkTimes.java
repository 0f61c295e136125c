package org.namdb.tpcc.driver;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.input.Deck;
import org.namdb.tpcc.input.TpccRandom;

/// As people would (clause 5.2.5): each terminal types its input for the keying time, waits for the
/// answer, and looks at it for a think time. The thread serves whichever of its terminals is
/// due first.
public final class WithThinkTimes implements Pacing {
    private final List<Terminal> terminals;
    private final TransactionType[] types;
    private final long[] dueNanos;
    private final int[] heap; // terminals, the one that is due first on top
    private final Deck deck;
    private final TpccRandom random;

    /// Every terminal begins to type somewhere in its first cycle, so that they don't all come
    /// at once.
    public WithThinkTimes(List<Terminal> terminals, Deck deck, TpccRandom random, long startNanos) {
        this.terminals = List.copyOf(terminals);
        this.deck = deck;
        this.random = random;
        types = new TransactionType[terminals.size()];
        dueNanos = new long[terminals.size()];
        heap = new int[terminals.size()];
        for (int terminal = 0; terminal < heap.length; terminal++) {
            types[terminal] = deck.next();
            dueNanos[terminal] = startNanos + thinkNanos(types[terminal]);
            heap[terminal] = terminal;
        }
        for (int place = heap.length / 2; place >= 0; place--) {
            sink(place);
        }
    }

    @Override
    public void next(long nowNanos) {}

    @Override
    public Terminal terminal() {
        return terminals.get(heap[0]);
    }

    @Override
    public TransactionType type() {
        return types[heap[0]];
    }

    @Override
    public long intendedStartNanos() {
        return dueNanos[heap[0]];
    }

    @Override
    public void finished(long nowNanos) {
        int terminal = heap[0];
        long thinkNanos = thinkNanos(types[terminal]);
        types[terminal] = deck.next();
        dueNanos[terminal] =
                nowNanos + thinkNanos + TimeUnit.SECONDS.toNanos(types[terminal].keyingSeconds());
        sink(0);
    }

    private long thinkNanos(TransactionType type) {
        return random.exponentialNanos(TimeUnit.SECONDS.toNanos(type.meanThinkSeconds()));
    }

    private void sink(int start) {
        int place = start;
        while (2 * place + 1 < heap.length) {
            int child = 2 * place + 1;
            if (child + 1 < heap.length && isEarlier(heap[child + 1], heap[child])) {
                child++;
            }
            if (!isEarlier(heap[child], heap[place])) {
                return;
            }
            int swapped = heap[place];
            heap[place] = heap[child];
            heap[child] = swapped;
            place = child;
        }
    }

    private boolean isEarlier(int terminal, int other) {
        return dueNanos[terminal] - dueNanos[other] < 0;
    }
}
