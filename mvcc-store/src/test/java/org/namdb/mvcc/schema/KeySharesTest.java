package org.namdb.mvcc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class KeySharesTest {
    private static final ColumnType TEXT = ColumnType.varchar(1024);

    private static List<String> names(int count) {
        return List.of("a", "b", "c", "d", "e", "f", "g", "h", "i").subList(0, count);
    }

    private static List<ColumnType> fitted(int capacity, ColumnType... types) {
        return KeyShares.fitted(names(types.length), List.of(types), capacity);
    }

    private static KeyLayout primaryKey(ColumnType... types) {
        return KeyShares.primaryKey(names(types.length), List.of(types));
    }

    private static KeyLayout entry(KeyLayout key, boolean nullable, ColumnType... types) {
        return KeyShares.entry(
                names(types.length),
                List.of(types),
                Collections.nCopies(types.length, nullable),
                key);
    }

    @Test
    void aKeyThatFitsStaysAsItIs() {
        List<ColumnType> types =
                List.of(ColumnType.INT32, ColumnType.varchar(200), ColumnType.bytes(50));
        assertThat(KeyShares.fitted(names(3), types, 256)).isSameAs(types);
        KeyLayout key = primaryKey(ColumnType.varchar(256));
        assertThat(key.type(0)).isEqualTo(ColumnType.varchar(256));
    }

    @Test
    void aPrimaryKeyThatMustBeCutHasHalfOfTheBytes() {
        assertThat(primaryKey(TEXT).type(0)).isEqualTo(ColumnType.varchar(128));
        assertThat(primaryKey(ColumnType.varchar(257)).prefixBytes(1)).isEqualTo(128);
        assertThat(primaryKey(ColumnType.bytes(1024)).type(0)).isEqualTo(ColumnType.bytes(126));
        KeyLayout key = primaryKey(TEXT, TEXT, ColumnType.INT32);
        assertThat(key.type(0)).isEqualTo(ColumnType.varchar(62));
        assertThat(key.type(1)).isEqualTo(ColumnType.varchar(62));
        assertThat(key.type(2)).isEqualTo(ColumnType.INT32);
        assertThat(key.words()).isEqualTo(16);
    }

    @Test
    void whatAShortColumnLeavesTheOthersShare() {
        assertThat(fitted(256, TEXT, ColumnType.character(10), TEXT, ColumnType.INT64))
                .containsExactly(
                        ColumnType.varchar(119),
                        ColumnType.character(10),
                        ColumnType.varchar(119),
                        ColumnType.INT64);
        // 40 is less than a third, and then 110 than a half of what is left.
        assertThat(fitted(256, TEXT, ColumnType.varchar(100), ColumnType.varchar(40)))
                .containsExactly(
                        ColumnType.varchar(116), ColumnType.varchar(100), ColumnType.varchar(40));
    }

    @Test
    void anEntryEndsWithTheWholePrimaryKey() {
        KeyLayout key = primaryKey(TEXT);
        KeyLayout entry = entry(key, true, TEXT);
        assertThat(entry.type(0)).isEqualTo(ColumnType.varchar(127));
        assertThat(entry.type(1)).isEqualTo(key.type(0));
        assertThat(entry.words()).isEqualTo(32);
        KeyLayout number = primaryKey(ColumnType.INT64);
        assertThat(entry(number, false, TEXT).type(0)).isEqualTo(ColumnType.varchar(248));
    }

    @Test
    void aShareOfLessThan16BytesIsRefused() {
        KeyLayout key = primaryKey(ColumnType.varchar(240));
        assertThat(entry(key, false, TEXT).type(0)).isEqualTo(ColumnType.varchar(16));
        assertThatThrownBy(() -> entry(key, true, TEXT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("15 are left")
                .hasMessageContaining("at least 16");
        ColumnType uuid = ColumnType.UUID;
        assertThat(primaryKey(uuid, uuid, uuid, uuid, uuid, uuid, uuid, TEXT).type(7))
                .isEqualTo(ColumnType.varchar(16));
        assertThatThrownBy(() -> primaryKey(uuid, uuid, uuid, uuid, uuid, uuid, uuid, uuid, TEXT))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void sharesFillTheKeyAndNoColumnGetsMoreThanItNeeds() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 2000; round++) {
            ColumnType[] types = new ColumnType[random.nextInt(1, 6)];
            for (int i = 0; i < types.length; i++) {
                int length = random.nextInt(1, 400);
                types[i] =
                        switch (random.nextInt(4)) {
                            case 0 -> ColumnType.INT64;
                            case 1 -> ColumnType.bytes(length);
                            case 2 -> ColumnType.character(length);
                            default -> ColumnType.varchar(length);
                        };
            }
            int capacity = random.nextInt(128, 257);
            List<ColumnType> fitted = fitted(capacity, types);
            int wanted = 0;
            int given = 0;
            int most = 0;
            int cut = 0;
            for (int i = 0; i < types.length; i++) {
                wanted += types[i].keyBytes();
                given += fitted.get(i).keyBytes();
                assertThat(fitted.get(i).kind()).as("seed %d", seed).isEqualTo(types[i].kind());
                assertThat(fitted.get(i).keyBytes()).isLessThanOrEqualTo(types[i].keyBytes());
                if (!fitted.get(i).equals(types[i])) {
                    cut++;
                    assertThat(most == 0 || most == fitted.get(i).keyBytes()).isTrue();
                    most = fitted.get(i).keyBytes();
                    assertThat(most).isGreaterThanOrEqualTo(KeyShares.MIN_SHARE);
                }
            }
            assertThat(given).as("seed %d", seed).isLessThanOrEqualTo(capacity);
            assertThat(given).isGreaterThan(Math.min(capacity, wanted) - Math.max(1, cut));
        }
    }
}
