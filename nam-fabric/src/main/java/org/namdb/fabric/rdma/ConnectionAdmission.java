package org.namdb.fabric.rdma;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.RequestHandler;

/// Admits clients: the connections of a memory servers' process, the clients they belong to, and
/// the fenced processes. Everything but requests is answered at once, by the thread that receives.
final class ConnectionAdmission {
    private final byte[] token;
    private final Map<Integer, RdmaMemoryFabric.OpenRegion> regions;
    private final Consumer<Peer> onEnd;
    private final Map<Long, Peer> peers = new ConcurrentHashMap<>();
    private final Map<Integer, RequestThread> handlers = new ConcurrentHashMap<>();

    /// The process of each fabric that has registered one.
    private final Map<Long, Integer> processes = new HashMap<>();

    /// The numbers of the fenced. A number is never given to another process.
    private final Set<Integer> fenced = new HashSet<>();

    /// @param token the token of its clients, too; empty for none
    /// @param regions those that are here, by server
    /// @param onEnd notified of each connection that has ended
    ConnectionAdmission(
            String token, Map<Integer, RdmaMemoryFabric.OpenRegion> regions, Consumer<Peer> onEnd) {
        this.token = token.getBytes(StandardCharsets.UTF_8);
        this.regions = regions;
        this.onEnd = onEnd;
    }

    void add(Peer peer) {
        peers.put(peer.number(), peer);
    }

    /// Ends a connection; when this returns, nothing of it takes effect any more.
    void end(Peer peer) {
        peer.end();
        onEnd.accept(peer);
        peers.remove(peer.number(), peer);
    }

    synchronized void serve(int server, RequestHandler handler) {
        leave(server);
        handlers.put(server, new RequestThread(server, handler));
    }

    synchronized void leave(int server) {
        RequestThread thread = handlers.remove(server);
        if (thread != null) {
            thread.close();
        }
    }

    /// When this returns, no request is being handled any more.
    void close() {
        List<RequestThread> threads = List.copyOf(handlers.values());
        for (int server : List.copyOf(handlers.keySet())) {
            leave(server);
        }
        List.copyOf(peers.values()).forEach(this::end);
        threads.forEach(RequestThread::awaitEnd);
    }

    /// A connection has a message, or has failed.
    ///
    /// @param bytes how many have come; negative if it has failed
    void took(long number, int bytes) {
        Peer peer = peers.get(number);
        if (peer == null) {
            return;
        }
        if (bytes < 0) {
            end(peer);
            return;
        }
        try {
            if (peer.isRequest(bytes)) {
                request(peer, bytes);
                return;
            }
            Message message = peer.message(bytes);
            Message answer = answer(peer, message);
            if (answer != null) {
                peer.answer(answer);
            }
        } catch (FabricException | BufferUnderflowException _) {
            end(peer); // what it has sent is no message of ours
        }
    }

    /// The answer, or null if it comes later.
    private @Nullable Message answer(Peer peer, Message message) {
        ByteBuffer body = ByteBuffer.wrap(message.bytes());
        Peer.Opening opening = peer.opening();
        if (message.what() == Message.Request.HELLO) {
            return greet(peer, message.bytes());
        }
        if (message.what() == Message.Request.OPEN) {
            return open(peer, message.bytes());
        }
        if (opening == null || isFenced(opening)) {
            return say(Message.Answer.FENCED);
        }
        return switch (message.what()) {
            case Message.Request.REGIONS -> regions();
            case Message.Request.ENROLL -> enroll(opening.fabric(), body.getInt());
            case Message.Request.FENCE -> fence(peer, body.getInt());
            case Message.Request.END -> end(peer, opening.fabric(), body.getLong());
            case Message.Request.IS_HERE -> say(isHere(body.getInt(), body.getInt()));
            default -> say(Message.Answer.FAILED);
        };
    }

    private static Message say(int answer) {
        return new Message(answer, Message.NOTHING);
    }

