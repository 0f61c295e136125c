package org.namdb.fabric.rdma;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FabricException.Kind;
import org.namdb.fabric.LocalMemory;

/// The verbs on one memory server that a queue pair has under way, and its request to it, as its
/// NIC reads them: a ring of work requests, each with its scatter-gather entry and a word.
/// ```
/// | number 8 | next 8 | entry's address 8 | entries 4 | opcode 4 | flags 4 | ... 4 |
/// | remote address 8 | remote key 4 ... 4 | ...           a WRITE, or a READ
/// | remote address 8 | compare or add 8 | swap 8 | remote key 4 | ...     an atomic
/// | (at 128) address 8 | bytes 4 | local key 4 | (at 144) word 8 | (to 192)
/// ```
/// They are handed over chained, some dozens at a time. Only the last of a chain is signalled; its
/// number says up to which one all are done, and no more than the ring holds are under way.
///
/// A reliable connection carries its verbs out in order, with two exceptions, for which there is
/// the fence flag: what follows a READ or an atomic may take effect before it when that one has to
/// be sent again (InfiniBand's table of work request orderings). A READ may follow anything, and an
/// atomic another one.
final class SendQueue {
    static final int REMOTE_ADDRESS = 40;
    static final int REMOTE_KEY = 48;

    private static final int OPCODE_WRITE = 0;
    private static final int OPCODE_READ = 4;
    private static final int OPCODE_SWAP = 5;
    private static final int OPCODE_ADD = 6;

    private static final int FENCE = 1;
    private static final int SIGNALED = 2;
    private static final int INLINE = 8;

    private static final int NEXT = 8;
    private static final int ENTRIES = 16;
    private static final int ENTRY_COUNT = 24;
    private static final int OPCODE = 28;
    private static final int FLAGS = 32;
    private static final int COMPARE_OR_ADD = 48;
    private static final int SWAP = 56;
    private static final int ATOMIC_KEY = 64;
    private static final int ENTRY = 128;
    private static final int WORD = 144;
    private static final int SLOT_BYTES = 192;

    /// How many are handed over at a time.
    private static final int DOORBELL = 32;

    private static final int INDEX_SHIFT = 32;

    /// In the number of a RECEIVE, of which a queue has one under way.
    private static final long RECEIVE = 1L << 62;

    private final NativeDispatcher verbs;
    private final ControlConnection control;
    private final RemoteRegion region;
    private final ReliableConnection connection;
    private final int inlineBytes;
    private final long index;
    private final int depth;
    private final long ring;
    private final int ringKey;
    private final RegisteredMemory memory;

    /// What requests are sent from, and the work request of a RECEIVE; 0 before the first.
    private long sent;

    private long receive;

    /// Where the reply lands that is waited for; 0 if none is.
    private long replyView;

    /// What has kept the last request from being answered.
    private @Nullable FabricException refusal;

    /// The connection's number in the memory server's process.
    private long openedAs;

    /// How many were written, handed over, and completed.
    private long written;

    private long posted;
    private long completed;

    /// Whether there may be some under way that nothing but a READ may follow without the flag.
    private boolean hasReads;

    private boolean hasAtomics;

    private boolean hasFailed;
    private boolean isSaid;
    private String why = "";
    private @Nullable FabricException failure;

    /// @param index distinguishes its completions from those of the queue pair's other ones
    SendQueue(
            Nic nic,
            ControlConnection control,
            RemoteRegion region,
            ReliableConnection connection,
            Capacity capacity,
            int index) {
        this.verbs = nic.verbs();
        this.control = control;
        this.region = region;
        this.connection = connection;
        this.inlineBytes = capacity.inlineBytes();
        this.index = index;
        this.depth = capacity.depth();
        this.memory = capacity.memory();
        this.ring = capacity.memory().place((long) depth * SLOT_BYTES);
        this.ringKey = capacity.memory().localKey(ring);
    }

    /// How much a send queue may take.
    record Capacity(RegisteredMemory memory, int depth, int inlineBytes) {}

