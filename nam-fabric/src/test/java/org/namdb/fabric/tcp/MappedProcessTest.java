package org.namdb.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.slf4j.helpers.SubstituteServiceProvider;

/// A memory server in another process, whose region this one and others map.
@Timeout(60)
class MappedProcessTest {
    private static final int REPLY_BYTES = 64;
    private static final Path MEMORY_FILES = Path.of("/dev/shm");
    private static final long WORD = MappedProcess.WORD;
    private static final int FENCED = 7;

    private final List<Process> processes = new ArrayList<>();
    private final List<TcpComputeFabric> fabrics = new ArrayList<>();
    private Path directory;
    private Process server;
    private int port;

    @BeforeEach
    void start() throws IOException {
        assumeTrue(
                Files.isWritable(MEMORY_FILES), "there is no /dev/shm: nothing can be mapped here");
        directory = Files.createTempDirectory(MEMORY_FILES, "nam-mapped");
        server = start("serve", directory.toString());
        port = Integer.parseInt(line(server));
    }

    private Process start(String... arguments) throws IOException {
        return start(List.of(), arguments);
    }

    /// @param prefix the command that starts the JVM; empty if nothing stands between
    private Process start(List<String> prefix, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-Dslf4j.provider=" + SubstituteServiceProvider.class.getName(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        MappedProcess.class.getName()));
        command.addAll(List.of(arguments));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        processes.add(process);
        return process;
    }

    private static String line(Process process) throws IOException {
        return process.inputReader(StandardCharsets.UTF_8).readLine();
    }

    @AfterEach
    void stop() throws InterruptedException, IOException {
        fabrics.forEach(TcpComputeFabric::close);
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
        if (directory != null) {
            Files.deleteIfExists(directory.resolve("memory-server-0.region"));
            Files.delete(directory);
        }
    }

    private TcpComputeFabric mapped() {
        TcpComputeFabric fabric = MappedProcess.connect(port);
        fabrics.add(fabric);
        return fabric;
    }

