package org.namdb.fabric.tcp;

/// The messages with verbs that an [AgentLink] has under way: while many threads have enough of
/// them, what is posted waits, and the next message is larger.
final class MessageWindow {
    private static final int MAX_MESSAGES = 2;

    /// The number of the last message; changed by the sending thread.
    private volatile long sent;

    /// The highest number of a message of which a stream is over; changed by the receiving thread.
    private volatile long answered;

    boolean isFull() {
        return sent - answered >= MAX_MESSAGES;
    }

    /// The number of the next message; it has none before something [is sent][#sent] with it.
    long next() {
        return sent + 1;
    }

    void sent(long number) {
        sent = number;
    }

    void answered(long number) {
        answered = Math.max(answered, number);
    }

    /// Nothing of what was sent is answered any more.
    void clear() {
        answered = sent;
    }
}
