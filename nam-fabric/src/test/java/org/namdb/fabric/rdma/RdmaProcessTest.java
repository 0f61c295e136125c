package org.namdb.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;

/// A memory server in another process.
class RdmaProcessTest {
    private static final int REPLY_BYTES = 64;
    private static final RdmaOptions OPTIONS = RdmaOptions.DEFAULT.withLandingBytes(1 << 14);
    private static final long WORD = RemoteAddress.of(0, 64);
    private static final int MAX_BATCHES = 1_000_000;

    private Process process;
    private RdmaComputeFabric fabric;
    private QueuePair queuePair;

    @BeforeAll
    static void requireDevice() {
        Devices.require();
    }

    @BeforeEach
    void start() throws IOException {
        process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "--enable-native-access=ALL-UNNAMED",
                                "-Djava.library.path=" + System.getProperty("java.library.path"),
                                "-cp",
                                System.getProperty("java.class.path"),
                                MemoryServerProcess.class.getName())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        BufferedReader told = process.inputReader(StandardCharsets.UTF_8);
        int port = Integer.parseInt(told.readLine());
        InetSocketAddress address = new InetSocketAddress(Devices.address(OPTIONS), port);
        fabric = new RdmaComputeFabric(List.of(address), OPTIONS);
        queuePair = fabric.connect(fabric.regions());
    }

    @AfterEach
    void stop() throws InterruptedException {
        process.destroyForcibly().waitFor();
        if (fabric != null) {
            fabric.close();
        }
    }

    @Test
    void itIsReachedByVerbsAndRequests() {
        queuePair.writeWord(WORD, 5);
        assertThat(queuePair.casWord(WORD, 5, 6)).isEqualTo(5);
        assertThat(queuePair.readWord(WORD)).isEqualTo(6);
        assertThat(queuePair.call(0, new byte[] {1, 2, 3}, REPLY_BYTES)).containsExactly(1, 2, 3);
    }

    /// Some of the verbs that are under way may have taken effect.
    @Test
    void whenItIsKilledVerbsFailInsteadOfHanging() throws InterruptedException {
        queuePair.fetchAndAdd(WORD, 1);
        queuePair.await();
        Process killed = process.destroyForcibly();
        FabricException thrown =
                catchThrowableOfType(FabricException.class, () -> addUntilItFails(queuePair));
        assertThat(thrown.kind())
                .isIn(FabricException.Kind.PEER_GONE, FabricException.Kind.CONNECTION_LOST);
        killed.waitFor();
        assertThat(catchThrowableOfType(FabricException.class, () -> queuePair.readWord(WORD)))
                .isNotNull();
        assertThat(catchThrowableOfType(FabricException.class, fabric::regions).kind())
                .isEqualTo(FabricException.Kind.PEER_GONE);
    }

    private static void addUntilItFails(QueuePair queuePair) {
        for (int batch = 0; batch < MAX_BATCHES; batch++) {
            queuePair.fetchAndAdd(WORD, 1);
            queuePair.await();
        }
    }
}