    /// Which one of a queue pair's completed.
    static int index(long number) {
        return (int) ((number & ~RECEIVE) >>> INDEX_SHIFT);
    }

    ReliableConnection connection() {
        return connection;
    }

    ControlConnection control() {
        return control;
    }

    RemoteRegion region() {
        return region;
    }

    void openedAs(long number) {
        openedAs = number;
    }

    /// Whether another verb can be written.
    boolean hasCapacity() {
        return written - completed < depth;
    }

    /// Whether there are verbs that have neither completed nor failed, or a reply is waited for.
    boolean isPending() {
        return (written != completed || replyView != 0) && !hasFailed;
    }

    /// Whether a reply is all that is waited for. The memory server may take its time over it, as
    /// long as it is there.
    boolean awaitsReply() {
        return written == completed && replyView != 0;
    }

    boolean hasFailed() {
        return hasFailed;
    }

    /// Whether it has failed, and no await has thrown yet.
    boolean failsBatch() {
        boolean first = hasFailed && !isSaid;
        isSaid = hasFailed;
        return first;
    }

    void read(long offset, long view, int viewKey, int bytes) {
        long slot = slot(OPCODE_READ, 0);
        hasReads = true;
        to(slot, offset);
        from(slot, view, bytes, viewKey);
    }

    void write(long offset, long source, int sourceKey, int bytes) {
        long slot = slot(OPCODE_WRITE, (bytes <= inlineBytes ? INLINE : 0) | fence(true));
        to(slot, offset);
        from(slot, source, bytes, sourceKey);
    }

    /// Whether a WRITE of so many bytes is copied when it is posted, so that its source needs no
    /// key.
    boolean isInline(int bytes) {
        return bytes <= inlineBytes;
    }

    void writeWord(long offset, long value) {
        boolean isInline = isInline(Long.BYTES);
        long slot = slot(OPCODE_WRITE, (isInline ? INLINE : 0) | fence(true));
        LocalMemory.putLong(slot + WORD, value);
        to(slot, offset);
        from(slot, slot + WORD, Long.BYTES, ringKey);
    }

    void compareAndSwap(long offset, long view, int viewKey, long expected, long desired) {
        long slot = slot(OPCODE_SWAP, fence(false));
        LocalMemory.putLong(slot + SWAP, desired);
        atomic(slot, offset, view, viewKey, expected);
    }

    void fetchAndAdd(long offset, long view, int viewKey, long delta) {
        atomic(slot(OPCODE_ADD, fence(false)), offset, view, viewKey, delta);
    }

    /// Posts a RECEIVE into the view, and writes a SEND. There is no other request under way.
    ///
    /// @param view where the answer lands, a whole message: of [Message#HEAD_BYTES] and
    ///     `replyBytes`
    void request(long source, int bytes, long view, int viewKey, int replyBytes) {
        if (sent == 0) {
            receive = memory.place(Requester.RECEIVE_WORK_BYTES);
            sent = memory.place(Message.BUFFER_BYTES);
        }
        try {
            Requester.postReceive(
                    verbs,
                    connection.queuePair(),
                    new Requester.Buffer(view, viewKey, receive),
                    Message.HEAD_BYTES + replyBytes,
                    RECEIVE | index << INDEX_SHIFT);
        } catch (IOException e) {
            fail(String.valueOf(e.getMessage()));
            return;
        }
        replyView = view;
        Message.putHead(sent, Message.Request.request(replyBytes), bytes);
        LocalMemory.copy(source, sent + Message.HEAD_BYTES, bytes);
        long slot = slot(Requester.OPCODE_SEND, fence(true));
        from(slot, sent, Message.HEAD_BYTES + bytes, memory.localKey(sent));
    }

    /// The reply has come: in the view its length takes the place of the message's head.
    private void replied(int bytes) {
        long view = replyView;
        int answer = LocalMemory.intAt(view);
        replyView = 0;
        if (answer == Message.Answer.DONE) {
            LocalMemory.putLong(view, Message.length(view, bytes));
        } else {
            refusal = control.failure(answer);
        }
    }

