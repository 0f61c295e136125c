package org.namdb.fabric.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;

/// This process's connection to one agent, which all queue pairs share, so that what many threads
/// post goes out in one message, and comes back in one.
///
/// No thread sends and receives for others while one thread waits alone, as it mostly does: it
/// sends what it has posted, and polls for the reply itself. Where several wait, the [Poller]
/// receives for all of them, or the [IoLoop] if they are virtual threads. The sending thread holds
/// `sending`, and sends for all that have posted meanwhile; the receiving thread holds `receiving`.
///
/// When the connection breaks, [LinkRecovery] opens another one, and what was under way is sent
/// again; the agent knows what of it is done ([ServedQueuePair]). When that fails, the link is
/// permanently *gone*, with all that was under way: the fabric makes another one.
final class AgentLink {
    private static final int BUFFER_BYTES = 256 << 10;

    /// How long a thread that waits alone polls for its reply before it goes to sleep.
    private static final long SPIN_NANOS =
            Runtime.getRuntime().availableProcessors() > 1 ? 60_000 : 0;

    /// The same for the [IoLoop], which yields to all other threads.
    private static final long IO_LOOP_NANOS = SPIN_NANOS == 0 ? 0 : 500_000;

    private static final long PARK_NANOS = 100_000_000;
    private static final long REST_NANOS = 500_000;

    private final InetSocketAddress address;
    private final Receiver poller;
    private final BiConsumer<AgentLink, Exception> recovery;

    private final AtomicBoolean sending = new AtomicBoolean();
    private final AtomicBoolean receiving = new AtomicBoolean();
    private final MpscUnboundedArrayQueue<VerbStream> posted = new MpscUnboundedArrayQueue<>(64);
    private final AtomicInteger underWay = new AtomicInteger();
    private final NativeBuffer out = new NativeBuffer(BUFFER_BYTES);
    private final NativeBuffer in = new NativeBuffer(BUFFER_BYTES);

    private final VerbStreams streams;
    private final MessageWindow window = new MessageWindow();
    private volatile Connection connection;
    private volatile boolean isWriteBlocked;
    private volatile boolean isCrowded;
    private volatile boolean isWatched;
    private volatile @Nullable FabricException gone;
    private volatile boolean isSettled;
    private final AtomicBoolean isFailed = new AtomicBoolean();
    private final long incarnation;
    private volatile List<ServedMemory.Served> regions;

    /// When something was heard of the agent, or nothing was to be heard.
    private volatile long heardNanos;

    private final VerbStream control;
    private final IoLoop ioLoop;
    private volatile boolean freed;

    /// @param poller receives while several threads wait
    /// @param recovery begins to open another connection when this one is of no use any more, and
    ///     calls [#reopened] or [#gone] when it has ended
    /// @param before the last link to this agent, which is gone; null if this is the first
    AgentLink(
            InetSocketAddress address,
            Receiver poller,
            BiConsumer<AgentLink, Exception> recovery,
            ClientHandshake.Opened opened,
            @Nullable AgentLink before) {
        this.address = address;
        this.poller = poller;
        this.recovery = recovery;
        this.connection = opened.connection();
        this.incarnation = opened.incarnation();
        this.regions = opened.regions();
        this.ioLoop = new IoLoop(this, IO_LOOP_NANOS);
        this.streams = new VerbStreams(before == null ? null : before.streams);
        this.control = streams.open(this);
    }

    InetSocketAddress address() {
        return address;
    }

    /// What errors name it by: `memory server 1 at 10.0.0.1:9000`.
    String name() {
        return ServedMemory.name(regions, address);
    }

    long incarnation() {
        return incarnation;
    }

    SocketChannel socket() {
        return connection.socket();
    }

    /// The agent's regions, as it has reported last.
    List<ServedMemory.Served> regions() {
        return regions;
    }

    /// Requests the agent's regions again.
    void refreshRegions() {
        regions = ServedMemory.read(ByteBuffer.wrap(request(AgentFrame.REGIONS, new byte[0])));
    }

    /// Why it can't be used any more; null if it can.
    @Nullable FabricException gone() {
        return gone;
    }

    /// Whether it is gone and the agent surely executes nothing more of what was sent over it.
    boolean isSettled() {
        return isSettled;
    }

    /// A stream for another queue pair.
    VerbStream open() {
        return streams.open(this);
    }

