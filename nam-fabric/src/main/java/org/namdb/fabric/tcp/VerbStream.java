package org.namdb.fabric.tcp;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;

/// A queue pair's part of an [AgentLink]: what it has posted to the memory servers of one agent
/// since its last await, and where the replies go. It is filled by the queue pair's thread, then
/// under way, and filled again when it is over:
/// ```
/// owner   posts verbs, calls, a message   state FILLING
/// owner   hands it to the link            state UNDER_WAY: others read it, and land the replies
/// others  last reply has come, or it is
///         lost; owner is woken            state OVER
/// ```
/// What has been posted stays as it is while it is under way, so that it can be sent again over
/// another connection.
final class VerbStream {
    private static final int FIRST_BYTES = 4 << 10;

    /// A frame is ended when it, or what it lands, has grown so far.
    private static final int FRAME_BYTES = 32 << 10;

    private static final int LANDED_FRAME_BYTES = 128 << 10;

    /// What a queue pair keeps of the memory for a large batch.
    private static final int KEPT_BYTES = 256 << 10;

    private static final int FILLING = 0;
    private static final int UNDER_WAY = 1;
    private static final int OVER = 2;

    private final AgentLink link;
    private final int number;
    private final NativeBuffer posted = new NativeBuffer(FIRST_BYTES);

    /// Where the verbs of the batch that land something land it, and how much, in their order.
    private long[] views = new long[16];

    private int[] viewBytes = new int[16];
    private int viewCount;

    private int batch;
    private int verbs;
    private int atomics;
    private int frameStart;
    private int frameVerb;
    private int frameLanded;
    private int frames;

    /// How many frames were answered, and how many views are filled.
    private int answeredFrames;

    private int filled;

    /// The calls of the batch: the first `callCount` of the array.
    private Call[] calls = {};

    private int callCount;

    private byte @Nullable [] answer;
    private int code;
    private final AtomicInteger state = new AtomicInteger(FILLING);
    private volatile @Nullable FabricException lost;
    private volatile @Nullable Thread waiter;

    private volatile boolean wasSentAgain;

    /// Whether what was under way last was abandoned, and the agent may still do it.
    private volatile boolean isAbandoned;

    /// Whether the frames were put on the wire of the current connection; for the sending thread.
    private boolean isSent;

    /// The number of the link's message that it went out with.
    private volatile long message;

    /// Where the reply to a request lands.
    private static final class Call {
        int server;
        long view;
        int replyBytes;
        boolean isAnswered;
    }

    /// @param before the last batch of this number's stream before: an agent that has seen a batch
    ///     does not do it again
    VerbStream(AgentLink link, int number, int before) {
        this.link = link;
        this.number = number;
        this.batch = before;
    }

    /// The number of its last batch.
    int batch() {
        return batch;
    }

    AgentLink link() {
        return link;
    }

    int number() {
        return number;
    }

    boolean isEmpty() {
        return frames == 0 && verbs == 0;
    }

    /// Appends a verb with space for `operandBytes` behind it.
    ///
    /// @return the native address of the operand
    private long append(int op, long address, int bytes, int key, int operandBytes) {
        int size = AgentFrame.VERB_BYTES + operandBytes;
        if (isEmpty()) {
            nextBatch();
        }
        int inFrame = posted.size() - frameStart;
        if (verbs > frameVerb
                && (inFrame + size > FRAME_BYTES || frameLanded > LANDED_FRAME_BYTES)) {
            endFrame();
        }
        if (verbs == frameVerb) {
            posted.reserve(AgentFrame.HEAD_BYTES + size);
            posted.append(AgentFrame.HEAD_BYTES);
        } else {
            posted.reserve(size);
        }
        long at = posted.end();
        LocalMemory.putLong(at, AgentFrame.verb(op, bytes, key));
        LocalMemory.putLong(at + 8, address);
        posted.append(size);
        verbs++;
        return at + AgentFrame.VERB_BYTES;
    }

    private void lands(long view, int bytes) {
        if (viewCount == views.length) {
            views = Arrays.copyOf(views, 2 * viewCount);
            viewBytes = Arrays.copyOf(viewBytes, 2 * viewCount);
        }
        views[viewCount] = view;
        viewBytes[viewCount++] = bytes;
        frameLanded += bytes;
    }

    void read(long address, int bytes, int key, long view) {
        long _ = append(AgentFrame.READ, address, bytes, key, 0);
        lands(view, bytes);
    }

