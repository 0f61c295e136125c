package org.namdb.simulated;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// The events of a simulation in the order of their moments, and of their arrival where that is the
/// same. Most are due in some microseconds, while timers that nothing waits for any more stay for
/// virtual minutes: so those beyond a horizon are kept apart, and the others are few.
///
/// Belongs to one thread.
final class EventQueue {
    private static final long HORIZON_NANOS = 100_000;

    /// What happens at a moment.
    record Event(long nanos, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return nanos != other.nanos
                    ? Long.compare(nanos, other.nanos)
                    : Long.compare(order, other.order);
        }
    }

    /// Up to the horizon.
    private final PriorityQueue<Event> soon = new PriorityQueue<>();

    private final PriorityQueue<Event> later = new PriorityQueue<>();
    private long horizon;
    private long order;

    void add(long nanos, Runnable action) {
        (nanos <= horizon ? soon : later).add(new Event(nanos, order++, action));
    }

    /// The next one; null if there is none.
    @Nullable Event peek() {
        Event next = soon.peek();
        return next == null ? later.peek() : next;
    }

    /// Removes the next one, which there is.
    Event remove() {
        if (soon.isEmpty()) {
            long first = later.element().nanos;
            horizon = first + Math.min(HORIZON_NANOS, Long.MAX_VALUE - first);
            for (Event next = later.peek();
                    next != null && next.nanos <= horizon;
                    next = later.peek()) {
                soon.add(later.remove());
            }
        }
        return soon.remove();
    }

    void clear() {
        soon.clear();
        later.clear();
    }
}
