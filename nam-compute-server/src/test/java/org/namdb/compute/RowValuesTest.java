package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// Columns by Java's own classes, and what errors about names say.
class RowValuesTest {
    private final NamDb db = NamDb.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20));
    private final Table table =
            db.createTable(
                    TableDefinition.named("things")
                            .column("id", ColumnType.UUID)
                            .column("born", ColumnType.DATE)
                            .column("price", ColumnType.decimal(6, 2))
                            .column("seen", ColumnType.TIMESTAMP)
                            .column("sold", ColumnType.BOOLEAN)
                            .nullable("other", ColumnType.UUID)
                            .primaryKey("id", "born")
                            .build());
    private final Column id = table.column("id");
    private final Column born = table.column("born");
    private final Column price = table.column("price");
    private final Column seen = table.column("seen");
    private final Column sold = table.column("sold");
    private final Column other = table.column("other");
    private final UUID key = new UUID(0x8123_4567_89ab_cdefL, -2);

    @AfterEach
    void close() {
        db.close();
    }

    private Key key(LocalDate day) {
        return table.newKey()
                .addUuid(key.getMostSignificantBits(), key.getLeastSignificantBits())
                .add(day.toEpochDay());
    }

    private Row insert(Transaction tx, LocalDate day) {
        return tx.insert(table, key(day));
    }

    private Row read(Transaction tx, LocalDate day) {
        return Objects.requireNonNull(tx.read(table, key(day)));
    }

    @Test
    void whatWasSetIsRead() {
        LocalDate day = LocalDate.of(1969, 12, 31);
        LocalDateTime time = LocalDateTime.of(1812, 6, 24, 23, 59, 59, 999_999_999);
        db.transact(tx -> {
            insert(tx, day)
                    .setDecimal(price, new BigDecimal("-9999.5"))
                    .setDateTime(seen, time)
                    .setBool(sold, true)
                    .setUuid(other, key);
            return true;
        });
        db.transact(tx -> {
            Row row = read(tx, day);
            assertThat(row.uuid(id)).isEqualTo(key);
            assertThat(row.date(born)).isEqualTo(day);
            assertThat(row.decimal(price)).isEqualTo(new BigDecimal("-9999.50"));
            assertThat(row.dateTime(seen)).isEqualTo(time.withNano(999_999_000));
            Instant moment = Instant.parse("1812-06-24T23:59:59.999999Z");
            assertThat(row.instant(seen)).isEqualTo(moment);
            assertThat(row.setInstant(seen, moment.plusNanos(1999)).instant(seen))
                    .isEqualTo(moment.plusNanos(1000));
            assertThat(row.bool(sold)).isTrue();
            assertThat(row.uuid(other)).isEqualTo(key);
            row.setBool(sold, false).setNull(other);
            return true;
        });
        db.transact(tx -> {
            Row row = read(tx, day);
            assertThat(row.bool(sold)).isFalse();
            assertThatThrownBy(() -> row.uuid(other))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("things.other")
                    .hasMessageContaining("is NULL: look with isNull() first");
            return true;
        });
    }

    @Test
    void whatAColumnCanNotHoldIsRefused() {
        db.transact(tx -> {
            Row row = insert(tx, LocalDate.EPOCH);
            assertThatThrownBy(() -> row.setDecimal(price, new BigDecimal("1.005")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("column price is DECIMAL(6,2), which can't hold 1.005 exactly");
            assertThatThrownBy(() -> row.setDecimal(price, new BigDecimal("10000")))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> row.setDecimal(price, new BigDecimal("1e40")))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> row.setDateTime(seen, LocalDateTime.MAX))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("column seen can't hold");
            assertThatThrownBy(() -> row.setBool(price, true))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("column price is DECIMAL, not BOOLEAN");
            assertThatThrownBy(() -> row.date(seen))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("column seen is TIMESTAMP, not DATE");
            row.setDecimal(price, BigDecimal.ONE)
                    .setDateTime(seen, LocalDateTime.MIN.withYear(1))
                    .setBool(sold, false);
            return true;
        });
    }

    @Test
    void errorsListTheNamesThatThereAre() {
        assertThatThrownBy(() -> table.column("prize"))
                .hasMessage(
                        "table things has no column prize; it has [id, born, price, seen, sold, other]");
        assertThatThrownBy(() -> table.definition().column("prize"))
                .hasMessageEndingWith("sold, other]");
        assertThatThrownBy(() -> db.table("thing"))
                .hasMessage("there is no table thing; there are [things]");
        assertThatThrownBy(() -> db.createIndex(IndexDefinition.hash("i", "thing", "price")))
                .hasMessageContaining("there is no table thing; there are [things]");
        db.createIndex(IndexDefinition.hash("by_price", "things", "price"));
        assertThatThrownBy(() -> db.dropIndex("by_prize"))
                .hasMessage("there is no index by_prize; there are [by_price]");
    }
}
