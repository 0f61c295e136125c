package org.namdb.fabric.peer;

import java.util.concurrent.ConcurrentSkipListMap;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;

/// A network of peers that are all in this process, as in an embedded database or a test.
public final class LocalPeers {
    /// Those that have joined and not left, by number.
    private final ConcurrentSkipListMap<Integer, LocalPeer> members = new ConcurrentSkipListMap<>();

    /// Joins as `process`.
    ///
    /// @param host starts the thread that receives requests
    /// @throws IllegalStateException if a member has this number
    public PeerFabric join(int process, Host host) {
        LocalPeer member = new LocalPeer(process, host);
        if (members.putIfAbsent(process, member) != null) {
            throw new IllegalStateException("process " + process + " has joined its peers already");
        }
        return member;
    }

    /// ```
    /// requester                                  peer that leaves
    /// records the request
    ///                                        is no member any more
    /// looks for the peer: is not there
    ///                                        all that is recorded for it fails
    /// ```
    /// In whatever order, the request fails once or arrives.
    private final class LocalPeer extends PeerFabric {
        LocalPeer(int process, Host host) {
            super(process, host);
        }

        @Override
        protected void carry(int peer, long number, byte[] request) {
            LocalPeer receiver = members.get(peer);
            if (receiver == null) {
                fail(number, FabricException.Kind.PEER_GONE, "is not there");
            } else {
                receiver.receive(new LocalRequest(this, number, request));
            }
        }

        @Override
        protected void leave() {
            members.remove(process(), this);
            members.values().forEach(LocalPeer.this::end);
        }

        private void end(LocalPeer requester) {
            requester.fail(process(), Long.MAX_VALUE, FabricException.Kind.PEER_GONE, "has left");
        }

        void answered(long number, byte[] answer) {
            complete(number, answer);
        }

        void rejected(long number) {
            fail(number, FabricException.Kind.FENCED, "refuses process " + process());
        }
    }

    private static final class LocalRequest extends PeerRequest {
        private final LocalPeer requester;
        private final long number;

        LocalRequest(LocalPeer requester, long number, byte[] bytes) {
            super(requester.process(), bytes);
            this.requester = requester;
            this.number = number;
        }

        @Override
        protected void carry(byte[] answer) {
            requester.answered(number, answer);
        }

        @Override
        protected void reject() {
            requester.rejected(number);
        }
    }
}
