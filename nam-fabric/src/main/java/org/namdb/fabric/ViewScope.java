package org.namdb.fabric;

/// The lifetime of some views. Those that land while a scope is open make older views age only
/// until the scope is closed. Code that may retry any number of times, or that takes all it needs
/// from its views before it returns, works inside a scope:
/// ```java
/// try (ViewScope views = queuePair.openViews()) {
///     while (!tryOnce()) {
///         views.giveUp();
///     }
/// }
/// ```
/// So it does not use up its caller's views, however often it retries, and its own views are not
/// used once the scope is closed.
///
/// Scopes are nested, or one follows the other. Nothing is allocated for one.
public final class ViewScope implements AutoCloseable {
    private final QueuePair queuePair;
    private final boolean isQueuePairs;
    private long mark;

    /// A scope for an operation whose end is not in the block of its beginning: its owner
    /// [opens][#open] it again and again.
    public ViewScope(QueuePair queuePair) {
        this(queuePair, false);
    }

    ViewScope(QueuePair queuePair, boolean isQueuePairs) {
        this.queuePair = queuePair;
        this.isQueuePairs = isQueuePairs;
    }

    /// Opens it, or opens it again, from now on.
    public void open() {
        mark = queuePair.landed();
    }

    /// How many bytes were landed and not given up since it was opened.
    public long landed() {
        return queuePair.landed() - mark;
    }

    /// Gives up what was landed so far; the scope goes on. Everything that has a view has been
    /// awaited.
    public void giveUp() {
        queuePair.giveUpViews(mark);
        mark = queuePair.landed(); // a little more than before, where the ring has turned meanwhile
    }

    /// Leaves what was landed so far to the caller: it ages as if there were no scope.
    public void keep() {
        mark = queuePair.landed();
    }

    /// Gives up what was landed and not kept. If verbs that have views are still under way, since
    /// something failed between them and their await, those are left to grow old.
    @Override
    public void close() {
        if (isQueuePairs) {
            queuePair.closeViews(this);
        }
        if (queuePair.isSettled()) {
            queuePair.giveUpViews(mark);
        }
    }
}
