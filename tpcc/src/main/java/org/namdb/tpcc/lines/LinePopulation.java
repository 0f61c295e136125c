package org.namdb.tpcc.lines;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.namdb.cache.engine.ConcurrencyControl;
import org.namdb.cache.engine.Tuple;
import org.namdb.cache.engine.TupleSession;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.input.LastNames;
import org.namdb.tpcc.load.LoadProgress;
import org.namdb.tpcc.load.TpccPopulation;
import org.namdb.workload.load.LoadMark;
import org.namdb.workload.load.MarkTable;
import org.namdb.workload.load.Population;
import org.namdb.workload.load.RowProgress;

/// Loads TPC-C into lines: as rows first, which are copied, and truncated then.
public final class LinePopulation implements Population<TpccLines> {
    private static final int TUPLES_PER_TRANSACTION = 50;
    private static final int NAMES = 1_000;

    private final TpccPopulation rows;
    private final MarkTable mark;
    private final RowProgress progress;
    private final Map<String, Integer> lastNames = new HashMap<>();

    public LinePopulation(TpccOptions options) {
        this.rows = new TpccPopulation(options);
        this.mark = new MarkTable("tpcc_lines_load", List.copyOf(rows.size().keySet()));
        this.progress =
                new RowProgress(LoadProgress.expectedRows(options.scale()), 1) {
                    @Override
                    public void stop() {
                        super.stop();
                        rows.progress().stop();
                    }
                };
        for (int name = 0; name < NAMES; name++) {
            lastNames.put(text(LastNames.ascii(name), LastNames.ascii(name).length), name);
        }
    }

    @Override
    public Set<String> tables() {
        Set<String> all = new HashSet<>(rows.tables());
        all.add(TpccLines.NAME);
        return all;
    }

    @Override
    public MarkTable markTable() {
        return mark;
    }

    @Override
    public Map<String, Integer> size() {
        return rows.size();
    }

    @Override
    public long expectedRows(LoadMark of) {
        return rows.expectedRows(of);
    }

    @Override
    public boolean wantsOther(LoadMark of) {
        return rows.wantsOther(of);
    }

    @Override
    public String options(LoadMark of) {
        return rows.options(of);
    }

    @Override
    public void learn(LoadMark of) {
        rows.learn(of);
    }

    @Override
    public TpccLines create(NamDb db) {
        return TpccLines.create(db, rows.create(db));
    }

    @Override
    public TpccLines open(NamDb db) {
        return TpccLines.open(db, rows.open(db));
    }

    @Override
    public RowProgress progress() {
        return progress;
    }

    @Override
    public boolean load(NamDb db, TpccLines lines, int threads, Instant now) {
        if (!rows.load(db, lines.schema(), threads, now)) {
            return false;
        }
        try (TupleSession engine = lines.open(ConcurrencyControl.TWO_PHASE_LOCKING)) {
            for (LineTable table : LineTable.values()) {
                if (!table.isIndex() && !progress.isStopped()) {
                    copy(db, lines, engine, table);
                    Table _ = db.truncate(table.tableName());
                }
            }
        }
        if (progress.isStopped()) {
            return false;
        }
        progress.finishPart();
        return true;
    }

    private void copy(NamDb db, TpccLines lines, TupleSession engine, LineTable table) {
        Table source = db.table(table.tableName());
        int words = source.schema().key().columns();
        long writer = table == LineTable.HISTORY ? engine.uniqueNumber() : 0;
        try (Session session = db.session()) {
            long _ =
                    session.<Long>transact(tx -> {
                        TableScan scan = tx.scan(source, source.schema().all());
                        long copied = 0;
                        engine.begin();
                        for (Row row = scan.next();
                                row != null && !progress.isStopped();
                                row = scan.next()) {
                            long key =
                                    table == LineTable.HISTORY
                                            ? table.key(writer, copied)
                                            : key(table, source, row, words);
                            Tuple tuple = engine.insert(lines.table(table), key);
                            row.copyPayload(tuple.payload());
                            insertEntries(engine, lines, table, tuple);
                            if (++copied % TUPLES_PER_TRANSACTION == 0) {
                                engine.commit();
                                progress.addRows(TUPLES_PER_TRANSACTION);
                                engine.begin();
                            }
                        }
                        engine.commit();
                        progress.addRows((int) (copied % TUPLES_PER_TRANSACTION));
                        return copied;
                    });
        }
    }

    private static long key(LineTable table, Table source, Row row, int words) {
        long[] columns = new long[words];
        for (Column column : source.schema().columns()) {
            if (column.inKey()) {
                columns[column.keyIndex()] = row.int64(column);
            }
        }
        return table.key(columns);
    }

    private void insertEntries(TupleSession engine, TpccLines lines, LineTable table, Tuple tuple) {
        long w = table.column(tuple.key(), 0);
        if (table == LineTable.CUSTOMER) {
            byte[] last = new byte[LastNames.MAX_BYTES];
            int length = tuple.copyBytes(lines.schema().customers.last, last, 0);
            engine.insertEntry(
                    lines.table(LineTable.CUSTOMER_BY_NAME),
                    LineTable.CUSTOMER_BY_NAME.key(
                            w,
                            table.column(tuple.key(), 1),
                            Objects.requireNonNull(lastNames.get(text(last, length))),
                            table.column(tuple.key(), 2)),
                    tuple);
        } else if (table == LineTable.ORDERS) {
            engine.insertEntry(
                    lines.table(LineTable.ORDERS_BY_CUSTOMER),
                    LineTable.ORDERS_BY_CUSTOMER.key(
                            w,
                            table.column(tuple.key(), 1),
                            tuple.int64(lines.schema().orders.customer),
                            LineTable.MAX_ORDER - table.column(tuple.key(), 2)),
                    tuple);
        }
    }

    private static String text(byte[] bytes, int length) {
        return new String(bytes, 0, length, java.nio.charset.StandardCharsets.US_ASCII);
    }
}
