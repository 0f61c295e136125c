package org.namdb.ycsb;

import org.namdb.compute.Session;
import org.namdb.compute.commit.AbortCause;
import org.namdb.fabric.VerbCounters;
import org.namdb.workload.driver.Pacing;
import org.namdb.workload.driver.Work;
import org.namdb.workload.statistics.CostSource;

/// One thread's operations on records in lines: each is an access to one record, and not a
/// transaction.
final class LineWork implements Work, CostSource {
    private final LineRecords records;
    private final OperationDraw draw;
    private final Pacing pacing;
    private final ReadChecks checks;
    private final int fields;
    private final int fieldBytes;

    LineWork(
            LineRecords records,
            YcsbOptions options,
            OperationDraw draw,
            Pacing pacing,
            ReadChecks checks) {
        this.records = records;
        this.draw = draw;
        this.pacing = pacing;
        this.checks = checks;
        this.fields = options.fields();
        this.fieldBytes = options.fieldBytes();
    }

    @Override
    public Pacing pacing() {
        return pacing;
    }

    @Override
    public void next() {
        draw.next();
    }

    @Override
    public Workload.Kind kind() {
        return draw.kind();
    }

    @Override
    public boolean run() {
        long key = draw.keyValue();
        switch (draw.operation()) {
            case READ -> found(records.read(key), true);
            case UPDATE -> found(records.update(key, draw.field(), draw.value(), false), false);
            case READ_MODIFY_WRITE ->
                    found(records.update(key, draw.field(), draw.value(), true), true);
            case INSERT -> insert(key);
            case SCAN -> throw new IllegalStateException("scans are for --store rows");
        }
        checks.messages(records.messages());
        checks.diskReads(records.diskReads());
        checks.committed();
        draw.committed();
        return false;
    }

    private void found(boolean isThere, boolean isRead) {
        if (!isThere) {
            checks.missing();
        } else if (isRead) {
            checks.found(
                    FieldText.isOf(draw.keyValue(), records.record(), draw.field() * fieldBytes));
        }
    }

    private void insert(long key) {
        for (int field = 0; field < fields; field++) {
            System.arraycopy(draw.nextField(), 0, records.record(), field * fieldBytes, fieldBytes);
        }
        records.insert(key);
    }

    @Override
    public CostSource costs(Session session) {
        return this;
    }

    @Override
    public VerbCounters counters() {
        return records.counters();
    }

    @Override
    public long retries() {
        return 0;
    }

    @Override
    public long outcomes(AbortCause cause) {
        return 0;
    }

    @Override
    public void close() {
        records.close();
    }
}
