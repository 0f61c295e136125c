package org.namdb.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.tls.TestAuthority;
import org.namdb.fabric.tls.TlsFiles;

/// Access to an agent that requires TLS, and the errors of clients that are refused.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TlsAccessTest {
    private static final long WORD = RemoteAddress.of(0, 64);
    private static final TlsFiles GOOD = TestAuthority.loopback();

    private TcpMemoryFabric memory;

    @BeforeEach
    void open() {
        memory = listen(GOOD);
        memory.register(0, 1 << 16);
    }

    @AfterEach
    void close() {
        memory.close();
    }

    private static TcpMemoryFabric listen(@Nullable TlsFiles files) {
        return new TcpMemoryFabric(TcpServerOptions.LOOPBACK.withTls(files));
    }

    private static TcpComputeFabric connect(TcpMemoryFabric to, @Nullable TlsFiles files) {
        return TcpComputeFabric.connect(
                List.of(to.address()), TcpClientOptions.DEFAULT.withTls(files));
    }

    private static ThrowableAssertAlternative<FabricException> assertRefused(
            TcpMemoryFabric by, @Nullable TlsFiles files) {
        return assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> connect(by, files).close())
                .satisfies(e -> assertThat(e.kind()).isEqualTo(FabricException.Kind.SYSTEM));
    }

    private void assertServed() {
        try (TcpComputeFabric compute = connect(memory, GOOD);
                QueuePair queuePair = compute.connect(compute.regions())) {
            long found = queuePair.readWord(WORD);
            assertThat(queuePair.casWord(WORD, found, found + 1)).isEqualTo(found);
        }
    }

    @Test
    void aClientWithACertificateOfTheAuthorityIsAccepted() {
        assertServed();
        assertThat(memory.statistics().refused()).isZero();
    }

    @Test
    void bothATokenAndACertificateMayBeDemanded() {
        TcpServerOptions options = TcpServerOptions.LOOPBACK.withTls(GOOD).withToken("secret");
        try (TcpMemoryFabric both = new TcpMemoryFabric(options)) {
            assertRefused(both, GOOD).withMessageContaining("token");
            TcpClientOptions knows = TcpClientOptions.DEFAULT.withTls(GOOD).withToken("secret");
            TcpComputeFabric.connect(List.of(both.address()), knows).close();
        }
    }

    @Test
    void withACertificateItMayListenOnAnyAddress() {
        TcpServerOptions open =
                TcpServerOptions.LOOPBACK
                        .withTls(GOOD)
                        .withAddress(new InetSocketAddress("0.0.0.0", 0));
        assertThat(open.toString()).contains("with TLS");
    }

    @Test
    void aClientOfAnotherAuthorityIsRefusedByBoth() {
        TlsFiles stranger = TestAuthority.of("other").files("stranger", "-ext", "san=ip:127.0.0.1");
        assertRefused(memory, stranger)
                .withMessageContaining("is not signed by this process's authority");
        TlsFiles trusting = new TlsFiles(stranger.certificate(), stranger.key(), GOOD.authority());
        // Its own files are not in order: it fails before it connects.
        assertRefused(memory, trusting).withMessageContaining("is not one that the authority");
        assertServed();
    }

    @Test
    void aServerThatHasAnotherNameIsNotTrusted() {
        TlsFiles elsewhere =
                TestAuthority.of("usual").files("elsewhere", "-ext", "san=dns:example.org");
        try (TcpMemoryFabric server = listen(elsewhere)) {
            assertRefused(server, GOOD)
                    .withMessageContaining("is not made out to")
                    .withMessageContaining("subject alternative names");
        }
    }

    @Test
    void aClientWithoutTlsGetsTheErrorThatItIsRequired() {
        assertRefused(memory, null).withMessageContaining("demands TLS");
        assertThat(memory.statistics().refused()).isEqualTo(1);
        assertServed();
    }

    @Test
    void aServerWithoutTlsIsNotUsedByAClientWithIt() {
        try (TcpMemoryFabric plain = listen(null)) {
            assertRefused(plain, GOOD).withMessageContaining("does not speak TLS");
            connect(plain, null).close();
        }
    }

    @Test
    void aClientWithoutACertificateIsRefused() throws Exception {
        try (RawClient client =
                RawClient.encrypted(memory.address(), TestAuthority.trusting(GOOD.authority()))) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(client::greet)
                    .withMessageContaining("certificate");
        }
        assertThat(memory.statistics().refused()).isEqualTo(1);
        assertServed();
    }

    @Test
    void aCertificateThatHasExpiredIsNotUsed() {
        TlsFiles expired = TestAuthority.of("usual").expired();
        assertRefused(memory, expired).withMessageContaining("has expired on");
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> listen(expired))
                .withMessageContaining("has expired on");
    }

    @Test
    void aClientWhoseCertificateHasExpiredIsRefused() throws Exception {
        try (RawClient client =
                RawClient.encrypted(
                        memory.address(),
                        TestAuthority.careless(TestAuthority.of("usual").expired()))) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(client::greet)
                    .withMessageContaining("certificate");
        }
        assertThat(memory.statistics().refused()).isEqualTo(1);
    }

    /// The files are replaced while it runs, as its certificate would expire.
    @Test
    void aCertificateIsRenewedWhileConnectionsAreOpen(@TempDir Path directory) throws Exception {
        TlsFiles later = TestAuthority.of("later").files("later", "-ext", "san=ip:127.0.0.1");
        TlsFiles used = copy(GOOD, directory, 1_000);
        try (TcpMemoryFabric server = listen(used);
                TcpComputeFabric before = connect(server, GOOD)) {
            server.register(0, 1 << 16);
            copy(later, directory, 2_000);
            connect(server, later).close();
            assertRefused(server, GOOD);
            assertThat(before.regions()).hasSize(1);
            Files.writeString(used.key(), "damaged");
            connect(server, later).close();
        }
    }

    private static TlsFiles copy(TlsFiles files, Path directory, long millis) throws IOException {
        return new TlsFiles(
                copy(files.certificate(), directory.resolve("certificate"), millis),
                copy(files.key(), directory.resolve("key"), millis),
                copy(files.authority(), directory.resolve("authority"), millis));
    }

    private static Path copy(Path from, Path to, long millis) throws IOException {
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
        return Files.setLastModifiedTime(to, FileTime.fromMillis(millis));
    }

    /// Half a record and silence, in the handshake and after it; records that are none; bytes that
    /// were changed on their way.
    @Test
    void aClientThatSendsNoTlsOrHalfOfItDelaysNoOther() throws Exception {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        List<AutoCloseable> open = new ArrayList<>();
        try {
            for (int round = 0; round < 40; round++) {
                Socket socket = new Socket();
                open.add(socket);
                socket.connect(memory.address());
                byte[] garbage = new byte[random.nextInt(1, 600)];
                random.nextBytes(garbage);
                OutputStream out = socket.getOutputStream();
                switch (round % 4) {
                    case 0 -> out.write(garbage);
                    case 1 -> out.write(new byte[] {22, 3, 1, 1, 0, 1, 0, 0, 100});
                    case 2 -> {
                        out.write(new byte[] {22, 3, 1, 0x40, 0, 1, 0, 0, 100, 3, 3});
                        out.write(garbage);
                    }
                    default -> {
                        out.write(new byte[] {23, 3, 3, (byte) 255, (byte) 255});
                        out.write(garbage);
                    }
                }
                if (round % 10 == 9) {
                    assertServed();
                }
            }
            assertServed();
        } finally {
            for (AutoCloseable each : open) {
                each.close();
            }
        }
        assertServed();
    }

    /// An accepted client that sends a damaged record, or a part of one.
    @Test
    void aDamagedRecordEndsItsConnectionAlone() throws Exception {
        try (Wire wire = new Wire(memory.address(), Seeds.next());
                TcpComputeFabric other = connect(memory, GOOD);
                QueuePair untouched = other.connect(other.regions());
                TcpComputeFabric compute =
                        TcpComputeFabric.connect(
                                List.of(wire.address()), TcpClientOptions.DEFAULT.withTls(GOOD));
                QueuePair queuePair = compute.connect(compute.regions())) {
            for (int round = 1; round <= 20; round++) {
                wire.damageNext(round % 2 == 0);
                queuePair.fetchAndAdd(WORD, 1);
                queuePair.await();
                assertThat(untouched.readWord(WORD)).isEqualTo(round);
            }
            assertThat(wire.damaged()).isPositive();
            assertThat(other.statistics(0).clients()).isEqualTo(2);
        }
    }

    /// Records are larger than what a stream lands and smaller, and keys change every 128 KiB.
    @Test
    void bytesOfAnyNumberArriveAsTheyWere() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        int bytes = 1 << 19;
        try (TcpMemoryFabric large = listen(GOOD)) {
            large.register(0, bytes);
            for (long offset = 0; offset < bytes; offset += Long.BYTES) {
                LocalMemory.putLong(large.memory(0) + offset, offset * 31);
            }
            try (TcpComputeFabric compute = connect(large, GOOD);
                    QueuePair queuePair = compute.connect(compute.regions())) {
                for (int round = 0; round < 100; round++) {
                    int size = 8 * random.nextInt(1, 1 << random.nextInt(1, 16));
                    long offset = 8L * random.nextInt((bytes - size) / 8);
                    long view = queuePair.read(RemoteAddress.of(0, offset), size);
                    queuePair.await();
                    for (long at = 0; at < size; at += Long.BYTES) {
                        assertThat(LocalMemory.longAt(view + at)).isEqualTo((offset + at) * 31);
                    }
                }
            }
        }
    }
}
