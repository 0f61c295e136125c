package org.namdb.tpcc.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.function.Consumer;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.schema.TpccSchema;

/// A database that was loaded for a test.
public final class LoadedDatabase implements AutoCloseable {
    /// When everything was loaded.
    public static final Instant NOW = Instant.parse("2026-01-02T03:04:05.678Z");

    public final NamDb db;
    public final Scale scale;
    public final TpccSchema schema;
    public final LoadProgress progress;

    /// Loads.
    public LoadedDatabase(EmbeddedOptions options, Scale scale, long seed, int threads) {
        this.db = NamDb.embedded(options);
        this.scale = scale;
        this.schema = TpccSchema.create(db, scale, 4);
        this.progress = new LoadProgress(scale);
        assertThat(new Loader(db, schema, scale, seed, NOW).load(threads, progress)).isTrue();
    }

    /// A database of one server with space for some growth.
    public static LoadedDatabase of(Scale scale, long seed, int threads) {
        return new LoadedDatabase(options(scale), scale, seed, threads);
    }

    /// The options of a database with space for some growth.
    public static EmbeddedOptions options(Scale scale) {
        return EmbeddedOptions.DEFAULT.withMemoryBytes(2 * scale.estimatedBytes() + (256 << 20));
    }

    /// Gives every row of a table to `each`, in one transaction.
    public void each(Table table, Consumer<Row> each) {
        db.transact(tx -> {
            TableScan scan = tx.scan(table, table.schema().all());
            for (Row row = scan.next(); row != null; row = scan.next()) {
                each.accept(row);
            }
            return true;
        });
    }

    /// How many rows a table has.
    public long count(Table table) {
        long[] count = {0};
        each(table, row -> count[0]++);
        return count[0];
    }

    /// A hash of all rows of a table, in whatever order they are; of HISTORY without its key.
    public long checksum(Table table) {
        long[] sum = {0};
        each(table, row -> sum[0] += hash(table, row));
        return sum[0];
    }

    private long hash(Table table, Row row) {
        long hash = 17;
        for (Column column : table.schema().columns()) {
            if (table == schema.histories.table && column.inKey()) {
                continue;
            }
            long value =
                    row.isNull(column)
                            ? -1
                            : column.type().isSized()
                                    ? row.string(column).hashCode()
                                    : row.int64(column);
            hash = (hash ^ value) * 0x9E37_79B9_7F4A_7C15L;
            hash ^= hash >>> 29;
        }
        return hash;
    }

    @Override
    public void close() {
        db.close();
    }
}
