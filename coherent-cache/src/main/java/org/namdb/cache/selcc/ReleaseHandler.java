package org.namdb.cache.selcc;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.frame.Frame;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.frame.FrameTable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.peer.PeerHandler;
import org.namdb.fabric.peer.PeerRequest;

/// Releases the lines that other compute servers need, a round trip for all that have asked. It
/// never waits for a thread that uses a line: the other one has to ask again (SELCC, section
/// 5.1.1).
/// ```
/// this compute server                       another one
///                                           CAS 0 -> writer: fails; asks
/// latches the frame, unless it is in use
/// WRITE, FAA; awaits both
/// frees the frame
/// answers
///                                           CAS 0 -> writer, READ
/// ```
/// The frame stays latched until the FAA has taken effect. Else a thread here could add the bit of
/// this station before it is subtracted, and carry into another station's.
final class ReleaseHandler implements PeerHandler {
    private final LineCache cache;
    private final FrameTable table;
    private final LineProtocol protocol;
    private final Frame[] frames = new Frame[LineProtocol.MAX_BATCH];
    private final State[] targets = new State[LineProtocol.MAX_BATCH];
    private final PeerRequest[] requests = new PeerRequest[LineProtocol.MAX_BATCH];
    private int count;

    ReleaseHandler(LineCache cache) {
        this.cache = cache;
        this.table = cache.table();
        this.protocol = new LineProtocol(cache);
    }

    @Override
    public void handle(List<PeerRequest> batch) {
        for (PeerRequest request : batch) {
            begin(request);
            if (count == LineProtocol.MAX_BATCH) {
                release();
            }
        }
        release();
    }

    private void begin(PeerRequest request) {
        ReleaseMessage message;
        try {
            message = ReleaseMessage.of(request.bytes());
        } catch (IllegalArgumentException e) {
            request.answer(ReleaseMessage.NOTHING);
            return;
        }
        Frame frame = table.find(message.line());
        if (frame == null) {
            request.answer(ReleaseMessage.NOTHING);
        } else if (!frame.tryExclusive()) {
            request.answer(ReleaseMessage.BUSY);
        } else if (frame.line() != message.line()
                || frame.state() == State.SHARED && !message.isExclusive()) {
            frame.releaseExclusive();
            request.answer(ReleaseMessage.NOTHING);
        } else {
            frames[count] = frame;
            targets[count] = message.isExclusive() ? State.INVALID : State.SHARED;
            requests[count++] = request;
        }
    }

    private void release() {
        if (count == 0) {
            return;
        }
        byte @Nullable [] answer = ReleaseMessage.RELEASED;
        try {
            if (PlantedFault.LINE_USED_WHILE_RELEASED.isPlanted()) {
                releaseUnlatched();
            } else {
                protocol.release(frames, targets, count);
            }
            for (int i = 0; i < count; i++) {
                if (targets[i] == State.INVALID) {
                    table.remove(frames[i]);
                } else {
                    frames[i].releaseExclusive();
                }
            }
        } catch (FabricException e) {
            answer = ReleaseMessage.BUSY; // the cache has failed
        }
        for (int i = 0; i < count; i++) {
            requests[i].answer(answer);
        }
        count = 0;
    }

    private void releaseUnlatched() {
        for (int i = 0; i < count; i++) {
            frames[i].releaseExclusive();
        }
        protocol.release(frames, targets, count);
        for (int i = 0; i < count; i++) {
            while (!frames[i].tryExclusive()) {
                cache.host().sleep(LineSession.MIN_PAUSE_NANOS);
            }
        }
    }

    void close() {
        protocol.close();
    }
}
