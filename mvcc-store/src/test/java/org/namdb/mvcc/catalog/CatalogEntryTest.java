package org.namdb.mvcc.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Seeds;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

class CatalogEntryTest {
    private static final CatalogEntry PLACE = new CatalogEntry(7, new long[] {64, 1 << 20}, 5);

    private static TableDefinition table() {
        return TableDefinition.named("people")
                .column("id", ColumnType.INT64)
                .nullable("name", ColumnType.varchar(200))
                .primaryKey("id")
                .servers(3, 1)
                .property("z", "gr\u00fc\u00dfe".repeat(10_000))
                .property("a", "")
                .build();
    }

    @Test
    void aTablesEntryHoldsAllOfIt() {
        byte[] bytes = CatalogEntry.encode(table(), PLACE);
        assertThat(CatalogEntry.decodeTable(bytes)).isEqualTo(table());
        assertThat(CatalogEntry.decodeTable(bytes).properties().keySet()).containsExactly("z", "a");
        CatalogEntry place = CatalogEntry.decode(bytes);
        assertThat(place.number()).isEqualTo(7);
        assertThat(place.addresses()).containsExactly(64, 1 << 20);
        assertThat(place.bucketsPerRange()).isEqualTo(5);
    }

    @Test
    void anIndexsEntryHoldsAllOfIt() {
        IndexDefinition index =
                IndexDefinition.ordered("by_name", "people", "name").property("k", "v");
        for (boolean isFilled : new boolean[] {true, false}) {
            byte[] bytes = CatalogEntry.encode(index, PLACE, isFilled);
            assertThat(CatalogEntry.decodeIndex(bytes)).isEqualTo(index);
            assertThat(CatalogEntry.decodeFilled(bytes)).isEqualTo(isFilled);
            assertThat(CatalogEntry.decode(bytes).number()).isEqualTo(7);
        }
    }

    @Test
    void aNewerFormatIsRefused() {
        byte[] bytes = CatalogEntry.encode(table(), PLACE);
        bytes[3]++;
        assertThatThrownBy(() -> CatalogEntry.decode(bytes))
                .isInstanceOf(CatalogFormatException.class)
                .hasMessage(
                        "a catalog entry has format 4, and this version of NamDB knows format 3"
                                + " only");
    }

    @Test
    void whateverIsDamagedIsRefused() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        byte[] whole = CatalogEntry.encode(IndexDefinition.hash("i", "t", "c"), PLACE, true);
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] damaged = whole.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> CatalogEntry.decodeIndex(damaged))
                    .isInstanceOf(CatalogFormatException.class);
        }
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> CatalogEntry.decode(cut))
                    .isInstanceOf(CatalogFormatException.class);
        }
        byte[] noise = new byte[random.nextInt(100)];
        random.nextBytes(noise);
        assertThatThrownBy(() -> CatalogEntry.decode(noise))
                .isInstanceOf(CatalogFormatException.class);
    }
}
