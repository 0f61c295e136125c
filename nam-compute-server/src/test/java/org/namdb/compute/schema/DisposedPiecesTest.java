package org.namdb.compute.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.namdb.mvcc.RemoteAllocator;

class DisposedPiecesTest {
    private static final int BYTES = 64;

    private final BitSet freed = new BitSet();
    private boolean isBegun;

    private final DisposedPieces pieces =
            new DisposedPieces(
                    new RemoteAllocator() {
                        @Override
                        public long allocate(int server, int bytes) {
                            throw new UnsupportedOperationException();
                        }

                        @Override
                        public void reserve(int server, int bytes) {
                            throw new UnsupportedOperationException();
                        }

                        @Override
                        public void free(long address, int bytes) {
                            assertThat(isBegun).isTrue();
                            assertThat(bytes).isEqualTo(BYTES);
                            int piece = (int) (address / BYTES);
                            assertThat(freed.get(piece)).isFalse();
                            freed.set(piece);
                        }
                    },
                    () -> isBegun = true);

    @Test
    void nothingIsFreedBeforeAllIsKnown() {
        free(0, DisposedPieces.MAX);
        assertThat(isBegun).isFalse();
        pieces.freeAll();
        assertThat(freed.cardinality()).isEqualTo(DisposedPieces.MAX);
    }

    @Test
    void ofVeryManyTheHeapHoldsAPartAtATime() {
        int count = 3 * DisposedPieces.MAX + 1;
        free(0, count);
        assertThat(freed.cardinality()).isEqualTo(3 * DisposedPieces.MAX);
        pieces.freeAll();
        assertThat(freed.nextClearBit(0)).isEqualTo(count);
    }

    @Test
    void forgottenPiecesAreNotFreed() {
        free(0, 100);
        pieces.clear();
        free(100, 3);
        pieces.freeAll();
        assertThat(freed.nextSetBit(0)).isEqualTo(100);
        assertThat(freed.cardinality()).isEqualTo(3);
    }

    private void free(int first, int count) {
        for (int piece = first; piece < first + count; piece++) {
            pieces.free((long) piece * BYTES, BYTES);
        }
    }
}