    /// The stream's queue pair is disconnected: what it has under way is sent no more, over
    /// whatever connection. What was sent may still be done.
    void abandon(VerbStream stream) {
        if (!lockBoth()) {
            return;
        }
        try {
            stream.abandon();
            loseUnderWay(stream, "the queue pair has been disconnected");
        } finally {
            unlockBoth();
        }
        send(); // threads that posted meanwhile left it to the lock holder
    }

    private void loseUnderWay(VerbStream stream, String why) {
        window.answered(stream.message()); // it never is now
        if (stream.isUnderWay()) { // it was not awaited: it may be in the queue
            lose(stream, new FabricException(FabricException.Kind.CONNECTION_LOST, why));
        }
    }

    /// The stream's queue pair is closed; nothing is sent for it or landed any more.
    void forget(VerbStream stream) {
        if (!lockBoth()) {
            stream.free();
            return;
        }
        try {
            streams.close(stream);
            loseUnderWay(stream, "the queue pair has been closed");
        } finally {
            unlockBoth();
        }
        send(); // threads that posted meanwhile left it to the lock holder
        stream.free();
    }

    /// Calls the agent itself, and waits for the answer.
    byte[] request(int what, byte[] arguments) {
        synchronized (control) {
            control.control(what, arguments);
            post(control);
            flush(control);
            await(control);
            try {
                return answerOf(control);
            } finally {
                control.clear();
            }
        }
    }

    private byte[] answerOf(VerbStream stream) {
        requireKept(stream);
        if (stream.code() != 0) {
            throw new FabricException(
                    ServedMemory.kind(stream.code()), "%s has not answered".formatted(address));
        }
        byte[] answer = stream.answer();
        return answer == null ? new byte[0] : answer;
    }

    static void requireKept(VerbStream stream) {
        FabricException lost = stream.lost();
        if (lost != null) {
            throw new FabricException(lost.kind(), String.valueOf(lost.getMessage()), lost);
        }
    }

    /// A stream has something to be sent. It is [sent][#flush] and [awaited][#await] by the same
    /// thread.
    void post(VerbStream stream) {
        stream.close();
        if (underWay.getAndIncrement() == 0) {
            heardNanos = Host.MACHINE.nanoTime();
        } else {
            isCrowded = true;
        }
        posted.offer(stream);
        FabricException why = gone;
        if (why != null) {
            lose(stream, why);
        }
    }

    /// Sends what was posted. A thread that has posted to several links flushes each before it
    /// awaits the first.
    void flush(VerbStream stream) {
        if (Thread.currentThread().isVirtual() && isCrowd()) {
            ioLoop.start();
            if (!ioLoop.isRunning()) {
                Thread.yield(); // others that are ready post, too, and all of it goes out at once
            }
        }
        if (!stream.isOver() && !ioLoop.isRunning()) {
            send();
        }
    }

