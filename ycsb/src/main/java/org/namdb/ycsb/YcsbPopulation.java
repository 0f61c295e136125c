package org.namdb.ycsb;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.read.Row;
import org.namdb.mvcc.schema.Key;
import org.namdb.workload.load.LoadMark;
import org.namdb.workload.load.LoadThreads;
import org.namdb.workload.load.MarkTable;
import org.namdb.workload.load.Population;
import org.namdb.workload.load.RowProgress;

/// The records that every run finds. The same seed gives the same ones.
final class YcsbPopulation implements Population<YcsbTables> {
    private static final String RECORDS = "records";
    private static final String FIELDS = "fields";
    private static final String FIELD_BYTES = "field_bytes";
    private static final MarkTable MARK =
            new MarkTable("ycsb_load", List.of(RECORDS, FIELDS, FIELD_BYTES));

    private static final int RECORDS_PER_PART = 2_000;
    private static final int RECORDS_PER_TRANSACTION = 50;

    private final YcsbOptions options;
    private final int parts;
    private final RowProgress progress;

    YcsbPopulation(YcsbOptions options) {
        this.options = options;
        this.parts = Math.ceilDiv(options.records(), RECORDS_PER_PART);
        this.progress = new RowProgress(options.records(), parts);
    }

    @Override
    public Set<String> tables() {
        return YcsbTables.NAMES;
    }

    @Override
    public MarkTable markTable() {
        return MARK;
    }

    @Override
    public Map<String, Integer> size() {
        Map<String, Integer> size = new LinkedHashMap<>();
        size.put(RECORDS, options.records());
        size.put(FIELDS, options.fields());
        size.put(FIELD_BYTES, options.fieldBytes());
        return size;
    }

    @Override
    public long expectedRows(LoadMark mark) {
        return mark.size(RECORDS);
    }

    @Override
    public boolean wantsOther(LoadMark mark) {
        return options.wantsOther(
                mark.size(RECORDS), mark.size(FIELDS), mark.size(FIELD_BYTES), mark.versions());
    }

    @Override
    public String options(LoadMark mark) {
        return "--records %d --fields %d --field-bytes %d --versions %d"
                .formatted(
                        mark.size(RECORDS),
                        mark.size(FIELDS),
                        mark.size(FIELD_BYTES),
                        mark.versions());
    }

    @Override
    public void learn(LoadMark mark) {
        options.learnLoad(
                mark.size(RECORDS), mark.size(FIELDS), mark.size(FIELD_BYTES), mark.versions());
    }

    @Override
    public YcsbTables create(NamDb db) {
        return YcsbTables.create(db, options);
    }

    @Override
    public YcsbTables open(NamDb db) {
        return YcsbTables.open(db, options.fields());
    }

    @Override
    public RowProgress progress() {
        return progress;
    }

    @Override
    public boolean load(NamDb db, YcsbTables tables, int threads, Instant now) {
        return LoadThreads.load(
                db, threads, parts, progress, session -> part -> load(session, tables, part));
    }

    private void load(Session session, YcsbTables tables, int part) {
        int first = part * RECORDS_PER_PART;
        int end = Math.min(first + RECORDS_PER_PART, options.records());
        RecordNumbers numbers = new RecordNumbers(options.records(), 0);
        for (int from = first;
                from < end && !progress.isStopped();
                from += RECORDS_PER_TRANSACTION) {
            int start = from;
            int stop = Math.min(from + RECORDS_PER_TRANSACTION, end);
            session.transact(tx -> {
                // The transaction may be run again, and then draws the same.
                FieldText text =
                        new FieldText(
                                options.fieldBytes(),
                                new SplittableRandom(options.seed() ^ RecordChooser.hash(start)));
                Key key = tables.table.newKey();
                for (int number = start; number < stop; number++) {
                    long value = numbers.key(number);
                    Row row = tx.insert(tables.table, key.set(value));
                    for (int field = 0; field < options.fields(); field++) {
                        row.setBytes(
                                tables.fields.get(field),
                                text.next(value),
                                0,
                                options.fieldBytes());
                    }
                }
                return true;
            });
            progress.addRows(stop - start);
        }
        if (!progress.isStopped()) {
            progress.finishPart();
        }
    }
}
