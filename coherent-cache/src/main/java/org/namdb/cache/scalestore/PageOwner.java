package org.namdb.cache.scalestore;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.frame.Frame;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.frame.FrameTable;
import org.namdb.cache.scalestore.PageMessage.Kind;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.peer.PeerRequest;

/// What other nodes request of this one's pages. A page that is in use, or not here yet, is handed
/// over by the thread that releases its latch.
/// ```
/// this thread                                    who has the frame latched
/// adds the request, marks the frame
///                                                releases it
/// tries the latch                                sees the mark
/// ```
/// At least one of them finds the request. A request of an older grant than the one that a thread
/// is waiting for is answered at once, from the copy that this node still has: the requester is
/// ahead of this node, which waits for it.
/// ```
/// node A, shares x                               node B
/// request to change x                            request to change x: grant 6
///                                                request to A: end your copy
/// grant 7: from B
/// answers B: ended
///                                                changes x, gives it to A
/// ```
/// Source: ScaleStore, section 3.4.3 (deadlock avoidance).
final class PageOwner {
    private static final int STRIPES = 64;
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    private final FrameTable table;
    private final int pageBytes;
    private final List<Map<Long, Requests>> stripes = new ArrayList<>();

    /// What a request gets.
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Answer(PeerRequest request, byte[] bytes) {
        void send() {
            request.answer(bytes);
        }
    }

    /// A request of the node with the grant `number`.
    private record OwnerRequest(Kind kind, long number, PeerRequest request) {}

    /// For one page; guarded by its stripe.
    private static final class Requests {
        private final List<OwnerRequest> waiting = new ArrayList<>();

        /// The frame that a thread is getting the page for.
        private @Nullable Frame acquiring;

        /// Whether that has a copy that was valid before.
        private boolean hasCopy;

        /// The grant that it waits for; 0 as long as the directory has not answered.
        private long grant;
    }

    PageOwner(FrameTable table, int pageBytes) {
        this.table = table;
        this.pageBytes = pageBytes;
        for (int i = 0; i < STRIPES; i++) {
            stripes.add(new HashMap<>());
        }
    }

    /// This thread is about to request a page.
    ///
    /// @param frame latched exclusively
    void acquiring(long page, Frame frame) {
        Map<Long, Requests> stripe = stripe(page);
        synchronized (stripe) {
            Requests requests = stripe.computeIfAbsent(page, _ -> new Requests());
            requests.acquiring = frame;
            requests.hasCopy = frame.state() != State.INVALID;
            requests.grant = 0;
        }
    }

    /// The directory has granted it. What waits by older grants is answered.
    void granted(long page, long number) {
        Map<Long, Requests> stripe = stripe(page);
        List<Answer> answers = new ArrayList<>();
        synchronized (stripe) {
            Requests requests = stripe.computeIfAbsent(page, _ -> new Requests());
            requests.grant = number;
            for (OwnerRequest each : requests.waiting) {
                if (each.number < number) {
                    answers.add(new Answer(each.request, oldAnswer(requests, each.kind)));
                }
            }
            requests.waiting.removeIf(each -> each.number < number);
        }
        answers.forEach(Answer::send);
    }

    /// It is here, or the wait has ended without it.
    void acquired(long page) {
        Map<Long, Requests> stripe = stripe(page);
        synchronized (stripe) {
            Requests requests = stripe.computeIfAbsent(page, _ -> new Requests());
            requests.acquiring = null;
            if (requests.waiting.isEmpty()) {
                stripe.remove(page);
            }
        }
    }

    /// Another node requests something of a page. Called by one thread.
    void handle(Kind kind, long page, long number, PeerRequest request) {
        Map<Long, Requests> stripe = stripe(page);
        Answer answer = null;
        synchronized (stripe) {
            Requests requests = stripe.computeIfAbsent(page, _ -> new Requests());
            boolean isOlder =
                    requests.acquiring != null
                            && number < requests.grant
                            && !PlantedFault.PAGE_GRANTS_UNORDERED.isPlanted();
            if (isOlder) {
                answer = new Answer(request, oldAnswer(requests, kind));
            } else {
                requests.waiting.add(new OwnerRequest(kind, number, request));
            }
        }
        if (answer == null) {
            serve(page);
        } else {
            answer.send();
        }
    }

    /// From the copy that a frame has had until its page was requested. It stays as it is until the
    /// page comes, which is after all requests of older grants.
    private byte[] oldAnswer(Requests requests, Kind kind) {
        Frame frame = requests.acquiring;
        return requests.hasCopy && frame != null && kind != Kind.INVALIDATE
                ? content(frame)
                : absent(kind);
    }

    /// The answer of a node that does not have the page.
    private static byte[] absent(Kind kind) {
        return new byte[] {kind == Kind.INVALIDATE ? PageMessage.ENDED : PageMessage.GONE};
    }

