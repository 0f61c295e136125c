package org.namdb.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.tls.TlsFiles;

/// What no correct client sends: nothing outside of what a verb may touch changes, and other
/// clients don't notice.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MalformedFrameTest {
    private static final int REGION_BYTES = 1 << 16;
    private static final long FILL = 0x1111_2222_3333_4444L;

    TcpMemoryFabric memory;
    private TcpComputeFabric other;
    private QueuePair queuePair;
    private Region region;

    /// What both sides prove themselves with; none, if the connections are not encrypted.
    @Nullable TlsFiles tls() {
        return null;
    }

    /// A client that is not accepted yet.
    RawClient raw() throws IOException {
        return new RawClient(memory.address());
    }

    private RawClient greeted() throws IOException {
        RawClient client = raw();
        client.greet();
        return client;
    }

    @BeforeEach
    void open() {
        memory = new TcpMemoryFabric(TcpServerOptions.LOOPBACK.withTls(tls()));
        region = memory.register(0, REGION_BYTES);
        for (int offset = 0; offset < REGION_BYTES; offset += Long.BYTES) {
            LocalMemory.putLong(memory.memory(0) + offset, FILL + offset);
        }
        other =
                TcpComputeFabric.connect(
                        List.of(memory.address()), TcpClientOptions.DEFAULT.withTls(tls()));
        queuePair = other.connect(List.of(region));
    }

    @AfterEach
    void close() {
        queuePair.close();
        other.close();
        memory.close();
    }

    /// Nothing has changed, and the other client is served.
    private void assertUntouched() {
        long view = queuePair.read(RemoteAddress.of(0, 0), REGION_BYTES);
        queuePair.await();
        for (int offset = 0; offset < REGION_BYTES; offset += Long.BYTES) {
            assertThat(LocalMemory.longAt(view + offset)).isEqualTo(FILL + offset);
        }
    }

    static Stream<long[]> framesThatMakeNoSense() {
        long read = AgentFrame.verb(AgentFrame.READ, 8, 0);
        long unknown = AgentFrame.verb(9, 8, 0);
        long address = RemoteAddress.of(0, 64);
        long ids = AgentFrame.pair(1, 1);
        return Stream.of(
                new long[] {RawClient.head(AgentFrame.VERBS, -8), ids, 0},
                new long[] {RawClient.head(AgentFrame.VERBS, Integer.MIN_VALUE), ids, 0},
                new long[] {RawClient.head(AgentFrame.VERBS, Integer.MAX_VALUE), ids, 0},
                new long[] {RawClient.head(AgentFrame.VERBS, AgentFrame.MAX_BYTES + 8), ids, 0},
                new long[] {RawClient.head(AgentFrame.VERBS, 0), ids, 0},
                new long[] {RawClient.head(AgentFrame.VERBS, 16), ids, 0},
                new long[] {RawClient.head(AgentFrame.VERBS, 25), ids, 0},
                new long[] {RawClient.head(99, 24), ids, 0},
                new long[] {RawClient.head(AgentFrame.REPLY, 24), ids, 0},
                // More verbs than there are, fewer, and a negative number of them.
                new long[] {RawClient.head(AgentFrame.VERBS, 40), ids, 2, read, address},
                new long[] {RawClient.head(AgentFrame.VERBS, 40), ids, 0, read, address},
                new long[] {RawClient.head(AgentFrame.VERBS, 40), ids, 0xffff_ffffL, read, address},
                new long[] {
                    RawClient.head(AgentFrame.VERBS, 40), ids, -1L << 32 | 1, read, address
                },
                new long[] {RawClient.head(AgentFrame.VERBS, 40), ids, 1, unknown, address},
                new long[] {RawClient.head(AgentFrame.VERBS, 40), ids, 1, 0, address},
                // A WRITE whose bytes are beyond its frame, or no whole words.
                new long[] {RawClient.head(AgentFrame.VERBS, 48), ids, 1, write(16), address, 7},
                new long[] {RawClient.head(AgentFrame.VERBS, 48), ids, 1, write(4), address, 7},
                new long[] {
                    RawClient.head(AgentFrame.VERBS, 40),
                    ids,
                    1,
                    write(AgentFrame.MAX_VERB_BYTES),
                    address
                },
                // An atomic that is not the next one, and a frame that is not the next one.
                new long[] {
                    RawClient.head(AgentFrame.VERBS, 48),
                    ids,
                    1,
                    AgentFrame.verb(AgentFrame.FETCH_AND_ADD, 3, 0),
                    address,
                    7
                },
                new long[] {
                    RawClient.head(AgentFrame.VERBS, 40), ids, AgentFrame.pair(5, 1), read, address
                },
                // Messages of another length than their frame, and controls that there are not.
                new long[] {RawClient.head(AgentFrame.CALL, 32), ids, AgentFrame.pair(0, 100), 0},
                new long[] {RawClient.head(AgentFrame.CALL, 32), ids, AgentFrame.pair(0, -1), 0},
                new long[] {RawClient.head(AgentFrame.CONTROL, 24), ids, AgentFrame.pair(77, 0)},
                new long[] {
                    RawClient.head(AgentFrame.CONTROL, 24),
                    ids,
                    AgentFrame.pair(AgentFrame.FENCE, 0)
                },
                new long[] {
                    RawClient.head(AgentFrame.CONTROL, 32),
                    ids,
                    AgentFrame.pair(AgentFrame.REGIONS, 8),
                    0
                });
    }

    private static long write(int bytes) {
        return AgentFrame.verb(AgentFrame.WRITE, bytes, 0);
    }

    @ParameterizedTest
    @MethodSource("framesThatMakeNoSense")
    void aClientThatSendsAMalformedFrameIsDisconnected(long[] frame) throws IOException {
        long[] keyed = frame.clone();
        if (keyed.length > 3 && AgentFrame.kind(keyed[0]) == AgentFrame.VERBS && keyed[3] != 0) {
            keyed[3] |= region.key() & 0xffff_ffffL;
        }
        try (RawClient client = greeted()) {
            client.send(keyed);
            assertThat(client.isClosed()).isTrue();
        }
        assertUntouched();
        assertThat(memory.statistics().malformed()).isEqualTo(1);
    }

    /// The checks of a client are not relied on.
    @Test
    void verbsBeyondTheRegionAreRefusedByTheAgentItself() throws IOException {
        long[] addresses = {
            RemoteAddress.NULL,
            64,
            RemoteAddress.of(0, REGION_BYTES),
            RemoteAddress.of(0, 61),
            RemoteAddress.of(0, RemoteAddress.OFFSET_LIMIT - 8),
            RemoteAddress.of(5, 64)
        };
        int batch = 0;
        try (RawClient client = greeted()) {
            for (long address : addresses) {
                long[] verbs = {
                    AgentFrame.verb(AgentFrame.WRITE_WORD, 0, region.key()),
                    AgentFrame.verb(AgentFrame.WRITE, 8, region.key()),
                    AgentFrame.verb(AgentFrame.FETCH_AND_ADD, 0, region.key())
                };
                for (long verb : verbs) {
                    batch++;
                    client.send(
                            RawClient.head(AgentFrame.VERBS, 48),
                            AgentFrame.pair(1, batch),
                            AgentFrame.pair(0, 1),
                            verb,
                            address,
                            42);
                    assertThat(code(client.receive()))
                            .isIn(
                                    FabricException.Kind.BAD_ADDRESS.ordinal() + 1,
                                    FabricException.Kind.PEER_GONE.ordinal() + 1);
                }
            }
            client.send(
                    RawClient.head(AgentFrame.VERBS, 48),
                    AgentFrame.pair(1, batch + 1),
                    AgentFrame.pair(0, 1),
                    AgentFrame.verb(AgentFrame.WRITE_WORD, 0, region.key() + 1),
                    RemoteAddress.of(0, 64),
                    42);
            assertThat(code(client.receive()))
                    .isEqualTo(FabricException.Kind.BAD_KEY.ordinal() + 1);
        }
        assertUntouched();
    }

    private static int code(byte[] reply) {
        return AgentFrame.code(ByteBuffer.wrap(reply).order(ByteOrder.nativeOrder()).getLong());
    }

    /// Half a frame and silence, before and after the greeting; nothing at all; garbage.
    @Test
    void aSilentClientDelaysNoOther() throws IOException {
        List<RawClient> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                silent.add(raw());
                RawClient half = raw();
                silent.add(half);
                half.send(Arrays.copyOf(Handshake.hello(UUID.randomUUID(), -1), 30));
                RawClient greeted = greeted();
                silent.add(greeted);
                greeted.send(RawClient.head(AgentFrame.VERBS, 1 << 20), 0, 0);
            }
            assertUntouched();
        } finally {
            for (RawClient client : silent) {
                client.close();
            }
        }
        assertUntouched();
    }

    @Test
    void garbageChangesNothing() throws IOException {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        for (int round = 0; round < 200; round++) {
            byte[] garbage = new byte[8 * random.nextInt(1, 40)];
            random.nextBytes(garbage);
            try (RawClient client = random.nextBoolean() ? raw() : greeted()) {
                client.send(garbage);
            }
        }
        assertUntouched();
    }

    /// One that requests much at a time is answered, however fast it reads.
    @Test
    void aClientThatReadsItsRepliesGetsAllOfThem() throws Exception {
        int batches = 2_000;
        try (RawClient client = greeted()) {
            Thread sender =
                    Thread.ofPlatform()
                            .start(() -> {
                                ByteBuffer frames =
                                        ByteBuffer.allocate(40 * batches)
                                                .order(ByteOrder.nativeOrder());
                                for (int batch = 1; batch <= batches; batch++) {
                                    frames.putLong(RawClient.head(AgentFrame.VERBS, 40))
                                            .putLong(AgentFrame.pair(1, batch))
                                            .putLong(AgentFrame.pair(0, 1))
                                            .putLong(
                                                    AgentFrame.verb(
                                                            AgentFrame.READ, 8_192, region.key()))
                                            .putLong(RemoteAddress.of(0, 0));
                                }
                                try {
                                    client.send(frames.array());
                                } catch (IOException e) {
                                    throw new IllegalStateException(e);
                                }
                            });
            for (int batch = 1; batch <= batches; batch++) {
                assertThat(client.receive()).hasSize(AgentFrame.HEAD_BYTES + 8_192);
            }
            sender.join();
        }
        assertUntouched();
    }

    /// One that requests much and reads nothing does not fill the agent's memory: it is not read
    /// from any more, and others are served.
    @Test
    void aClientThatReadsNoRepliesDelaysNoOther() throws IOException {
        try (RawClient client = greeted()) {
            long[] frame = {
                RawClient.head(AgentFrame.VERBS, 40),
                0,
                AgentFrame.pair(0, 1),
                AgentFrame.verb(AgentFrame.READ, REGION_BYTES, region.key()),
                RemoteAddress.of(0, 0)
            };
            for (int batch = 1; batch <= 2_000; batch++) {
                frame[1] = AgentFrame.pair(1, batch);
                client.send(frame);
            }
            assertUntouched();
            byte[] _ = client.receive();
            assertUntouched();
        }
    }
}
