package org.namdb.cache.scalestore;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.namdb.cache.scalestore.PageDirectory.Eviction;
import org.namdb.cache.scalestore.PageDirectory.Verdict;
import org.namdb.cache.scalestore.PageMessage.Kind;
import org.namdb.fabric.peer.PeerHandler;
import org.namdb.fabric.peer.PeerRequest;

/// Answers what other nodes request, of this node's directory and of its pages (ScaleStore, section
/// 2.2). What needs the disk is answered when that has done it.
final class PageHandler implements PeerHandler {
    private final PageStore store;

    PageHandler(PageStore store) {
        this.store = store;
    }

    @Override
    public void handle(List<PeerRequest> batch) {
        for (PeerRequest request : batch) {
            store.requireUsable();
            ByteBuffer message = ByteBuffer.wrap(request.bytes());
            Kind kind = PageMessage.kind(message);
            switch (kind) {
                case SHARED, EXCLUSIVE -> {
                    long page = message.getLong();
                    boolean isExclusive = kind == Kind.EXCLUSIVE;
                    answer(
                            request,
                            page,
                            store.directory().request(request.from(), page, isExclusive));
                }
                case AGAIN -> {
                    long page = message.getLong();
                    answer(
                            request,
                            page,
                            store.directory().again(request.from(), page, message.getLong()));
                }
                case ALLOCATE -> {
                    long[] allocated = store.directory().allocate(request.from());
                    request.answer(PageMessage.allocation(allocated[0], allocated[1]));
                }
                case EVICT -> evict(request, PageMessage.evictions(message, store.pageBytes()));
                case COPY, TRANSFER, INVALIDATE ->
                        store.owner().handle(kind, message.getLong(), message.getLong(), request);
            }
        }
    }

    private void answer(PeerRequest request, long page, Grant grant) {
        if (grant.source() != Grant.DISK || grant.content() != null) {
            request.answer(PageMessage.of(grant, grant.content()));
        } else {
            onDisk(() -> request.answer(PageMessage.of(grant, store.directory().read(page))));
        }
    }

    /// Answers when the disk has all that the sender gives up.
    private void evict(PeerRequest request, List<Eviction> evictions) {
        byte[] accepted = new byte[evictions.size()];
        AtomicInteger left = new AtomicInteger(1);
        Runnable done =
                () -> {
                    if (left.decrementAndGet() == 0) {
                        request.answer(accepted);
                    }
                };
        for (int i = 0; i < accepted.length; i++) {
            left.incrementAndGet();
            Verdict verdict = evict(request.from(), evictions.get(i), done);
            accepted[i] = (byte) (verdict == Verdict.DECLINED ? 0 : 1);
            if (verdict == Verdict.DECLINED || verdict == Verdict.ACCEPTED) {
                left.decrementAndGet();
            }
        }
        done.run();
    }

    /// Takes a page that a node gives up, and has it written if the disk lacks it.
    ///
    /// @param whenWritten called when the disk has it, if it lacks it
    Verdict evict(int node, Eviction eviction, Runnable whenWritten) {
        Verdict verdict = store.directory().evict(node, eviction, whenWritten);
        if (verdict == Verdict.TO_WRITE) {
            onDisk(() -> store.directory().write(eviction.page()));
        }
        return verdict;
    }

    private void onDisk(Runnable work) {
        store.io()
                .execute(() -> {
                    try {
                        work.run();
                    } catch (RuntimeException e) {
                        store.fail(e);
                    }
                });
    }
}