    private TcpComputeFabric byTcp() {
        TcpComputeFabric fabric =
                TcpComputeFabric.connect(
                        List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)),
                        TcpClientOptions.DEFAULT.withTimeout(Duration.ofSeconds(10)));
        fabrics.add(fabric);
        return fabric;
    }

    @Test
    void mappedAndFramedVerbsAreAtomicAmongEachOther() throws Exception {
        TcpComputeFabric mapped = mapped();
        assertThat(mapped.isMapped(0)).isTrue();
        TcpComputeFabric framed = byTcp();
        assertThat(framed.isMapped(0)).isFalse();
        int adds = 20_000;
        Thread other = Thread.ofPlatform().start(() -> add(framed, adds));
        add(mapped, adds);
        other.join();
        try (QueuePair queuePair = framed.connect(framed.regions())) {
            assertThat(queuePair.readWord(WORD)).isEqualTo(2L * adds);
        }
    }

    private static void add(TcpComputeFabric fabric, int times) {
        try (QueuePair queuePair = fabric.connect(fabric.regions())) {
            for (int i = 0; i < times; i++) {
                queuePair.fetchAndAdd(WORD, 1);
                queuePair.await();
            }
        }
    }

    @Test
    void requestsGoToTheServer() {
        TcpComputeFabric mapped = mapped();
        try (QueuePair queuePair = mapped.connect(mapped.regions())) {
            assertThat(queuePair.call(0, new byte[] {1, 2, 3}, REPLY_BYTES))
                    .containsExactly(1, 2, 3);
        }
    }

    @Test
    void aProcessThatIsFencedIsEnded() throws Exception {
        Process adder = adder();
        fenceAndSeeThatItRests(adder);
        String said = line(server); // the test's limit ends it
        while (!said.startsWith("WARN ")) {
            said = line(server);
        }
        assertThat(said)
                .isEqualTo(
                        "WARN killing process %d of this machine: it is compute server %d, which was"
                                        .formatted(adder.pid(), FENCED)
                                + " declared dead, and it has mapped memory that is about to be"
                                + " recovered");
    }

    /// It would wake up one day.
    @Test
    void aProcessThatSleepsIsEndedToo() throws Exception {
        Process adder = adder();
        assertThat(
                        new ProcessBuilder("kill", "-STOP", Long.toString(adder.pid()))
                                .start()
                                .waitFor())
                .isZero();
        fenceAndSeeThatItRests(adder);
    }

    /// One that is dead already has nothing to be ended, and its number may be another's by now.
    @Test
    void aProcessThatIsDeadIsFenced() throws Exception {
        Process adder = adder();
        adder.destroyForcibly();
        fenceAndSeeThatItRests(adder);
    }

    private Process adder() throws IOException {
        Process adder = start("add", Integer.toString(port), Integer.toString(FENCED));
        assertThat(line(adder)).isEqualTo("true");
        return adder;
    }

    private void fenceAndSeeThatItRests(Process adder) throws InterruptedException {
        TcpComputeFabric other = mapped();
        try (QueuePair queuePair = other.connect(other.regions())) {
            other.fence(FENCED);
            long found = queuePair.readWord(WORD);
            int _ = adder.waitFor(); // the test's limit ends it
            assertThat(queuePair.readWord(WORD)).isEqualTo(found);
        }
    }

    /// What this very process has mapped can't be revoked, so it must not be reported as fenced.
    @Test
    void anotherNumberIsNotEnded() throws Exception {
        Process adder = adder();
        TcpComputeFabric other = mapped();
        other.fence(FENCED + 1);
        try (QueuePair queuePair = other.connect(other.regions())) {
            long found = queuePair.readWord(WORD);
            while (queuePair.readWord(WORD) == found) {
                assertThat(adder.isAlive()).isTrue();
            }
        }
    }

    @Test
    void whenTheServerIsKilledVerbsFail() throws Exception {
        TcpComputeFabric fabric = mapped();
        try (QueuePair queuePair = fabric.connect(fabric.regions())) {
            queuePair.fetchAndAdd(WORD, 1);
            queuePair.await();
            server.destroyForcibly();
            FabricException thrown =
                    catchThrowableOfType(FabricException.class, () -> addUntilItFails(queuePair));
            assertThat(thrown.kind()).isEqualTo(FabricException.Kind.PEER_GONE);
        }
    }

    private static void addUntilItFails(QueuePair queuePair) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(40)) {
            queuePair.fetchAndAdd(WORD, 1);
            queuePair.await();
        }
    }

    /// As in a container that has a directory of the same name.
    @Test
    void anotherFileOfTheSameNameIsNotMapped() throws Exception {
        Path file = directory.resolve("memory-server-0.region");
        byte[] bytes = Files.readAllBytes(file);
        Files.delete(file);
        Files.write(file, bytes);
        TcpComputeFabric fabric = mapped();
        assertThat(fabric.isMapped(0)).isFalse();
        add(fabric, 3);
        try (QueuePair queuePair = fabric.connect(fabric.regions())) {
            assertThat(queuePair.readsInPlace(0)).isFalse();
            assertThat(queuePair.readWord(WORD)).isEqualTo(3);
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
    }

    /// As in a container that shares `/dev/shm`, and not the process numbers: the memory server
    /// could not end it.
    @Test
    void aProcessOfAnotherPidNamespaceMayNotMap() throws Exception {
        List<String> prefix = List.of("unshare", "--pid", "--fork", "--mount-proc", "--kill-child");
        assumeTrue(succeeds(prefix), "needs unshare of util-linux, and leave to use it");
        Process adder = start(prefix, "add", Integer.toString(port), Integer.toString(FENCED));
        assertThat(line(adder)).as("whether it has mapped the region").isEqualTo("false");
        TcpComputeFabric other = mapped();
        try (QueuePair queuePair = other.connect(other.regions())) {
            long found = queuePair.readWord(WORD);
            while (queuePair.readWord(WORD) == found) {
                assertThat(adder.isAlive()).isTrue(); // it goes by TCP
            }
            other.fence(FENCED);
            long fenced = queuePair.readWord(WORD);
            assertThat(adder.waitFor()).as("it was not killed: its verbs fail").isEqualTo(1);
            assertThat(queuePair.readWord(WORD)).isEqualTo(fenced);
        }
    }

    private static boolean succeeds(List<String> prefix) throws Exception {
        List<String> command = new ArrayList<>(prefix);
        command.add("true");
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false; // there is no such command
        }
    }

    /// A process that has mapped the old file goes on with memory that no other one sees, until it
    /// checks the connection; it changes nothing of the new file.
    @Test
    void aFileThatADeadServerHasLeftIsReplaced() throws Exception {
        TcpComputeFabric before = mapped();
        try (QueuePair old = before.connect(before.regions())) {
            old.fetchAndAdd(WORD, 1);
            old.await();
            server.destroyForcibly().waitFor();
            assertThat(directory.resolve("memory-server-0.region")).exists();
            server = start("serve", directory.toString());
            port = Integer.parseInt(line(server));

            FabricException thrown =
                    catchThrowableOfType(FabricException.class, () -> addUntilItFails(old));
            assertThat(thrown.kind()).isEqualTo(FabricException.Kind.PEER_GONE);
            TcpComputeFabric after = mapped();
            assertThat(after.isMapped(0)).isTrue();
            try (QueuePair queuePair = after.connect(after.regions())) {
                assertThat(queuePair.readWord(WORD)).isZero();
            }
        }
    }
}
