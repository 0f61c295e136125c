package org.namdb.fabric;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// One thread's access to the memory servers: a reliable connection to each of them (what the
/// hardware calls a queue pair; the address says which is meant) and one completion queue for all.
///
/// Verbs are posted and take effect between the post and the next [#await()], which is one round
/// trip. Verbs to one server take effect in the order in which they were posted, so a READ posted
/// after a WRITE sees it; nothing is promised between servers. No READ and no WRITE is atomic
/// beyond aligned 8-byte words, and the words of one READ may be fetched in any order: what must be
/// consistent is validated (see [#readLeading]).
///
/// Results are *views*: native addresses, for [LocalMemory]. A view is valid from the await until
/// [#landingBytes()] further bytes have been landed; so no more than that may be read while it is
/// needed, and what is tried an unknown number of times does so in a [ViewScope]. Where the region
/// is mapped in this process, the view of a READ is the region itself, so that nothing is copied,
/// and other threads' writes are visible in it: take what is needed, validate, then use it; so is a
/// WRITE to the same words that is posted later in the same batch. Addresses and sizes of READs and
/// WRITEs are multiples of 8. The result of an atomic lands too, in 8 bytes, and a batch lands at
/// most [#landingBytes()].
///
/// What needs a memory server's processor is a *request*, a SEND that is answered by another one.
/// It is posted like a verb and awaited with others, and its reply lands in a view
/// (see [#request]).
///
/// Not thread-safe: a queue pair belongs to one thread at a time. Source: NAM-DB, section 2.
public abstract class QueuePair implements AutoCloseable {
    /// In the view of a reply, the reply's length comes first.
    public static final int REPLY_HEAD_BYTES = Long.BYTES;

    /// What a thread wants done by its next await, and does not post before, since more may come
    /// that goes with it.
    public interface Collected {
        /// Posts all of it; an await has begun.
        void post();

        /// Everything that was posted is done: takes what has come of it. Not called if the await
        /// fails. Posts nothing.
        void land();
    }

    private static final int FIRST_CALL_BYTES = 1 << 10;

    private final VerbCounters counters = new VerbCounters();
    private int posted;

    /// How many of those have views.
    private int postedViews;

    /// The unexpected exception that the provider has thrown.
    private volatile @Nullable Throwable doubt;

    private volatile boolean isLost;

    /// Scopes by how deep they are nested: the first `openScopes` are open.
    private ViewScope[] scopes = new ViewScope[0];

    private int openScopes;

    /// The servers that have requests since the last await, and the views of their replies: the
    /// first `requests` of the arrays.
    private int[] requestServers = new int[4];

    private long[] replyViews = new long[4];
    private int requests;

    private @Nullable Collected collected;

    /// What [#call] sends requests from, in local memory; 0 before the first.
    private long callMemory;

    private int callBytes;

    /// Posts a READ of `bytes` bytes.
    ///
    /// @return the view
    public final long read(long address, int bytes) {
        counters.read(RemoteAddress.server(address), bytes);
        posted++;
        postedViews++;
        try {
            return postRead(address, bytes);
        } catch (RuntimeException | Error e) {
            throw failed(e);
        }
    }

    /// Posts the first READ of a validated read, where one is needed. A validated read is: the
    /// guard words, the body, the guard words again, accepted if the guard did not change. Where
    /// views are landing buffers, the words of the body may have been fetched before its guard, so
    /// that the guard needs a READ of its own, before; where the view is the region itself, the
    /// caller orders its own loads, and nothing is posted.
    ///
    /// @return the view, or 0 where the body's own view serves
    public final long readLeading(long address, int bytes) {
        return readsInPlace(RemoteAddress.server(address)) ? 0 : read(address, bytes);
    }

    /// Posts a WRITE of `bytes` bytes from native memory at `source`, which stays unchanged until
    /// the await, and which is a view or came from [#localMemory].
    public final void write(long address, long source, int bytes) {
        counters.write(RemoteAddress.server(address), bytes);
        posted++;
        try {
            postWrite(address, source, bytes);
        } catch (RuntimeException | Error e) {
            throw failed(e);
        }
    }

    /// Posts a WRITE of one word.
    public final void writeWord(long address, long value) {
        counters.write(RemoteAddress.server(address), Long.BYTES);
        posted++;
        try {
            postWriteWord(address, value);
        } catch (RuntimeException | Error e) {
            throw failed(e);
        }
    }

    /// Posts a compare-and-swap of the word at `address`.
    ///
    /// @return the view of what the word was: `expected` if the CAS succeeded
    public final long compareAndSwap(long address, long expected, long desired) {
        counters.cas(RemoteAddress.server(address));
        posted++;
        postedViews++;
        try {
            return postCompareAndSwap(address, expected, desired);
        } catch (RuntimeException | Error e) {
            throw failed(e);
        }
    }

    /// Posts a fetch-and-add on the word at `address`.
    ///
    /// @return the view of what the word was
    public final long fetchAndAdd(long address, long delta) {
        counters.add(RemoteAddress.server(address));
        posted++;
        postedViews++;
        try {
            return postFetchAndAdd(address, delta);
        } catch (RuntimeException | Error e) {
            throw failed(e);
        }
    }