    /// Answers what waits for a page, unless a thread has it latched: then that one does so. To be
    /// called whenever a frame that [was marked][Frame#waiting] has been unlatched or removed.
    void serve(long page) {
        boolean isInUse = false;
        while (!isInUse && isWaiting(page)) {
            Frame frame = table.locate(page);
            if (frame == null) {
                answerAbsent(page);
                continue;
            }
            frame.markWaiting();
            if (!frame.tryExclusive()) {
                isInUse = frame.line() == page;
            } else if (frame.line() == page) {
                handOver(page, frame);
            } else {
                release(frame);
            }
        }
    }

    /// Answers what waits for a page. A frame that is marked for no reason, as it had another page
    /// when it was to be marked, is marked no more; but it may have got another page just now, and
    /// be marked for that.
    void serve(long page, Frame frame) {
        serve(page);
        Map<Long, Requests> stripe = stripe(page);
        synchronized (stripe) {
            Requests requests = stripe.get(page);
            if (requests == null || requests.waiting.isEmpty()) {
                frame.forgetWaiting();
            }
        }
        long other = frame.line();
        if (other != page) {
            serve(other);
        }
    }

    /// Unlatches a frame, and answers what waits for its page: the one that it has now, which may
    /// not be the one that it had when this thread found it.
    void release(Frame frame) {
        long page = frame.line();
        unlatch(frame);
        if (frame.waiting() != 0) {
            serve(page);
        }
    }

    /// The same for a frame that is latched together with other readers.
    void releaseShared(Frame frame) {
        long page = frame.line();
        frame.releaseShared();
        VarHandle.fullFence();
        if (frame.waiting() != 0) {
            serve(page);
        }
    }

    /// Unlatches a frame, so that what waits is found by this thread or by the one that adds it.
    private static void unlatch(Frame frame) {
        frame.releaseExclusive();
        VarHandle.fullFence();
    }

    private void handOver(long page, Frame frame) {
        for (OwnerRequest each : take(page, frame)) {
            each.request.answer(answer(frame, each));
        }
        if (frame.state() == State.INVALID) {
            table.remove(frame);
        } else {
            unlatch(frame);
        }
    }

    /// @param frame latched exclusively
    private byte[] answer(Frame frame, OwnerRequest each) {
        if (frame.state() == State.INVALID) {
            return absent(each.kind);
        }
        if (each.kind == Kind.INVALIDATE) {
            if (!PlantedFault.PAGE_COPY_KEPT.isPlanted()) {
                end(frame);
            }
            return absent(each.kind);
        }
        byte[] content = content(frame);
        if (each.kind == Kind.TRANSFER) {
            end(frame);
        } else if (frame.state() == State.MODIFIED) {
            frame.state(State.SHARED);
            frame.grant(each.number);
        }
        return content;
    }

    private static void end(Frame frame) {
        frame.state(State.INVALID);
        frame.clean();
    }

    private byte[] content(Frame frame) {
        byte[] content = new byte[1 + pageBytes];
        content[0] = frame.isDirty() ? PageMessage.UNSAVED : PageMessage.SAVED;
        LocalMemory.copyTo(frame.data(), content, 1, pageBytes);
        return content;
    }

    private boolean isWaiting(long page) {
        Map<Long, Requests> stripe = stripe(page);
        synchronized (stripe) {
            Requests requests = stripe.get(page);
            return requests != null && !requests.waiting.isEmpty();
        }
    }

    /// Takes what waits for a page, in the order of the grants.
    ///
    /// @param frame of the page, latched exclusively; it is not marked any more
    private List<OwnerRequest> take(long page, Frame frame) {
        Map<Long, Requests> stripe = stripe(page);
        synchronized (stripe) {
            frame.forgetWaiting();
            Requests requests = stripe.remove(page); // no thread is acquiring: it is latched here
            if (requests == null) {
                return List.of();
            }
            requests.waiting.sort(Comparator.comparingLong(OwnerRequest::number));
            return requests.waiting;
        }
    }

    /// What waits for a page that is not here gets none: it was evicted, or lost with its
    /// directory. Checked once more, as the page may have come, and with it requests of newer
    /// grants.
    private void answerAbsent(long page) {
        Map<Long, Requests> stripe = stripe(page);
        List<OwnerRequest> gone = List.of();
        synchronized (stripe) {
            if (table.locate(page) == null) {
                Requests requests = stripe.remove(page);
                gone = requests == null ? List.of() : requests.waiting;
            }
        }
        for (OwnerRequest each : gone) {
            each.request.answer(absent(each.kind));
        }
    }

    private Map<Long, Requests> stripe(long page) {
        return stripes.get(
                (int) (page * GOLDEN >>> Long.SIZE - Integer.numberOfTrailingZeros(STRIPES)));
    }
}