    /// Waits until a stream is over that was sent.
    void await(VerbStream stream) {
        if (underWay.get() == 1 && !poller.isArmed(this) && !ioLoop.isRunning()) {
            spin(stream, Thread.currentThread().isVirtual());
        }
        boolean isInterrupted = false;
        while (!stream.isOver()) {
            if (!ioLoop.isRunning()) {
                send();
                poller.arm(this);
            }
            stream.park(ioLoop.isRunning() ? IoLoop.MAX_REST_NANOS : PARK_NANOS);
            isInterrupted |= Thread.interrupted();
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// Goes on when the [IoLoop] has ended.
    void withoutIoLoop() {
        if (!isIdle()) {
            poller.arm(this);
        }
        send();
    }

    boolean hasIoLoop() {
        return ioLoop.isRunning();
    }

    private void spin(VerbStream stream, boolean isVirtual) {
        long start = Host.MACHINE.nanoTime();
        while (!stream.isOver()
                && underWay.get() == 1
                && Host.MACHINE.nanoTime() - start < SPIN_NANOS) {
            if (!receive() && isVirtual) {
                Thread.yield();
            }
        }
    }

    /// Sends what was posted, unless another thread is sending: then that one does.
    void send() {
        while ((!posted.isEmpty() && !isFull()) || isWriteBlocked) {
            if (!sending.compareAndSet(false, true)) {
                return;
            }
            try {
                sendPosted();
            } catch (IOException e) {
                broken(e);
                return;
            } finally {
                sending.set(false);
            }
            if (isWriteBlocked) {
                poller.arm(this);
                return;
            }
        }
    }

    /// Whether what many threads post waits, so that the [IoLoop] puts it into one larger message.
    private boolean isFull() {
        return ioLoop.isRunning() && window.isFull();
    }

    private void sendPosted() throws IOException {
        boolean isMore = true;
        while (isMore) {
            isMore = gather();
            if (out.size() > 0 || connection.isUnsent()) {
                int _ = connection.write(out.content());
                out.taken();
                isWriteBlocked = out.size() > 0 || connection.isUnsent();
                isMore &= !isWriteBlocked;
            }
        }
        out.shrink(BUFFER_BYTES);
    }

    /// @return whether there may be more
    private boolean gather() {
        long number = window.next();
        while (out.size() < BUFFER_BYTES) {
            VerbStream stream = posted.poll();
            if (stream == null) {
                return false;
            }
            if (stream.isUnderWay() && !stream.isSent()) {
                stream.sent(true);
                if (stream.isQuick()) {
                    stream.sentWith(number);
                    window.sent(number);
                }
                int bytes = stream.posted().size();
                out.reserve(bytes);
                LocalMemory.copy(stream.posted().address(), out.end(), bytes);
                out.append(bytes);
            }
        }
        return true;
    }

    /// Runs `action` while no thread sends.
    void unlessSending(Runnable action) {
        if (!lock(sending)) {
            action.run();
            return;
        }
        try {
            action.run();
        } finally {
            sending.set(false);
        }
        send(); // threads that posted meanwhile left it to the lock holder
    }

    /// Whether it waits for the agent to read.
    boolean isWriteBlocked() {
        return isWriteBlocked;
    }

    /// Lands the replies that have come, unless another thread does.
    ///
    /// @return whether there were any
    boolean receive() {
        if (!receiving.compareAndSet(false, true)) {
            return false;
        }
        try {
            return receiveReplies();
        } catch (IOException | IllegalStateException e) {
            broken(e);
            return false;
        } finally {
            receiving.set(false);
        }
    }

    private boolean receiveReplies() throws IOException {
        boolean isAny = false;
        do {
            in.reserve(BUFFER_BYTES / 2);
            int count = connection.read(in.space());
            in.appended();
            if (count < 0) {
                throw new ClosedChannelException();
            }
            if (count == 0) {
                return isAny;
            }
            isAny = true;
            heardNanos = Host.MACHINE.nanoTime();
            land();
        } while (connection.isCutShort());
        return true;
    }

    private void land() throws IOException {
        while (in.size() >= AgentFrame.HEAD_BYTES) {
            long at = in.address();
            long head = LocalMemory.longAt(at);
            int bytes = AgentFrame.bytes(head);
            if (bytes < AgentFrame.HEAD_BYTES || (bytes & 7) != 0) {
                throw new MalformedFrameException(
                        "a reply of %d bytes (kind %d)".formatted(bytes, AgentFrame.kind(head)));
            }
            if (in.size() < bytes) {
                in.reserve(bytes - in.size());
                return;
            }
            land(head, at, bytes);
            in.take(bytes);
        }
        in.shrink(BUFFER_BYTES);
    }

    private void land(long head, long at, int bytes) throws IOException {
        long ids = LocalMemory.longAt(at + 8);
        VerbStream stream = streams.find(AgentFrame.high(ids));
        if (stream == null) {
            return; // its queue pair has been closed
        }
        long words = LocalMemory.longAt(at + 16);
        long message = stream.message(); // as it is refilled when it is over
        boolean isOver =
                switch (AgentFrame.kind(head)) {
                    case AgentFrame.REPLY ->
                            stream.reply(AgentFrame.low(ids), AgentFrame.code(head), at, bytes);
                    case AgentFrame.ANSWER ->
                            stream.answer(
                                    AgentFrame.low(ids),
                                    AgentFrame.high(words),
                                    AgentFrame.code(head),
                                    at + AgentFrame.HEAD_BYTES,
                                    answerBytes(words, bytes));
                    default ->
                            throw new MalformedFrameException(
                                    "a reply of kind " + AgentFrame.kind(head));
                };
        if (isOver) {
            window.answered(message);
            underWay.decrementAndGet();
        }
    }

    private static int answerBytes(long words, int bytes) throws IOException {
        int length = AgentFrame.low(words);
        if (length < 0 || AgentFrame.HEAD_BYTES + AgentFrame.padded(length) != bytes) {
            throw new MalformedFrameException(
                    "an answer of %d bytes in %d".formatted(length, bytes));
        }
        return length;
    }

    /// Whether several streams were under way at a time since the last call.
    boolean wasCrowded() {
        boolean was = isCrowded;
        isCrowded = false;
        return was;
    }

    /// From now on, its end is noticed also while no thread waits for a reply: verbs bypass it, and
    /// the mapped memory is of no use once the agent is gone.
    void keepWatch() {
        isWatched = true;
        poller.arm(this);
    }

    boolean isWatched() {
        return isWatched;
    }

    /// Returns when it is settled whether the agent is there.
    ///
    /// @throws FabricException if it is gone
    void requireAgent() {
        while (isFailed.get() && gone == null) {
            Host.MACHINE.sleep(REST_NANOS);
        }
        FabricException why = gone;
        if (why != null) {
            throw new FabricException(why.kind(), String.valueOf(why.getMessage()), why);
        }
    }

    /// Whether several wait.
    boolean isCrowd() {
        return underWay.get() > 1;
    }

    /// Whether nothing is waited for.
    boolean isIdle() {
        return underWay.get() == 0;
    }

    /// Whether the agent owes an answer, and has been silent for so long.
    boolean isSilentFor(long nanos) {
        return !isIdle() && Host.MACHINE.nanoTime() - heardNanos > nanos;
    }

    /// The connection can't be used any more; another one is opened.
    void broken(Exception why) {
        if (gone == null && isFailed.compareAndSet(false, true)) {
            boolean isBegun = false;
            try {
                recovery.accept(this, why);
                isBegun = true;
            } finally {
                if (!isBegun) { // no thread could be started: the next caller retries
                    isFailed.set(false);
                }
            }
        }
    }

    /// For [LinkRecovery]: no thread sends or receives until [#unlockBoth].
    ///
    /// @return false if everything has ended
    boolean lockBoth() {
        return lock(sending) && lock(receiving);
    }

    /// @return false if everything has ended: then no thread sends or receives any more
    private boolean lock(AtomicBoolean what) {
        int tries = 0;
        while (!what.compareAndSet(false, true)) {
            if (freed) {
                return false;
            }
            if (++tries % 64 == 0) {
                Host.MACHINE.sleep(100_000);
            } else {
                Thread.onSpinWait();
            }
        }
        return true;
    }

    void unlockBoth() {
        receiving.set(false);
        sending.set(false);
    }

    /// For [LinkRecovery], when it has released both.
    void goOn() {
        send();
        if ((!isIdle() || isWatched) && gone == null) {
            poller.reopened(this);
        }
    }

    /// For [LinkRecovery], which has locked both: goes on over another connection.
    void reopened(ClientHandshake.Opened opened) {
        in.clear();
        out.clear();
        isWriteBlocked = false;
        connection = opened.connection();
        regions = opened.regions();
        heardNanos = Host.MACHINE.nanoTime();
        window.clear();
        streams.forEach(stream -> {
            if (stream.isUnderWay()) {
                stream.sendAgain();
                posted.offer(stream);
            }
        });
        isFailed.set(false);
    }

    /// For [LinkRecovery], which has locked both: the link can't be used any more.
    ///
    /// @param settled whether the agent surely executes nothing more of what was sent
    void gone(FabricException why, boolean settled) {
        isSettled = settled;
        gone = why;
        connection.close();
        streams.forEach(stream -> lose(stream, why));
    }

    private void lose(VerbStream stream, FabricException why) {
        if (stream.lose(why)) {
            underWay.decrementAndGet();
        }
    }

    /// For [LinkRecovery], which has locked both.
    void closeConnection() {
        connection.close();
    }

    /// Ends everything: no thread sends or receives any more, and the memory is freed.
    void free() {
        boolean _ = lockBoth(); // permanently
        gone(
                new FabricException(
                        FabricException.Kind.CONNECTION_LOST, "the connections have been closed"),
                false);
        freed = true;
        in.close();
        out.close();
        control.free();
    }
}