    void write(long address, long source, int bytes, int key) {
        LocalMemory.copy(source, append(AgentFrame.WRITE, address, bytes, key, bytes), bytes);
    }

    void writeWord(long address, long value, int key) {
        LocalMemory.putLong(append(AgentFrame.WRITE_WORD, address, 8, key, 8), value);
    }

    void compareAndSwap(long address, long expected, long desired, int key, long view) {
        long operands = append(AgentFrame.COMPARE_AND_SWAP, address, atomics++, key, 16);
        LocalMemory.putLong(operands, expected);
        LocalMemory.putLong(operands + 8, desired);
        lands(view, Long.BYTES);
    }

    void fetchAndAdd(long address, long delta, int key, long view) {
        LocalMemory.putLong(append(AgentFrame.FETCH_AND_ADD, address, atomics++, key, 8), delta);
        lands(view, Long.BYTES);
    }

    private void nextBatch() {
        batch = batch == Integer.MAX_VALUE ? 1 : batch + 1;
    }

    private void endFrame() {
        long at = posted.address() + frameStart;
        int bytes = posted.size() - frameStart;
        AgentFrame.putHead(at, AgentFrame.VERBS, 0, bytes, number, batch);
        LocalMemory.putLong(at + 16, AgentFrame.pair(frameVerb, verbs - frameVerb));
        frames++;
        frameStart = posted.size();
        frameVerb = verbs;
        frameLanded = 0;
    }

    /// Appends a request, a frame of its own.
    ///
    /// @param view where the length of the reply lands, a word, and then the reply
    void call(int server, long source, int requestBytes, long view, int replyBytes) {
        if (isEmpty()) {
            nextBatch();
        }
        if (verbs > frameVerb) {
            endFrame();
        }
        int bytes = AgentFrame.CALL_BYTES + AgentFrame.padded(requestBytes);
        posted.reserve(bytes);
        long at = posted.end();
        LocalMemory.putLong(at + bytes - Long.BYTES, 0);
        AgentFrame.putHead(at, AgentFrame.CALL, 0, bytes, number, batch);
        LocalMemory.putLong(at + 16, AgentFrame.pair(server, requestBytes));
        LocalMemory.putLong(at + 24, replyBytes);
        LocalMemory.copy(source, at + AgentFrame.CALL_BYTES, requestBytes);
        posted.append(bytes);
        frames++;
        frameStart = posted.size();
        if (callCount == calls.length) {
            calls = Arrays.copyOf(calls, callCount + 1);
            calls[callCount] = new Call();
        }
        Call call = calls[callCount++];
        call.server = server;
        call.view = view;
        call.replyBytes = replyBytes;
        call.isAnswered = false;
    }

    /// Posts a CONTROL, which is answered by an array.
    void control(int what, byte[] message) {
        assert isEmpty() : "verbs are awaited before a control";
        nextBatch();
        int bytes = AgentFrame.HEAD_BYTES + AgentFrame.padded(message.length);
        posted.reserve(bytes);
        long at = posted.end();
        LocalMemory.zero(at + bytes - Long.BYTES, Long.BYTES);
        AgentFrame.putHead(at, AgentFrame.CONTROL, 0, bytes, number, batch);
        LocalMemory.putLong(at + 16, AgentFrame.pair(what, message.length));
        LocalMemory.copyFrom(message, 0, at + AgentFrame.HEAD_BYTES, message.length);
        posted.append(bytes);
        frames = 1;
    }

    /// Everything is posted: it can be sent.
    void close() {
        if (verbs > frameVerb) {
            endFrame();
        }
        state.set(UNDER_WAY);
    }

    /// For the sending thread: what is to be sent.
    NativeBuffer posted() {
        return posted;
    }

    boolean isSent() {
        return isSent;
    }

    void sent(boolean now) {
        isSent = now;
    }

    /// Whether it has posted verbs alone, which are answered at once.
    boolean isQuick() {
        return verbs > 0 && callCount == 0;
    }

    /// The number of the link's message that it went out with last.
    long message() {
        return message;
    }

    void sentWith(long number) {
        message = number;
    }

    boolean isUnderWay() {
        return state.get() == UNDER_WAY;
    }

    boolean isOver() {
        return state.get() == OVER;
    }

