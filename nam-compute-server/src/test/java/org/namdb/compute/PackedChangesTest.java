package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.namdb.compute.commit.PackedChanges;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.schema.TableDefinition;

/// Random additions, lookups and truncations of packed changes, next to a map that does the same.
class PackedChangesTest {
    private static final int KEYS = 30_000;

    private record Of(Table table, long id) {}

    @Test
    void everyEntryIsFoundUntilItIsTakenOut() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        try (NamDb db = NamDb.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20));
                Arena arena = Arena.ofConfined()) {
            List<Table> tables = List.of(table(db, "short", 8), table(db, "long", 200));
            PackedChanges changes =
                    new PackedChanges(bytes -> arena.allocate(bytes, Long.BYTES).address());
            Map<Of, Integer> model = new HashMap<>();
            List<Of> order = new ArrayList<>();
            for (int round = 0; round < 40; round++) {
                int keep = order.size();
                int mark = changes.end();
                for (int i = random.nextInt(20_000); i > 0; i--) {
                    Of of = new Of(tables.get(random.nextInt(2)), random.nextInt(KEYS));
                    RecordRead read = read(of);
                    if (!model.containsKey(of)) {
                        int reference = changes.add(of.table, read);
                        changes.setPayload(reference, of.id);
                        model.put(of, reference);
                        order.add(of);
                    }
                }
                if (random.nextInt(4) > 0) {
                    changes.truncate(mark);
                    List<Of> gone = order.subList(keep, order.size());
                    gone.forEach(model::remove);
                    gone.clear();
                }
                compare(changes, model, order, tables);
            }
        }
    }

    private static Table table(NamDb db, String name, int keyBytes) {
        return db.createTable(
                TableDefinition.named(name)
                        .column("id", ColumnType.INT64)
                        .column("rest", ColumnType.varchar(keyBytes))
                        .primaryKey("id", "rest")
                        .build());
    }

    private static RecordRead read(Of of) {
        Key key = of.table.newKey().set(of.id).add("");
        RecordRead read = new RecordRead(of.table.records(), Projection.NOTHING);
        read.prepare(of.table.records(), key.words(), Projection.NOTHING, 0);
        return read;
    }

    private static void compare(
            PackedChanges changes, Map<Of, Integer> model, List<Of> order, List<Table> tables) {
        assertThat(changes.count()).isEqualTo(model.size());
        for (Table table : tables) {
            for (long id = 0; id < KEYS; id++) {
                Of of = new Of(table, id);
                assertThat(changes.find(table, read(of).key()))
                        .isEqualTo(model.getOrDefault(of, PackedChanges.NONE));
            }
        }
        int number = 0;
        for (int at = changes.first(); at != changes.end(); at = changes.next(at)) {
            Of of = order.get(number++);
            assertThat(changes.table(at)).isEqualTo(of.table);
            assertThat(changes.payload(at)).isEqualTo(of.id);
        }
        assertThat(number).isEqualTo(order.size());
    }
}
