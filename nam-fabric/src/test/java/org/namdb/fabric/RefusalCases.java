package org.namdb.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Verbs that must be refused, and must change nothing.
public interface RefusalCases extends FabricCase {
    int UNKNOWN_SERVER = 77;

    /// Bytes that a stray WRITE, CAS or FAA could not change unseen: a stray CAS expects 0.
    private void fillRegions() {
        long source = queuePair().localMemory(FabricCase.regionBytes(0));
        for (int i = 0; i < FabricCase.regionBytes(0); i += 16) {
            LocalMemory.putLong(source + i, 0x1111_2222_3333_4444L + i);
        }
        for (int server = 0; server < 2; server++) {
            queuePair().write(address(server, 0), source, (int) FabricCase.regionBytes(0));
        }
        queuePair().await();
    }

    @ParameterizedTest
    @EnumSource(Verb.class)
    default void badAddressesAreRefused(Verb verb) {
        fillRegions();
        for (int server = 0; server < 2; server++) {
            long bytes = FabricCase.regionBytes(server);
            long end = (bytes + 7) & -8;
            assertRefused(verb, address(server, end), 8);
            assertRefused(verb, address(server, end + 8), 8);
            assertRefused(verb, address(server, 1L << 32), 8);
            assertRefused(verb, address(server, RemoteAddress.OFFSET_LIMIT - 8), 8);
            for (int misaligned = 1; misaligned < 8; misaligned++) {
                assertRefused(verb, address(server, 64 + misaligned), 8);
                assertRefused(verb, address(server, bytes - misaligned), 8);
            }
        }
        assertRefused(verb, RemoteAddress.NULL, 8);
        assertRefused(verb, 64, 8);
        assertRefused(verb, address(1, 64) & Long.MAX_VALUE, 8);
        assertRefused(verb, address(1, FabricCase.regionBytes(1) & -8), 8);
    }

    @ParameterizedTest
    @EnumSource(
            value = Verb.class,
            names = {"READ", "WRITE"})
    default void badSizesAreRefused(Verb verb) {
        fillRegions();
        int[] sizes = {
            0, -8, -64, Integer.MIN_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE - 7, 1, 7, 12, 65
        };
        for (int server = 0; server < 2; server++) {
            for (int bytes : sizes) {
                assertRefused(verb, address(server, 64), bytes);
            }
            long lastWord = (FabricCase.regionBytes(server) & -8) - 8;
            assertRefused(verb, address(server, lastWord), 16);
            assertRefused(verb, address(server, lastWord - 1024), 1024 + 16);
            assertRefused(
                    verb, address(server, 0), (int) (FabricCase.regionBytes(server) & -8) + 8);
            assertRefused(verb, address(server, RemoteAddress.OFFSET_LIMIT - 8), 16);
        }
    }

    @ParameterizedTest
    @EnumSource(Verb.class)
    default void aWrongKeyOpensNothing(Verb verb) {
        fillRegions();
        Region right = region(1);
        QueuePair queuePair = connect(region(0), new Region(1, right.bytes(), right.key() + 1));
        assertRefused(queuePair, verb, address(1, 64), 8, FabricException.Kind.BAD_KEY);
    }

    @ParameterizedTest
    @EnumSource(Verb.class)
    default void aServerThatWasNeverThereIsGone(Verb verb) {
        fillRegions();
        QueuePair notConnected = connect(region(0));
        assertRefused(notConnected, verb, address(1, 64), 8, FabricException.Kind.PEER_GONE);
        QueuePair notRegistered = connect(region(0), new Region(UNKNOWN_SERVER, 1 << 16, 1));
        assertRefused(
                notRegistered,
                verb,
                address(UNKNOWN_SERVER, 64),
                8,
                FabricException.Kind.PEER_GONE);
    }

    @ParameterizedTest
    @EnumSource(Verb.class)
    default void aServerThatHasLeftIsGone(Verb verb) {
        QueuePair queuePair = connect();
        long[] others = readRegion(0);
        verb.post(queuePair, address(1, 64), 8);
        queuePair.await();
        fabric().leave(1);
        assertThrown(queuePair, verb, address(1, 64), 8, FabricException.Kind.PEER_GONE);
        assertThat(readRegion(0)).isEqualTo(others);
    }

    /// Its views and its local memory are gone: a verb must not touch them.
    @ParameterizedTest
    @EnumSource(Verb.class)
    default void aClosedQueuePairRefusesVerbs(Verb verb) {
        QueuePair closed = connect();
        long[] before = readRegion(1);
        closed.close();
        assertThatThrownBy(
                        () -> {
                            verb.post(closed, address(1, 64), 8);
                            closed.await();
                        })
                .isInstanceOf(RuntimeException.class);
        assertThat(readRegion(1)).isEqualTo(before);
    }

    private void assertRefused(Verb verb, long address, int bytes) {
        assertRefused(connect(), verb, address, bytes, FabricException.Kind.BAD_ADDRESS);
    }

    private void assertRefused(
            QueuePair queuePair, Verb verb, long address, int bytes, FabricException.Kind kind) {
        long[][] before = {readRegion(0), readRegion(1)};
        assertThrown(queuePair, verb, address, bytes, kind);
        assertThat(readRegion(0)).isEqualTo(before[0]);
        assertThat(readRegion(1)).isEqualTo(before[1]);
    }

    private static void assertThrown(
            QueuePair queuePair, Verb verb, long address, int bytes, FabricException.Kind kind) {
        assertThatExceptionOfType(FabricException.class)
                .as("%s of %d bytes at %x", verb, bytes, address)
                .isThrownBy(() -> {
                    verb.post(queuePair, address, bytes);
                    queuePair.await();
                })
                .satisfies(e -> assertThat(e.kind()).isEqualTo(kind));
    }
}