    /// Takes the reply to one of its frames.
    ///
    /// @param at the native address of the reply
    /// @return whether it is over now
    boolean reply(int ofBatch, int newCode, long at, int bytes) {
        if (state.get() != UNDER_WAY || ofBatch != batch) {
            return false;
        }
        long from = at + AgentFrame.HEAD_BYTES;
        long end = at + bytes;
        while (from < end && filled < viewCount) {
            int viewed = viewBytes[filled];
            if (from + viewed > end) {
                throw new IllegalStateException(
                        "a reply of %d bytes ends within a view".formatted(bytes));
            }
            LocalMemory.copy(from, views[filled++], viewed);
            from += viewed;
        }
        code = code == 0 ? newCode : code;
        answeredFrames++;
        return answeredFrames == frames && over();
    }

    /// Takes the answer to one of its calls, or to its control.
    ///
    /// @param at the native address of the answer
    /// @return whether it is over now
    boolean answer(int ofBatch, int server, int newCode, long at, int bytes) {
        if (state.get() != UNDER_WAY || ofBatch != batch) {
            return false;
        }
        if (callCount == 0) {
            answer = new byte[bytes];
            LocalMemory.copyTo(at, answer, 0, bytes);
        } else if (!landReply(server, at, bytes)) {
            return false;
        }
        code = code == 0 ? newCode : code;
        answeredFrames++;
        return answeredFrames == frames && over();
    }

    /// A call that was sent again is answered twice if the agent had not answered it before the
    /// connection broke, and has done so when it comes again.
    ///
    /// @return whether it is the first answer
    private boolean landReply(int server, long at, int bytes) {
        for (int i = 0; i < callCount; i++) {
            Call call = calls[i];
            if (call.server == server && bytes <= call.replyBytes) {
                boolean isFirst = !call.isAnswered;
                call.isAnswered = true;
                LocalMemory.putLong(call.view, bytes);
                LocalMemory.copy(at, call.view + Long.BYTES, bytes);
                return isFirst;
            }
        }
        throw new IllegalStateException(
                "a reply of %d bytes from memory server %d is longer than its request allows"
                        .formatted(bytes, server));
    }

    /// For [LinkRecovery]: it is sent again from its beginning, and what was answered is answered
    /// again. It may stand in the queue twice from now on, once by its owner.
    void sendAgain() {
        wasSentAgain = true;
        restart();
    }

    private void restart() {
        answeredFrames = 0;
        filled = 0;
        for (int i = 0; i < callCount; i++) {
            calls[i].isAnswered = false;
        }
        code = 0;
        isSent = false;
    }

    void abandon() {
        isAbandoned = true;
    }

    boolean isAbandoned() {
        return isAbandoned;
    }

    /// The agent does nothing of it any more.
    void settled() {
        isAbandoned = false;
    }

    /// Its outcome is unknown.
    boolean lose(FabricException why) {
        lost = why;
        return over();
    }

    private boolean over() {
        if (!state.compareAndSet(UNDER_WAY, OVER)) {
            return false;
        }
        Thread waiting = waiter;
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
        return true;
    }

    /// Waits until it is over, or something has changed.
    void park(long nanos) {
        waiter = Thread.currentThread();
        if (state.get() == UNDER_WAY) {
            LockSupport.parkNanos(this, nanos);
        }
        waiter = null;
    }

    /// The failure of what was lost; null if nothing was.
    @Nullable FabricException lost() {
        return lost;
    }

    /// What has kept a verb from being done, or a request from being answered; 0 if nothing.
    int code() {
        return code;
    }

    byte @Nullable [] answer() {
        return answer;
    }

    /// The owner has seen how it ended, and fills it again.
    ///
    /// ```
    /// r  sends it again, before its owner has put it into the queue
    /// o  puts it there; it is over by then
    /// s  takes it from the queue: it is under way, it was sent; or so it seems
    /// o  fills it again, and s sends what is half filled
    /// ```
    /// So no thread reads such a stream while it is cleared.
    void clear() {
        if (wasSentAgain) {
            link.unlessSending(this::reset);
        } else {
            reset();
        }
    }

    private void reset() {
        posted.clear();
        posted.shrink(KEPT_BYTES);
        viewCount = 0;
        verbs = 0;
        atomics = 0;
        frameStart = 0;
        frameVerb = 0;
        frameLanded = 0;
        frames = 0;
        answer = null;
        restart();
        callCount = 0;
        state.set(FILLING);
    }

    /// Frees its memory; it is not under way.
    void free() {
        posted.close();
    }
}