    private static Message greet(Peer peer, byte[] hello) {
        if (hello.length != Greeting.RANDOM_BYTES || peer.greeting().length > 0) {
            return say(Message.Answer.NOT_TRUSTED);
        }
        byte[] random = Greeting.random();
        peer.greeted(Greeting.both(hello, random));
        return new Message(Message.Answer.DONE, random);
    }

    private synchronized Message open(Peer peer, byte[] said) {
        if (!Greeting.isClientProven(token, peer.greeting(), said)) {
            return say(Message.Answer.NOT_TRUSTED);
        }
        ByteBuffer body = ByteBuffer.wrap(said);
        Peer.Opening opening = new Peer.Opening(body.getLong(), body.getInt(), body.getInt());
        int key = body.getInt();
        peer.opened(opening);
        if (isFenced(opening)) {
            return say(Message.Answer.FENCED);
        }
        int here = opening.server() < 0 ? Message.Answer.DONE : isHere(opening.server(), key);
        byte[] number = ByteBuffer.allocate(8).putLong(peer.number()).array();
        return here == Message.Answer.DONE
                ? new Message(here, Greeting.provenByServer(token, peer.greeting(), number))
                : say(here);
    }

    private int isHere(int server, int key) {
        RdmaMemoryFabric.OpenRegion region = regions.get(server);
        if (region == null) {
            return Message.Answer.GONE;
        }
        return region.remote().region().key() == key
                ? Message.Answer.DONE
                : Message.Answer.WRONG_KEY;
    }

    private Message regions() {
        ByteBuffer told = ByteBuffer.allocate(Message.MAX_BYTES);
        List<RdmaMemoryFabric.OpenRegion> here = List.copyOf(regions.values());
        told.putInt(here.size());
        here.forEach(region -> region.remote().writeTo(told));
        byte[] bytes = new byte[told.position()];
        told.flip().get(bytes);
        return new Message(Message.Answer.DONE, bytes);
    }

    private void request(Peer peer, int bytes) {
        Peer.Opening opening = peer.opening();
        if (opening == null || isFenced(opening)) {
            peer.answer(say(Message.Answer.FENCED));
            return;
        }
        RequestThread thread = handlers.get(opening.server());
        if (thread == null) {
            peer.answer(say(Message.Answer.GONE));
        } else {
            thread.take(peer, bytes);
        }
    }

    private synchronized Message enroll(long fabric, int process) {
        processes.put(fabric, process);
        return say(fenced.contains(process) ? Message.Answer.FENCED : Message.Answer.DONE);
    }

    private synchronized boolean isFenced(Peer.Opening opening) {
        Integer process = processes.get(opening.fabric());
        return fenced.contains(opening.process()) || process != null && fenced.contains(process);
    }

    /// Confirms when no connection of the process is left. One that has not identified itself yet
    /// has no region, and will be refused when it does.
    private synchronized @Nullable Message fence(Peer requester, int process) {
        fenced.add(process);
        for (Peer peer : List.copyOf(peers.values())) {
            Peer.Opening opening = peer.opening();
            if (opening != null && isFenced(opening)) {
                end(peer);
            }
        }
        return confirm(requester);
    }

    private @Nullable Message end(Peer requester, long fabric, long number) {
        Peer peer = peers.get(number);
        Peer.Opening opening = peer == null ? null : peer.opening();
        if (peer != null && opening != null && opening.fabric() == fabric) {
            end(peer);
        }
        return confirm(requester);
    }

    /// Answers when the requests have been handled that were being handled when connections were
    /// ended; those that only wait won't be.
    private @Nullable Message confirm(Peer requester) {
        List<RequestThread> threads = List.copyOf(handlers.values());
        if (threads.isEmpty()) {
            return say(Message.Answer.DONE);
        }
        AtomicInteger left = new AtomicInteger(threads.size());
        for (RequestThread thread : threads) {
            thread.afterThoseBefore(() -> {
                if (left.decrementAndGet() == 0) {
                    requester.answer(say(Message.Answer.DONE));
                }
            });
        }
        return null;
    }
}
