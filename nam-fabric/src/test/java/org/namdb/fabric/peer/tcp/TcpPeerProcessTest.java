package org.namdb.fabric.peer.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FabricException.Kind;
import org.namdb.fabric.Host;
import org.namdb.fabric.peer.PeerQueue;
import org.namdb.fabric.peer.PeerReply;

/// A peer in another process that dies, or stands still.
class TcpPeerProcessTest {
    private Process process;
    private TcpPeers requester;
    private PeerQueue queue;

    @BeforeEach
    void start() throws Exception {
        process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx64m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                PeerProcess.class.getName())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        BufferedReader said = process.inputReader();
        InetSocketAddress address =
                new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), Integer.parseInt(said.readLine()));
        requester =
                new TcpPeers(
                        1,
                        TcpPeerOptions.LOOPBACK.withTimeout(Duration.ofMillis(500)),
                        other -> address);
        queue = requester.connect();
        assertThat(request(100).bytes()).hasSize(100);
    }

    @AfterEach
    void end() throws Exception {
        requester.close();
        process.destroyForcibly().waitFor();
    }

    private PeerReply request(int bytes) {
        PeerReply reply = queue.post(2, new byte[bytes]);
        queue.await();
        return reply;
    }

    private static void assertFails(PeerReply reply, Kind kind) {
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(reply::bytes)
                .satisfies(e -> assertThat(e.kind()).isEqualTo(kind));
    }

    @Test
    void unansweredRequestsFailWhenTheProcessIsKilled() throws Exception {
        PeerReply kept = queue.post(2, new byte[1]);
        PeerReply answered = queue.post(2, new byte[2]);
        while (!answered.isAnswered()) {
            Thread.onSpinWait();
        }
        process.destroyForcibly().waitFor();
        queue.await();
        assertFails(kept, Kind.PEER_GONE);
        assertThat(answered.bytes()).hasSize(2);
        assertFails(request(2), Kind.PEER_GONE);
    }

    @Test
    void anAnswerMayTakeLongerThanTheTimeoutWhileThePeerLives() {
        PeerReply kept = queue.post(2, new byte[1]);
        for (int i = 0; i < 20; i++) {
            Host.MACHINE.sleep(100_000_000);
        }
        assertThat(kept.isAnswered()).isFalse();
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(kept::bytes);
        requester.refuse(2);
        queue.await();
        assertFails(kept, Kind.PEER_GONE);
    }

    @Test
    void aProcessThatStandsStillIsNotWaitedForForEver() throws Exception {
        signal("STOP");
        PeerReply reply = request(2);
        while (reply.isAnswered()) {
            reply = request(2); // it may not have stopped yet
        }
        assertFails(reply, Kind.CONNECTION_LOST);
        signal("CONT");
        reply = request(2);
        while (!reply.isAnswered()) {
            reply = request(2);
        }
        assertThat(reply.bytes()).hasSize(2);
    }

    private void signal(String name) throws Exception {
        assertThat(
                        new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                                .start()
                                .waitFor())
                .isZero();
    }
}
