package org.namdb.ycsb;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.workload.load.LoadMark;
import org.namdb.workload.load.LoadThreads;
import org.namdb.workload.load.MarkTable;
import org.namdb.workload.load.Population;
import org.namdb.workload.load.RowProgress;

/// Loads the records that every run finds, into one of the stores. The same seed gives the same
/// ones.
///
/// @param <S> the store
abstract class YcsbLoad<S> implements Population<S>, AutoCloseable {
    private static final String RECORDS = "records";
    private static final String FIELDS = "fields";
    private static final String FIELD_BYTES = "field_bytes";

    private static final int RECORDS_PER_PART = 2_000;
    private static final int RECORDS_PER_TRANSACTION = 50;

    final YcsbOptions options;
    private final MarkTable mark;
    private final int parts;
    private final RowProgress progress;

    /// @param mark the name of the table with the load's mark
    YcsbLoad(YcsbOptions options, String mark) {
        this.mark = new MarkTable(mark, List.of(RECORDS, FIELDS, FIELD_BYTES));
        this.options = options;
        this.parts = Math.ceilDiv(options.records(), RECORDS_PER_PART);
        this.progress = new RowProgress(options.records(), parts);
    }

    @Override
    public MarkTable markTable() {
        return mark;
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
    public RowProgress progress() {
        return progress;
    }

    @Override
    public final boolean load(NamDb db, S tables, int threads, Instant now) {
        return LoadThreads.load(
                db, threads, parts, progress, session -> part -> load(session, tables, part));
    }

    private void load(Session session, S tables, int part) {
        int first = part * RECORDS_PER_PART;
        int end = Math.min(first + RECORDS_PER_PART, options.records());
        try (Records records = records(session, tables)) {
            for (int from = first;
                    from < end && !progress.isStopped();
                    from += RECORDS_PER_TRANSACTION) {
                int stop = Math.min(from + RECORDS_PER_TRANSACTION, end);
                records.insert(from, stop);
                progress.addRows(stop - from);
            }
        }
        if (!progress.isStopped()) {
            progress.finishPart();
        }
    }

    /// Where a part's records go.
    abstract Records records(Session session, S tables);

    /// What was opened besides the database is closed, when the run has ended.
    @Override
    public void close() {}

    /// Inserts records into lines or pages.
    ///
    /// @param records a thread's, which are closed
    final Records into(LineRecords records) {
        RecordNumbers numbers = numbers();
        int fieldBytes = options.fieldBytes();
        return new Records() {
            @Override
            public void insert(int from, int end) {
                FieldText text = text(from);
                for (int number = from; number < end; number++) {
                    long key = numbers.key(number);
                    for (int field = 0; field < options.fields(); field++) {
                        System.arraycopy(
                                text.next(key),
                                0,
                                records.record(),
                                field * fieldBytes,
                                fieldBytes);
                    }
                    records.insert(key);
                }
            }

            @Override
            public void close() {
                records.close();
            }
        };
    }

    /// Inserts records; belongs to one thread.
    interface Records extends AutoCloseable {
        /// Inserts those from number `from` to `end`.
        void insert(int from, int end);

        @Override
        void close();
    }

    /// The texts of the records from number `from` on, the same ones each time.
    final FieldText text(int from) {
        return new FieldText(
                options.fieldBytes(),
                new SplittableRandom(options.seed() ^ RecordChooser.hash(from)));
    }

    /// The numbers of the records that every run finds.
    final RecordNumbers numbers() {
        return new RecordNumbers(options.records(), 0);
    }
}