    /// Waits until everything that was posted has taken effect and every view is filled: one round
    /// trip, or none if nothing was posted.
    ///
    /// @throws FabricException if one of the verbs failed
    public final void await() {
        Collected collecting = collected;
        if (collecting != null) {
            collecting.post();
        }
        if (posted != 0) {
            posted = 0;
            postedViews = 0;
            counters.roundTrip();
            try {
                awaitCompletions();
                countReplies();
                if (collecting != null) {
                    collecting.land();
                }
            } catch (RuntimeException | Error e) {
                throw failed(e);
            } finally {
                requests = 0;
            }
        }
    }

    private void countReplies() {
        for (int i = 0; i < requests; i++) {
            counters.receive(requestServers[i], replyLength(replyViews[i]));
        }
    }

    /// What is posted by each await, as [#collect] says; null if nothing is.
    public final @Nullable Collected collected() {
        return collected;
    }

    /// From now on each await posts what is collected here, in addition to what else was posted.
    public final void collect(Collected what) {
        collected = what;
    }

    /// Posts a request to memory server `server`: `bytes` bytes from native memory at `source`,
    /// which stay unchanged until the await, and which are a view or came from [#localMemory].
    ///
    /// Verbs to this server that were posted before have taken effect when the request is handled.
    /// Those that are posted after it, and verbs to other servers, may take effect before, between
    /// or after. Where one of the verbs before it fails, the request is not handled. If the
    /// connection is lost, it is unknown whether it was; it was not handled twice.
    ///
    /// @param replyBytes the longest reply that is taken. So much is landed, and the reply's length
    /// @return the view: the length of the reply, a word, and then the reply
    /// @throws IllegalStateException if the server has a request already since the last await: put
    ///     all operations into one
    /// @throws FabricException here or by the await: `PEER_GONE` if the server does not answer
    ///     requests, `TOO_LARGE` if the request is larger than the provider sends or the reply
    ///     is larger than `replyBytes`, `SYSTEM` if the server has failed to answer
    public final long request(int server, long source, int bytes, int replyBytes) {
        assert bytes >= 0 && replyBytes >= 0 : bytes + " bytes, reply " + replyBytes;
        if (server < 0 || server >= RemoteAddress.MAX_SERVERS) {
            throw new FabricException(
                    FabricException.Kind.PEER_GONE, "there is no memory server " + server);
        }
        if (hasRequest(server)) {
            throw new IllegalStateException(
                    "memory server %d has a request already: await its reply first"
                            .formatted(server));
        }
        counters.send(server, bytes);
        posted++;
        postedViews++;
        try {
            long view = postRequest(server, source, bytes, replyBytes);
            requested(server, view);
            return view;
        } catch (RuntimeException | Error e) {
            throw failed(e);
        }
    }

    /// Whether a server has a request since the last await.
    public final boolean hasRequest(int server) {
        for (int i = 0; i < requests; i++) {
            if (requestServers[i] == server) {
                return true;
            }
        }
        return false;
    }

    private void requested(int server, long view) {
        if (requests == requestServers.length) {
            requestServers = Arrays.copyOf(requestServers, 2 * requests);
            replyViews = Arrays.copyOf(replyViews, 2 * requests);
        }
        requestServers[requests] = server;
        replyViews[requests++] = view;
    }

    /// The length of the reply in a view of [#request]; the reply begins [#REPLY_HEAD_BYTES]
    /// behind the view.
    public static int replyLength(long view) {
        return (int) LocalMemory.longAt(view);
    }

    /// Posts a request, awaits it, and takes the reply out of its view: a SEND, a RECEIVE and
    /// a round trip that lands nothing. Whatever was posted before is awaited first.
    ///
    /// @param replyBytes the longest reply that is taken
    public final byte[] call(int server, byte[] request, int replyBytes) {
        await();
        long source = callMemory(request.length);
        LocalMemory.copyFrom(request, 0, source, request.length);
        long mark = landed();
        long view = request(server, source, request.length, replyBytes);
        await();
        byte[] reply = new byte[replyLength(view)];
        LocalMemory.copyTo(view + REPLY_HEAD_BYTES, reply, 0, reply.length);
        giveUpViews(mark);
        return reply;
    }

    private long callMemory(int bytes) {
        if (bytes > callBytes) {
            if (callBytes > 0) {
                boolean _ = releaseLocalMemory(callMemory);
            }
            callBytes = 0;
            int larger = Math.max(FIRST_CALL_BYTES, Integer.highestOneBit(bytes) << 1);
            callMemory = localMemory(larger);
            callBytes = larger;
        }
        return callMemory;
    }

    /// Reads one word, in a round trip that lands nothing. Whatever else was posted is awaited,
    /// too.
    public final long readWord(long address) {
        long mark = landed();
        long view = read(address, Long.BYTES);
        await();
        long word = LocalMemory.longAcquire(view);
        giveUpViews(mark);
        return word;
    }