    /// What has kept the last request from being answered; null if nothing, or it was taken.
    @Nullable FabricException takeRefusal() {
        FabricException taken = refusal;
        refusal = null;
        return taken;
    }

    private void atomic(long slot, long offset, long view, int viewKey, long compareOrAdd) {
        hasAtomics = true;
        LocalMemory.putLong(slot + REMOTE_ADDRESS, region.address(offset));
        LocalMemory.putLong(slot + COMPARE_OR_ADD, compareOrAdd);
        LocalMemory.putInt(slot + ATOMIC_KEY, region.key(offset));
        from(slot, view, Long.BYTES, viewKey);
    }

    private int fence(boolean behindAtomics) {
        if (!hasReads && !(behindAtomics && hasAtomics)) {
            return 0;
        }
        hasReads = false;
        hasAtomics = false;
        return FENCE;
    }

    private void to(long slot, long offset) {
        LocalMemory.putLong(slot + REMOTE_ADDRESS, region.address(offset));
        LocalMemory.putInt(slot + REMOTE_KEY, region.key(offset));
    }

    private static void from(long slot, long address, int bytes, int key) {
        Requester.putEntry(slot + ENTRY, address, bytes, key);
    }

    /// The next work request, chained to those before it that are not handed over yet.
    private long slot(int opcode, int flags) {
        long slot = at(written);
        if (posted != written) {
            LocalMemory.putLong(at(written - 1) + NEXT, slot);
        }
        written++;
        LocalMemory.putLong(slot, index << INDEX_SHIFT | (written & 0xffff_ffffL));
        LocalMemory.putLong(slot + NEXT, 0);
        LocalMemory.putLong(slot + ENTRIES, slot + ENTRY);
        LocalMemory.putInt(slot + ENTRY_COUNT, 1);
        LocalMemory.putInt(slot + OPCODE, opcode);
        LocalMemory.putInt(slot + FLAGS, flags);
        return slot;
    }

    private long at(long count) {
        return ring + (count % depth) * SLOT_BYTES;
    }

    /// A verb has been written: hands a full chain over.
    void ring() {
        if (written - posted >= DOORBELL || !hasCapacity()) {
            flush();
        }
    }

    /// Hands over what was written, if anything.
    void flush() {
        if (posted == written || hasFailed) {
            return;
        }
        long first = at(posted);
        long last = at(written - 1);
        LocalMemory.putInt(last + FLAGS, LocalMemory.intAt(last + FLAGS) | SIGNALED);
        posted = written;
        try {
            verbs._postSend(connection.queuePair(), first);
        } catch (IOException e) {
            fail(String.valueOf(e.getMessage()));
        }
    }

    /// A work request has completed, and with it all before; or a reply has come.
    ///
    /// @param bytes how long the reply is, with its head
    void completed(long number, int status, int bytes) {
        if (hasFailed) {
            return;
        }
        if (status != Completions.SUCCESS) {
            fail("status " + status);
            return;
        }
        if ((number & RECEIVE) != 0) {
            replied(bytes);
            return;
        }
        completed += (int) number - (int) completed;
        if (completed == written) {
            hasReads = false;
            hasAtomics = false;
        }
    }

    /// Gives the connection up: the NIC touches nothing for it any more.
    void fail(String reason) {
        if (!hasFailed) {
            hasFailed = true;
            replyView = 0;
            why = reason;
            connection.close();
        }
    }

    /// What verbs fail with. Calls the memory server's process for the reason, and so that nothing
    /// is in flight any more.
    FabricException failure() {
        FabricException known = failure;
        if (known == null) {
            known = settle();
            failure = known;
        }
        return known;
    }

    private FabricException settle() {
        try {
            control.end(openedAs);
            return control.explain(region.region(), why);
        } catch (FabricException e) {
            return new FabricException(
                    Kind.CONNECTION_LOST,
                    "lost the connection to memory server " + region.region().server() + ": " + why,
                    e);
        }
    }

    /// Ends the connection at both sides.
    ///
    /// @throws FabricException if the other side has not confirmed it
    void end() {
        fail("ended");
        control.end(openedAs);
    }
}
