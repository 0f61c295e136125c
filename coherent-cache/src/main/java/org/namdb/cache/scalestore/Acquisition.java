package org.namdb.cache.scalestore;

import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.frame.Frame;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.scalestore.PageMessage.Kind;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.peer.PeerQueue;
import org.namdb.fabric.peer.PeerReply;

/// A page on its way to this node, for a frame that is latched exclusively: the directory grants
/// it, and then its former owners give it (ScaleStore, section 3.3). Goes on step by step, so that
/// another thread can finish it where the first one does not wait any longer. Used by one thread at
/// a time.
final class Acquisition {
    private final PageStore store;
    private final PageOwner owner;
    private final PeerQueue queue;
    private final Frame frame;
    private final long page;
    private final boolean isExclusive;
    private Step step = Step.BEGIN;
    private Grant grant = Grant.of(0, Grant.NO_PAGE, 0);

    /// What was posted to the directory, or to the node that has the page.
    private @Nullable PeerReply reply;

    /// What was posted to those whose copies end.
    private final List<PeerReply> endings = new ArrayList<>();

    private int diskReads;

    private enum Step {
        /// Nothing is requested.
        BEGIN,
        /// The directory is to grant it.
        REQUESTED,
        /// Former owners are to give it.
        GRANTED,
        /// The directory is to give what is on its disk.
        REQUESTED_AGAIN,
        /// It is here.
        END
    }

    /// A page can't be got. The store is as usable as before.
    private static final class NoPageException extends Exception {
        @Serial private static final long serialVersionUID = 1L;

        private final RuntimeException reason;

        NoPageException(RuntimeException reason) {
            super(reason);
            this.reason = reason;
        }
    }

    /// @param queue on which nothing else is posted
    /// @param frame latched exclusively
    Acquisition(PageStore store, PeerQueue queue, Frame frame, long page, boolean isExclusive) {
        this.store = store;
        this.owner = store.owner();
        this.queue = queue;
        this.frame = frame;
        this.page = page;
        this.isExclusive = isExclusive;
    }

    /// How many pages were read from this node's disk.
    int diskReads() {
        return diskReads;
    }

    /// Goes on; called when all that was posted is answered.
    ///
    /// @return whether the page is here; else something is to be awaited
    /// @throws IllegalArgumentException if there is no such page; the frame is the caller's no more
    /// @throws FabricException if the page is lost, or the store fails; neither is the frame then
    boolean advance() {
        try {
            boolean isOver = false;
            while (!isOver) {
                isOver = proceed();
            }
        } catch (NoPageException e) {
            abandon();
            throw e.reason;
        } catch (RuntimeException | Error e) {
            store.fail(e); // who has the page is not known any more; the frame stays latched
            throw e;
        }
        if (step == Step.END) {
            owner.acquired(page);
        }
        return step == Step.END;
    }

    /// Waits for what is to be awaited until the page is here, and unlatches its frame.
    void finish() {
        try {
            do {
                store.await(queue);
            } while (!advance());
            owner.release(frame);
        } catch (RuntimeException e) {
            // What can be done about it, advance has done.
        }
    }

    /// The frame has no page, or the copy that it had before.
    private void abandon() {
        if (step == Step.GRANTED && grant.source() != Grant.OWN_COPY) {
            frame.state(State.INVALID); // another node's grant has ended the copy
            frame.clean();
        }
        owner.acquired(page);
        if (frame.state() == State.INVALID) {
            store.table().remove(frame);
            owner.serve(page);
        } else {
            owner.release(frame);
        }
    }

    /// Takes a step.
    ///
    /// @return whether it is over, or something was posted
    private boolean proceed() throws NoPageException {
        return switch (step) {
            case BEGIN -> {
                owner.acquiring(page, frame);
                yield request(isExclusive ? Kind.EXCLUSIVE : Kind.SHARED, Step.REQUESTED);
            }
            case REQUESTED -> {
                grant = answered();
                requirePage(grant);
                owner.granted(page, grant.number());
                step = Step.GRANTED;
                yield isExclusive ? take() : copy();
            }
            case GRANTED -> isExclusive ? taken() : copied();
            case REQUESTED_AGAIN -> {
                Grant again = answered();
                requirePage(again);
                if (again.source() == Grant.ENDED) {
                    step = Step.BEGIN;
                    yield false;
                }
                yield fill(again.content());
            }
            case END -> true;
        };
    }

