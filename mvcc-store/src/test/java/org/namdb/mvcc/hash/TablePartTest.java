package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.Seeds;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;

class TablePartTest {
    private static final RecordSchema SCHEMA =
            new RecordSchema(
                    TableDefinition.named("t")
                            .column("a", ColumnType.INT64)
                            .column("b", ColumnType.INT64)
                            .primaryKey("a", "b")
                            .build());

    private static HashTable table(int ranges, long roots) {
        long[] heads =
                LongStream.range(0, ranges)
                        .map(server -> RemoteAddress.of((int) server, 1 << 20))
                        .toArray();
        BucketLayout layout =
                new BucketLayout(4, SCHEMA.key().words(), SCHEMA.payloadBytes(), true);
        return new HashTable(1, SCHEMA.key(), 1, layout, 2, heads, roots);
    }

    /// What a restart finds by the hash alone is where the bucket is.
    @Test
    void aRowIsInThePartThatHasItsFirstBucket() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        for (int round = 0; round < 1_000; round++) {
            HashTable table = table(random.nextInt(1, 5), random.nextLong(1, 1_000));
            long from = random.nextLong(table.buckets());
            long to = random.nextLong(from + 1, table.buckets() + 1);
            TablePart part = new TablePart(table.buckets(), from, to, 0, 0);
            for (int i = 0; i < 100; i++) {
                long[] key = {random.nextLong(), random.nextLong()};
                long hash = table.hash(key);
                assertThat(HashTable.hash(SCHEMA.key(), 1, key)).isEqualTo(hash);
                long bucket = table.range(hash) * table.roots() + table.root(hash);
                assertThat(part.has(hash)).isEqualTo(bucket >= from && bucket < to);
            }
        }
    }

    @Test
    void partsAreDisjointAndAllOfTheTable() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        for (int round = 0; round < 100; round++) {
            HashTable table = table(random.nextInt(1, 3), random.nextLong(1, 20));
            TablePart all = TablePart.of(table);
            List<TablePart> parts = all.divide(random.nextInt(1, 100));
            for (int i = 0; i < 100; i++) {
                long hash = random.nextLong();
                assertThat(parts.stream().filter(part -> part.has(hash))).hasSize(1);
                assertThat(all.has(hash)).isTrue();
            }
            for (TablePart one : parts) {
                assertThat(one.overlaps(all)).isTrue();
                assertThat(TablePart.ALL.overlaps(one)).isTrue();
                for (TablePart half : one.divide(2)) {
                    assertThat(parts.stream().filter(half::overlaps)).containsExactly(one);
                    assertThat(parts.stream().filter(other -> other.overlaps(half)))
                            .containsExactly(one);
                }
            }
        }
    }

    @Test
    void thePartOfARowIsFoundByTheirOrder() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        for (int round = 0; round < 100; round++) {
            HashTable table = table(random.nextInt(1, 3), random.nextLong(1, 20));
            NavigableSet<TablePart> parts = new TreeSet<>(TablePart.ORDER);
            for (TablePart part : TablePart.of(table).divide(random.nextInt(1, 100))) {
                switch (random.nextInt(3)) {
                    case 0 -> parts.addAll(part.divide(random.nextInt(1, 10)));
                    case 1 -> parts.add(part);
                    default -> {} // is not there
                }
            }
            for (int i = 0; i < 1_000 && !parts.isEmpty(); i++) {
                long hash = random.nextLong();
                TablePart found = parts.floor(parts.first().smallest(hash));
                assertThat(parts.stream().filter(part -> part.has(hash)).findFirst())
                        .isEqualTo(Optional.ofNullable(found).filter(part -> part.has(hash)));
            }
        }
    }
}
