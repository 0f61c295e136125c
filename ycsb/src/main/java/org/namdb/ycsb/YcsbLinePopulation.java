package org.namdb.ycsb;

import java.util.Set;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;

/// Loads the records into lines.
final class YcsbLinePopulation extends YcsbLoad<YcsbLines> {
    YcsbLinePopulation(YcsbOptions options) {
        super(options, "ycsb_lines_load");
    }

    @Override
    public Set<String> tables() {
        return YcsbLines.NAMES;
    }

    @Override
    public YcsbLines create(NamDb db) {
        return YcsbLines.create(db, options);
    }

    @Override
    public YcsbLines open(NamDb db) {
        return YcsbLines.open(db, options);
    }

    @Override
    Records records(Session session, YcsbLines lines) {
        RecordNumbers numbers = numbers();
        LineRecords records = lines.records();
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
                                field * options.fieldBytes(),
                                options.fieldBytes());
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
}
