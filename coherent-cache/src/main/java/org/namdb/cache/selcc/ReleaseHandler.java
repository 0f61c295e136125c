package org.namdb.cache.selcc;

import java.util.List;
import org.namdb.cache.frame.Frame;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.frame.FrameTable;
import org.namdb.cache.line.LatchWord;
import org.namdb.cache.selcc.LineCacheOptions.Part;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.VerbCounters;
import org.namdb.fabric.peer.PeerHandler;
import org.namdb.fabric.peer.PeerRequest;

/// Releases and grants the lines that other compute servers need, a round trip for all requests. It
/// never waits for a thread that uses a line: the sender has to retry (SELCC, section 5.1.1).
/// ```
/// this compute server                       another one
///                                           CAS 0 -> writer: fails; a request
/// latches the frame, unless it is in use
/// WRITE, FAA; awaits both
/// frees the frame
/// answers
/// ```
/// The frame stays latched until the FAA has taken effect. Else a thread here could add the bit of
/// this station before it is subtracted, and carry into another station's.
///
/// A request may be handled after its sender's wait has ended, as a connection was lost. It is
/// granted the line all the same, and notices that only when another station requests that line.
final class ReleaseHandler implements PeerHandler {
    private final LineCache cache;
    private final FrameTable table;
    private final LineProtocol protocol;
    private final Frame[] frames = new Frame[LineProtocol.MAX_BATCH];
    private final State[] targets = new State[LineProtocol.MAX_BATCH];
    private final long[] grants = new long[LineProtocol.MAX_BATCH];
    private final byte[][] answers = new byte[LineProtocol.MAX_BATCH][];
    private final PeerRequest[] requests = new PeerRequest[LineProtocol.MAX_BATCH];
    private int count;

    ReleaseHandler(LineCache cache) {
        this.cache = cache;
        this.table = cache.table();
        this.protocol = new LineProtocol(cache);
    }

    /// After an unexpected failure the latch words are unknown: the frames stay latched, and the
    /// cache fails.
    @Override
    public void handle(List<PeerRequest> batch) {
        try {
            for (PeerRequest request : batch) {
                int forgotten = LineRequest.forgotten(request.bytes());
                if (forgotten >= 0) {
                    release(); // what it was granted before
                    cache.forget(forgotten);
                    answer(request, LineRequest.RELEASED);
                } else if (cache.isForgotten(request.from())) {
                    answer(request, LineRequest.BUSY);
                } else {
                    begin(request);
                }
                if (count == LineProtocol.MAX_BATCH) {
                    release();
                }
            }
            release();
        } catch (RuntimeException | Error e) {
            count = 0;
            cache.fail(
                    new FabricException(
                            FabricException.Kind.SYSTEM, "can't release lines: " + e, e));
            throw e;
        }
    }

    private void begin(PeerRequest request) {
        LineRequest wanted;
        try {
            wanted = LineRequest.of(request.bytes(), cache.layout());
        } catch (IllegalArgumentException e) {
            answer(request, LineRequest.NOTHING);
            return;
        }
        Frame frame = table.find(wanted.line());
        if (frame == null) {
            answer(request, absent(wanted));
        } else if (!frame.tryExclusive()) {
            frame.remember(Math.max(1, wanted.priority()), cache.host().nanoTime());
            answer(request, LineRequest.BUSY);
        } else if (frame.line() != wanted.line() || !isHeld(frame, wanted)) {
            frame.releaseExclusive();
            answer(request, LineRequest.NOTHING);
        } else {
            frame.forgetWaiting();
            if (wanted.kind() == LineRequest.Kind.INVALIDATE) {
                cache.quieten(wanted.line(), wanted.priority());
            }
            boolean isShared = wanted.kind() == LineRequest.Kind.SHARED;
            boolean isGranted =
                    wanted.kind() != LineRequest.Kind.INVALIDATE && cache.has(Part.FORWARDING);
            frames[count] = frame;
            targets[count] = isShared ? State.SHARED : State.INVALID;
            grants[count] = isGranted && !isShared ? LatchWord.writer(wanted.station()) : 0;
            answers[count] = isGranted ? granted(frame) : new byte[] {LineRequest.RELEASED};
            requests[count++] = request;
        }
    }

    /// Whether the line is held as its requester has seen.
    private static boolean isHeld(Frame frame, LineRequest wanted) {
        return wanted.kind() == LineRequest.Kind.INVALIDATE
                ? frame.state() == State.SHARED
                : frame.state() == State.MODIFIED;
    }

    private byte[] granted(Frame frame) {
        int bytes = cache.layout().lineBytes();
        byte[] answer = new byte[1 + bytes];
        answer[0] = LineRequest.GRANTED;
        LocalMemory.copyTo(frame.data(), answer, 1, bytes);
        return answer;
    }

    /// Another compute server takes this one for the writer of a line that is not here. It is not
    /// any more, or was granted it without its knowledge, and releases it.
    private byte absent(LineRequest wanted) {
        if (wanted.kind() == LineRequest.Kind.INVALIDATE) {
            return LineRequest.NOTHING;
        }
        try {
            if (!table.hasFree()) {
                release(); // its frames are used again for those that are evicted
                boolean _ = protocol.evict(frames);
            }
            Frame frame = table.insert(wanted.line());
            if (frame == null) {
                return LineRequest.BUSY; // a thread is acquiring it, or all frames are in use
            }
            protocol.relinquish(frame);
            table.remove(frame);
            return LineRequest.NOTHING;
        } catch (FabricException e) {
            return LineRequest.BUSY; // the cache has failed
        }
    }

    private static void answer(PeerRequest request, byte outcome) {
        request.answer(new byte[] {outcome});
    }

    private void release() {
        if (count == 0) {
            return;
        }
        boolean isEarly = PlantedFault.LINE_ANSWERED_EARLY.isPlanted();
        if (isEarly) {
            answerAll();
        }
        try {
            if (PlantedFault.LINE_USED_WHILE_RELEASED.isPlanted()) {
                releaseUnlatched();
            } else {
                protocol.release(frames, targets, grants, count);
            }
            for (int i = 0; i < count; i++) {
                if (targets[i] == State.INVALID) {
                    table.remove(frames[i]);
                } else {
                    frames[i].releaseExclusive();
                }
            }
        } catch (FabricException e) {
            for (int i = 0; i < count; i++) {
                answers[i] = new byte[] {LineRequest.BUSY}; // the cache has failed
            }
        }
        if (!isEarly) {
            answerAll();
        }
        count = 0;
    }

    private void answerAll() {
        for (int i = 0; i < count; i++) {
            requests[i].answer(answers[i]);
        }
    }

    private void releaseUnlatched() {
        for (int i = 0; i < count; i++) {
            frames[i].releaseExclusive();
        }
        protocol.release(frames, targets, grants, count);
        for (int i = 0; i < count; i++) {
            while (!frames[i].tryExclusive()) {
                cache.host().sleep(LineWait.MIN_PAUSE_NANOS);
            }
        }
    }

    VerbCounters counters() {
        return protocol.counters();
    }

    void close() {
        protocol.close();
    }
}
