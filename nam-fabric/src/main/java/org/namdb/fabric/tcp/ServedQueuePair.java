package org.namdb.fabric.tcp;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;

/// The agent's end of a queue pair: does its verbs in their order, each exactly once, though a
/// connection may break at any byte and its client send a batch again over the next one.
///
/// It caches how many verbs of the current batch are done, and the results of the atomics among
/// them. Of a batch that is sent again, a READ that was done is done again, as it changes nothing;
/// a WRITE that was done is skipped; an atomic is answered from the cache. This is what the
/// responder of a reliable connection does in InfiniBand. A view may be younger than the verbs
/// after it, then; so may one of a READ in place.
final class ServedQueuePair {
    /// In place of a number of verbs: the frame is malformed.
    static final int MALFORMED = -1;

    /// A batch has no more of them.
    private static final int MAX_ATOMICS = 1 << 20;

    private int batch;
    private int done;

    /// What has kept the verb after those that are done from being done; 0 if nothing.
    private int failure;

    private long[] found = new long[8];
    private int atomics;

    /// By memory server, the last request to it.
    private @Nullable ServedCall[] calls = {};

    /// Whether something was written since the last fence.
    private boolean written;

    /// Does the verbs of a frame.
    ///
    /// @param at the native address of its first verb; verbs and operands lie in the frame
    /// @param out gets what is landed
    /// @return how many verbs of the frame are done; below 0 if it is malformed
    int execute(ServedMemory memory, int number, int first, int verbs, long at, NativeBuffer out) {
        if (number != batch) {
            batch = number;
            done = 0;
            failure = 0;
            atomics = 0;
        }
        long next = at;
        for (int i = 0; i < verbs; i++) {
            boolean isNew = first + i >= done;
            if (isNew && (failure != 0 || first + i > done)) {
                return failure != 0 ? i : MALFORMED; // frames come in order
            }
            long verb = LocalMemory.longAt(next);
            long target =
                    memory.translate(
                            LocalMemory.longAt(next + 8), movedBytes(verb), AgentFrame.key(verb));
            if (target < 0) {
                failure = ServedMemory.code(target);
                return i;
            }
            try {
                if (!isAtomic(verb)) {
                    move(verb, target, next + AgentFrame.VERB_BYTES, isNew, out);
                } else if (!answerAtomic(verb, target, next + AgentFrame.VERB_BYTES, isNew, out)) {
                    return MALFORMED;
                }
            } catch (InternalError e) { // the file system of the region has no page left
                failure = FabricException.Kind.SYSTEM.ordinal() + 1;
                return i;
            }
            done += isNew ? 1 : 0;
            next += AgentFrame.length(verb);
        }
        return verbs;
    }

    private void move(long verb, long target, long operand, boolean isNew, NativeBuffer out) {
        if (AgentFrame.op(verb) == AgentFrame.READ) {
            land(target, AgentFrame.verbBytes(verb), out);
        } else if (isNew) {
            write(verb, target, operand);
        }
    }

    private boolean answerAtomic(
            long verb, long target, long operand, boolean isNew, NativeBuffer out) {
        int index = AgentFrame.verbBytes(verb);
        if (isNew ? index != atomics || index == MAX_ATOMICS : index >= atomics) {
            return false;
        }
        out.reserve(Long.BYTES); // may fail: then the atomic is not executed
        if (isNew) {
            if (atomics == found.length) {
                found = Arrays.copyOf(found, 2 * atomics);
            }
            found[atomics++] = atomic(verb, target, operand);
        }
        LocalMemory.putLong(out.end(), found[index]);
        out.append(Long.BYTES);
        return true;
    }

    private void land(long source, int bytes, NativeBuffer out) {
        fenceWrites();
        out.reserve(bytes);
        LocalMemory.copy(source, out.end(), bytes);
        VarHandle.acquireFence();
        out.append(bytes);
    }

    private void write(long verb, long target, long operand) {
        if (AgentFrame.op(verb) == AgentFrame.WRITE) {
            VarHandle.releaseFence();
            LocalMemory.copy(operand, target, AgentFrame.verbBytes(verb));
        } else {
            LocalMemory.putLongRelease(target, LocalMemory.longAt(operand));
        }
        written = true;
    }

    private static long atomic(long verb, long target, long operand) {
        long first = LocalMemory.longAt(operand);
        return AgentFrame.op(verb) == AgentFrame.FETCH_AND_ADD
                ? LocalMemory.fetchAndAdd(target, first)
                : LocalMemory.compareAndExchange(
                        target, first, LocalMemory.longAt(operand + Long.BYTES));
    }

    /// Makes WRITEs visible to later reads, on this queue pair or by the mapping.
    void fenceWrites() {
        if (written) {
            written = false;
            VarHandle.fullFence();
        }
    }

    /// What has kept a verb of this batch from being done; 0 if nothing. Then requests behind it
    /// are not handled.
    int failureOf(int number) {
        return number == batch ? failure : 0;
    }

    /// The last request to a memory server; null if there was none.
    @Nullable ServedCall call(int server) {
        return server < calls.length ? calls[server] : null;
    }

    void called(ServedCall call) {
        calls = Arrays.copyOf(calls, Math.max(calls.length, call.server() + 1));
        calls[call.server()] = call;
    }

    /// What has kept the last frame from being done whole.
    int failure() {
        return failure;
    }

    private static boolean isAtomic(long verb) {
        return AgentFrame.op(verb) >= AgentFrame.COMPARE_AND_SWAP;
    }

    private static int movedBytes(long verb) {
        return AgentFrame.op(verb) <= AgentFrame.WRITE ? AgentFrame.verbBytes(verb) : Long.BYTES;
    }
}
