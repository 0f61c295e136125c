package org.namdb.cache.scalestore;

import java.nio.BufferUnderflowException;
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

    /// A malformed request is rejected alone. If anything else fails, this node does not know any
    /// more who has which page.
    @Override
    public void handle(List<PeerRequest> batch) {
        for (PeerRequest request : batch) {
            try {
                handle(request);
            } catch (IllegalArgumentException | BufferUnderflowException e) {
                store.host()
                        .logger(PageHandler.class)
                        .warn("a malformed request of node {} is rejected", request.from(), e);
                request.rejectUnanswered();
            } catch (RuntimeException | Error e) {
                store.fail(e);
                request.rejectUnanswered();
            }
        }
    }

    private void handle(PeerRequest request) {
        ByteBuffer message = ByteBuffer.wrap(request.bytes());
        Kind kind = PageMessage.kind(message, store.pageBytes());
        if (!store.isUsable() || request.from() < 0 || request.from() >= PageStore.MAX_NODES) {
            request.rejectUnanswered();
            return;
        }
        switch (kind) {
            case SHARED, EXCLUSIVE, AGAIN -> grant(kind, request, message);
            case ALLOCATE -> {
                long[] allocated = store.requireDirectory().allocate(request.from());
                request.answer(PageMessage.allocation(allocated[0], allocated[1]));
            }
            case EVICT -> evict(request, PageMessage.evictions(message, store.pageBytes()));
            case COPY, TRANSFER, INVALIDATE ->
                    store.owner().handle(kind, message.getLong(), message.getLong(), request);
        }
    }

    private void grant(Kind kind, PeerRequest request, ByteBuffer message) {
        int node = request.from();
        long page = message.getLong();
        PageDirectory directory = store.directory();
        Grant grant;
        if (directory == null || !directory.has(page)) {
            grant = Grant.of(0, Grant.NO_PAGE, 0);
        } else if (kind == Kind.AGAIN) {
            grant = directory.again(node, page, message.getLong());
        } else {
            grant = directory.request(node, page, kind == Kind.EXCLUSIVE);
        }
        answer(request, page, grant);
    }

    private void answer(PeerRequest request, long page, Grant grant) {
        if (grant.source() != Grant.DISK || grant.content() != null) {
            request.answer(PageMessage.of(grant, grant.content()));
        } else {
            onDisk(() ->
                    request.answer(PageMessage.of(grant, store.requireDirectory().read(page))));
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
        Verdict verdict = store.requireDirectory().evict(node, eviction, whenWritten);
        if (verdict == Verdict.TO_WRITE) {
            onDisk(() -> store.requireDirectory().write(eviction.page()));
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