    private void requirePage(Grant answer) throws NoPageException {
        if (answer.source() == Grant.NO_PAGE) {
            throw new NoPageException(PageSession.noPage(page));
        }
        if (answer.source() == Grant.LOST) {
            throw lost();
        }
    }

    private NoPageException lost() {
        return new NoPageException(
                new FabricException(
                        FabricException.Kind.PEER_GONE,
                        "page %s is lost: the node that had it is gone"
                                .formatted(PageId.describe(page))));
    }

    /// Requests something of the page's directory, which may be this node's.
    private boolean request(Kind kind, Step next) {
        step = next;
        reply = null;
        PageDirectory own = store.directory(page);
        if (own == null) {
            byte[] request =
                    kind == Kind.AGAIN
                            ? message(kind)
                            : PageMessage.of(kind, store.pageBytes(), page);
            reply = queue.post(PageId.directory(page), request);
            return true;
        }
        grant =
                kind == Kind.AGAIN
                        ? own.again(store.node(), page, grant.number())
                        : own.request(store.node(), page, isExclusive);
        return false;
    }

    /// What the directory has answered, with the page's content if it comes from the disk.
    private Grant answered() throws NoPageException {
        if (reply != null) {
            return PageMessage.grant(bytes(reply));
        }
        if (grant.source() != Grant.DISK || grant.content() != null) {
            return grant;
        }
        diskReads++;
        byte[] content = store.requireDirectory().read(page);
        return new Grant(grant.number(), grant.source(), grant.others(), content);
    }

    /// An answer. Where the page's directory has left, the page can't be got any more.
    private byte[] bytes(PeerReply answered) throws NoPageException {
        try {
            return answered.bytes();
        } catch (FabricException e) {
            if (e.kind() == FabricException.Kind.PEER_GONE
                    && answered.peer() == PageId.directory(page)) {
                throw new NoPageException(e);
            }
            throw e;
        }
    }

    private byte[] message(Kind kind) {
        return PageMessage.of(kind, store.pageBytes(), page, grant.number());
    }

    private boolean copy() {
        if (grant.source() < 0) {
            return fill(grant.content());
        }
        reply = queue.post(grant.source(), message(Kind.COPY));
        return true;
    }

    /// Where the page's source has left or evicted it, the directory is requested once more.
    private boolean copied() throws NoPageException {
        byte[] answer = answerOf(reply);
        if (answer[0] == PageMessage.GONE) {
            return request(Kind.AGAIN, Step.REQUESTED_AGAIN);
        }
        return fillFrom(answer);
    }

    private boolean take() {
        reply = grant.source() < 0 ? null : queue.post(grant.source(), message(Kind.TRANSFER));
        endings.clear();
        for (long left = grant.others(); left != 0; left &= left - 1) {
            endings.add(queue.post(Long.numberOfTrailingZeros(left), message(Kind.INVALIDATE)));
        }
        return reply != null || !endings.isEmpty();
    }

    /// All other copies have ended, or their nodes have left, and the page is in the frame. If its
    /// former owner has left with it, it is lost.
    private boolean taken() throws NoPageException {
        for (PeerReply ending : endings) {
            byte[] _ = answerOf(ending);
        }
        if (grant.source() == Grant.OWN_COPY) {
            return end();
        }
        if (reply == null) {
            return fill(grant.content());
        }
        byte[] answer = answerOf(reply);
        if (answer[0] == PageMessage.GONE) {
            throw lost();
        }
        return fillFrom(answer);
    }

    /// The answer of an owner; [PageMessage#GONE] if that has left.
    private byte[] answerOf(@Nullable PeerReply answered) throws NoPageException {
        if (answered == null) {
            throw new IllegalStateException("nothing was requested of a former owner");
        }
        try {
            return bytes(answered);
        } catch (FabricException e) {
            if (e.kind() == FabricException.Kind.PEER_GONE) {
                return new byte[] {PageMessage.GONE};
            }
            throw e;
        }
    }

    private boolean fillFrom(byte[] answer) {
        frame.fill(answer, 1, store.pageBytes());
        if (answer[0] == PageMessage.UNSAVED) {
            frame.dirty(0, store.pageBytes());
        }
        return end();
    }

    private boolean fill(byte @Nullable [] content) {
        if (content == null) {
            throw new IllegalStateException("no content of page " + PageId.describe(page));
        }
        frame.fill(content, 0, content.length);
        return end();
    }

    private boolean end() {
        frame.grant(grant.number());
        frame.state(isExclusive ? State.MODIFIED : State.SHARED);
        step = Step.END;
        return true;
    }
}
