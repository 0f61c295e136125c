package org.namdb.cache.frame;

import java.lang.foreign.Arena;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.RemoteAddress;

/// A fixed number of frames, found by the lines in them. There is at most one frame for a line.
///
/// A reader that has found a frame latches it, and then checks its line again:
/// ```
/// reader                          evicting thread
/// finds the frame of line x
///                                 latches it, releases x, removes it: no line, and latched
///                                 inserts y in it, and unlatches it
/// latches it: line y, not x; searches again
/// ```
/// Which lines are cold is known by *epochs*: another one begins whenever a tenth of the frames has
/// got other lines, and a frame has that of its last use.
///
/// Thread-safe. Source: SELCC, section 4.2, and ScaleStore, section 5 (epochs, samples).
public final class FrameTable implements AutoCloseable {
    private static final int NONE = -1;
    private static final int LOCKS = 64;
    private static final int ALIGNMENT = 64;
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    /// How many epochs there are while all frames get other lines.
    private static final int EPOCHS = 10;

    /// Of so many frames that are sampled, one is evicted.
    private static final int SAMPLED = 10;

    /// Of so many frames one is evicted at a time, at the most.
    private static final int EVICTED_SHARE = 2;

    private final Arena arena = Arena.ofShared();
    private final Frame[] frames;
    private final AtomicIntegerArray heads;
    private final int shift;
    private final Object[] locks = new Object[LOCKS];
    private final ConcurrentLinkedQueue<Integer> free = new ConcurrentLinkedQueue<>();
    private final AtomicInteger freeCount;
    private final AtomicInteger hand = new AtomicInteger();
    private final AtomicLong inserted = new AtomicLong();
    private volatile int epoch;

    public FrameTable(int count, int lineBytes) {
        frames = new Frame[count];
        freeCount = new AtomicInteger(count);
        long data = arena.allocate((long) count * lineBytes, ALIGNMENT).address();
        for (int i = 0; i < count; i++) {
            frames[i] = new Frame(data + (long) i * lineBytes);
            free.add(i);
        }
        int buckets = Math.max(2, Integer.highestOneBit(count) << 1);
        shift = Long.SIZE - Integer.numberOfTrailingZeros(buckets);
        heads = new AtomicIntegerArray(buckets);
        for (int i = 0; i < buckets; i++) {
            heads.set(i, NONE);
        }
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new Object();
        }
    }

    /// How many frames there are.
    public int size() {
        return frames.length;
    }

    /// A frame by its number, from 0.
    public Frame frame(int number) {
        return frames[number];
    }

    /// Finds the frame of a line, without a lock.
    ///
    /// @return null if there is none, and in rare cases while frames come and go: then [#insert]
    ///     finds it
    public @Nullable Frame find(long line) {
        int number = heads.get(bucket(line));
        for (int steps = 0; number != NONE && steps < frames.length; steps++) {
            Frame frame = frames[number];
            if (frame.line() == line) {
                return frame;
            }
            number = frame.next;
        }
        return null;
    }

    /// Finds the frame of a line, whatever comes and goes.
    ///
    /// @return null if there is none
    public @Nullable Frame locate(long line) {
        synchronized (locks[bucket(line) & LOCKS - 1]) {
            return find(line);
        }
    }

    /// Inserts a line that has no frame.
    ///
    /// @return its frame, latched exclusively and invalid; null if it has a frame, or if there is
    ///     no free one
    public @Nullable Frame insert(long line) {
        int bucket = bucket(line);
        synchronized (locks[bucket & LOCKS - 1]) {
            if (find(line) != null) {
                return null;
            }
            Integer number = free.poll();
            if (number == null) {
                return null;
            }
            freeCount.decrementAndGet();
            Frame frame = frames[number];
            assert frame.state() == Frame.State.INVALID : "a free frame with a copy";
            epoch = (int) (inserted.incrementAndGet() * EPOCHS / frames.length);
            used(frame);
            frame.forgetWaiting();
            frame.next = heads.get(bucket);
            frame.line(line);
            heads.set(bucket, number);
            return frame;
        }
    }

    /// How many frames are free, about.
    public int freeCount() {
        return freeCount.get();
    }

    /// Whether an insert would find a free frame.
    public boolean hasFree() {
        return !free.isEmpty();
    }

    /// Removes a line whose frame the caller has latched exclusively, and which is invalid. The
    /// frame is free, and stays latched.
    public void remove(Frame frame) {
        long line = frame.line();
        assert line != RemoteAddress.NULL && frame.state() == Frame.State.INVALID;
        int bucket = bucket(line);
        synchronized (locks[bucket & LOCKS - 1]) {
            int before = NONE;
            int number = heads.get(bucket);
            while (frames[number] != frame) {
                before = number;
                number = frames[number].next;
            }
            if (before == NONE) {
                heads.set(bucket, frame.next);
            } else {
                frames[before].next = frame.next;
            }
            frame.line(RemoteAddress.NULL);
            free.add(number);
            freeCount.incrementAndGet();
        }
    }

    /// A frame is used: it is evicted later than those that were not used for longer.
    public void used(Frame frame) {
        frame.used(epoch);
    }

    /// Frames to evict: the coldest ones of a sample, which goes over all frames in turn.
    ///
    /// @param into gets them, latched exclusively: as many as it has space for at the most, and no
    ///     more than half of all
    /// @return how many; 0 if all are in use
    public int victims(Frame[] into) {
        int wanted = Math.clamp(frames.length / EVICTED_SHARE, 1, into.length);
        int sampled = Math.min(SAMPLED * wanted, frames.length);
        int latched = 0;
        for (int seen = 0; seen < 2 * frames.length && latched == 0; seen += sampled) {
            int candidates = coldest(into, wanted, sampled);
            for (int i = 0; i < candidates; i++) {
                if (into[i].tryExclusive()) {
                    into[latched++] = into[i];
                }
            }
        }
        return latched;
    }

    /// The coldest of the next frames that are not in use, in ascending order of their epochs.
    private int coldest(Frame[] into, int wanted, int sampled) {
        int count = 0;
        int from = hand.getAndAdd(sampled);
        for (int i = 0; i < sampled; i++) {
            Frame frame = frames[Math.floorMod(from + i, frames.length)];
            if (frame.isLatched() || count == wanted && !isColder(frame, into[count - 1])) {
                continue;
            }
            int at = count == wanted ? count - 1 : count++;
            while (at > 0 && isColder(frame, into[at - 1])) {
                into[at] = into[at - 1];
                at--;
            }
            into[at] = frame;
        }
        return count;
    }

    private static boolean isColder(Frame one, Frame other) {
        return one.epoch() - other.epoch() < 0;
    }

    private int bucket(long line) {
        return (int) (line * GOLDEN >>> shift);
    }

    /// Latches all frames for good, and frees their memory. If a thread is using one, as it has a
    /// guard open, or a failed cache has left one latched, the memory is not freed: it may be read.
    @Override
    public void close() {
        int latched = 0;
        while (free.poll() != null) {
            latched++; // a free frame is latched
        }
        for (Frame frame : frames) {
            latched += frame.tryExclusive() ? 1 : 0;
        }
        if (latched == frames.length) {
            arena.close();
        }
    }
}