    /// CAS of one word, in a round trip that lands nothing. All other posted verbs are awaited,
    /// too.
    ///
    /// @return what the word was: `expected` if the CAS succeeded
    public final long casWord(long address, long expected, long desired) {
        long mark = landed();
        long view = compareAndSwap(address, expected, desired);
        await();
        long found = LocalMemory.longAt(view);
        giveUpViews(mark);
        return found;
    }

    /// Opens a scope: the views that are landed in it are given up at its end.
    public final ViewScope openViews() {
        if (openScopes == scopes.length) {
            scopes = Arrays.copyOf(scopes, openScopes + 1);
            scopes[openScopes] = new ViewScope(this, true);
        }
        ViewScope scope = scopes[openScopes++];
        scope.open();
        return scope;
    }

    final void closeViews(ViewScope scope) {
        openScopes--;
        assert scopes[openScopes] == scope : "an outer scope is closed before an inner one";
    }

    /// How many bytes have been landed so far, less those given up: the age of a view is what was
    /// landed since.
    public abstract long landed();

    /// For [ViewScope]: gives up the views since `mark`, so that they don't count in the age of
    /// those before.
    final void giveUpViews(long mark) {
        assert postedViews == 0 : "views are given up after an await";
        try {
            forgetViews(mark);
        } catch (RuntimeException | Error e) {
            throw failed(e);
        }
    }

    /// Whether no verb that has a view is under way.
    final boolean isSettled() {
        return postedViews == 0;
    }

    /// Whether the views of READs from this server are the region itself.
    public abstract boolean readsInPlace(int server);

    /// How many bytes may be read before a view is overwritten; also the most that one batch
    /// may read.
    public abstract int landingBytes();

    /// How many bytes one batch lands at the most where views of batches before it are still
    /// needed: a quarter of [#landingBytes()], so that a view outlasts three further batches. Large
    /// reads go in steps of this size.
    public final int batchBytes() {
        return landingBytes() / 4;
    }

    /// Memory that WRITEs can be posted from; it lives as long as the queue pair.
    ///
    /// @return its native address, aligned to 64 bytes; zeroed
    public abstract long localMemory(long bytes);

    /// Frees memory before the queue pair is closed, where the provider can: a large piece, of
    /// which nothing is posted any more.
    ///
    /// @param address what [#localMemory] has returned
    /// @return whether it was freed; else it stays the caller's
    public boolean releaseLocalMemory(long address) {
        return false;
    }

    /// Whether the provider has thrown anything but a [FabricException], because memory has run out
    /// within a post, say. Then it is unknown whether the verb was done, and which views exist; so
    /// the queue pair is disconnected, and its verbs fail as those of a lost connection. For any
    /// thread.
    public final boolean isInDoubt() {
        return doubt != null;
    }

    /// Whether a connection was lost, so that this queue pair is of no use any more, or it has no
    /// connection to a peer that others have one to. Another one may be of use: the peers may still
    /// be there. For any thread.
    public final boolean isLost() {
        return isLost;
    }

    /// For providers: another queue pair may reach what this one does not.
    protected final void lost() {
        isLost = true;
    }

    private RuntimeException failed(Throwable thrown) {
        Throwable first = doubt;
        if (thrown instanceof FabricException known) {
            if (known.kind() == FabricException.Kind.CONNECTION_LOST) {
                isLost = true;
            }
            return first == null
                    ? known
                    : new FabricException(
                            FabricException.Kind.CONNECTION_LOST,
                            "the connections were given up when a verb had failed with " + first,
                            first);
        }
        if (first == null && !PlantedFault.DOUBT_IGNORED.isPlanted()) {
            doubt = thrown;
            try {
                disconnect();
            } catch (RuntimeException e) {
                thrown.addSuppressed(e); // the recovery disconnects it once more
            }
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        return (RuntimeException) thrown;
    }

    /// What this queue pair has done since it was opened.
    public final VerbCounters counters() {
        return counters;
    }

    /// Ends the connections permanently: when this returns, nothing that was posted takes effect
    /// any more, and verbs fail from now on. Views and local memory stay until [#close]. For the
    /// recovery of a session whose thread no longer uses the queue pair. May be called again.
    ///
    /// @throws FabricException if a peer may still do what was posted: another call may settle that
    public abstract void disconnect();

    /// Ends the connections, and frees local memory and views. Verbs fail from now on. Not while
    /// another thread posts.
    @Override
    public abstract void close();

    protected abstract long postRead(long address, int bytes);

    protected abstract void postWrite(long address, long source, int bytes);

    protected abstract void postWriteWord(long address, long value);

    protected abstract long postCompareAndSwap(long address, long expected, long desired);

    protected abstract long postFetchAndAdd(long address, long delta);

    protected abstract void awaitCompletions();

    protected abstract void forgetViews(long mark);

    /// Posts a request; its view takes [#landedReply] bytes.
    protected abstract long postRequest(int server, long source, int bytes, int replyBytes);

    /// How much the view of a reply takes.
    protected static int landedReply(int replyBytes) {
        return REPLY_HEAD_BYTES + (replyBytes + 7 & -8);
    }
}
