package org.namdb.fabric.peer.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FabricException.Kind;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.peer.PeerQueue;
import org.namdb.fabric.peer.PeerReply;
import org.namdb.fabric.tls.TestAuthority;

/// Which peers are accepted, and how others are refused.
class TcpPeerAccessTest {
    private static TcpPeers echo(int process, TcpPeerOptions options) {
        TcpPeers peer = new TcpPeers(process, options, other -> null);
        peer.serve(batch -> batch.forEach(request -> request.answer(request.bytes())));
        return peer;
    }

    /// Sends a request to process 2 at this address.
    private static PeerReply request(TcpPeerOptions options, InetSocketAddress address) {
        try (TcpPeers requester = new TcpPeers(1, options, other -> address)) {
            PeerQueue queue = requester.connect();
            PeerReply reply = queue.post(2, new byte[] {5});
            queue.await();
            return reply;
        }
    }

    private static void assertFails(PeerReply reply, Kind kind, String what) {
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(reply::bytes)
                .withMessageContaining(what)
                .satisfies(e -> assertThat(e.kind()).isEqualTo(kind));
    }

    @Test
    void peersNeedTheSameToken() {
        TcpPeerOptions options = TcpPeerOptions.LOOPBACK;
        try (TcpPeers peer = echo(2, options.withToken("right"))) {
            assertThat(request(options.withToken("right"), peer.address()).bytes())
                    .containsExactly(5);
            assertFails(
                    request(options.withToken("wrong"), peer.address()),
                    Kind.SYSTEM,
                    "another token");
            assertFails(request(options, peer.address()), Kind.SYSTEM, "another token");
            assertThat(request(options.withToken("right"), peer.address()).bytes())
                    .containsExactly(5);
        }
    }

    @Test
    void peersNeedCertificatesOfTheSameAuthority() {
        TcpPeerOptions options = TcpPeerOptions.LOOPBACK.withTls(TestAuthority.loopback());
        TcpPeerOptions stranger =
                TcpPeerOptions.LOOPBACK.withTls(
                        TestAuthority.of("stranger")
                                .files("peer", "-ext", "san=dns:localhost,ip:127.0.0.1"));
        try (TcpPeers peer = echo(2, options)) {
            assertThat(request(options, peer.address()).bytes()).containsExactly(5);
            assertFails(request(stranger, peer.address()), Kind.SYSTEM, "is not trusted");
            assertThat(request(TcpPeerOptions.LOOPBACK, peer.address()).isAnswered()).isFalse();
            assertThat(request(options, peer.address()).bytes()).containsExactly(5);
        }
    }

    @Test
    void anotherProcessAtAnAddressIsNotTheOneThatIsMeant() {
        try (TcpPeers other = echo(3, TcpPeerOptions.LOOPBACK)) {
            assertFails(
                    request(TcpPeerOptions.LOOPBACK, other.address()),
                    Kind.PEER_GONE,
                    "is not there");
        }
    }

    @Test
    void anAddressThatIsOpenToOtherMachinesNeedsATokenOrTls() {
        InetSocketAddress open = new InetSocketAddress("0.0.0.0", 0);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TcpPeerOptions.LOOPBACK.withAddress(open))
                .withMessageContaining("a token or TLS");
        assertThat(TcpPeerOptions.LOOPBACK.withToken("x").withAddress(open).toString())
                .doesNotContain("x");
    }

    /// Others go on.
    @Test
    void nonsenseEndsTheConnectionOfItsSenderAlone() throws Exception {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (TcpPeers peer = echo(2, TcpPeerOptions.LOOPBACK);
                TcpPeers requester =
                        new TcpPeers(1, TcpPeerOptions.LOOPBACK, other -> peer.address())) {
            PeerQueue queue = requester.connect();
            for (int round = 0; round < 20; round++) {
                try (Socket socket = new Socket()) {
                    socket.connect(peer.address());
                    OutputStream out = socket.getOutputStream();
                    byte[] nonsense = new byte[random.nextInt(200)];
                    random.nextBytes(nonsense);
                    out.write(nonsense);
                    out.flush();
                    if (random.nextBoolean()) {
                        socket.shutdownOutput();
                        while (socket.getInputStream().read() >= 0) {
                            // until it is turned away
                        }
                    }
                }
                PeerReply reply = queue.post(2, new byte[] {(byte) round});
                queue.await();
                assertThat(reply.bytes()).containsExactly(round);
            }
        }
    }
}
