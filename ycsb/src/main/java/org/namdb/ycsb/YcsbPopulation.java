package org.namdb.ycsb;

import java.util.Set;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.read.Row;
import org.namdb.mvcc.schema.Key;

/// Loads the records as rows of a table.
final class YcsbPopulation extends YcsbLoad<YcsbTables> {
    YcsbPopulation(YcsbOptions options) {
        super(options, "ycsb_load");
    }

    @Override
    public Set<String> tables() {
        return YcsbTables.NAMES;
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
    Records records(Session session, YcsbTables tables) {
        RecordNumbers numbers = numbers();
        return new Records() {
            @Override
            public void insert(int from, int end) {
                session.transact(tx -> {
                    FieldText text = text(from); // the transaction may be run again
                    Key key = tables.table.newKey();
                    for (int number = from; number < end; number++) {
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
            }

            @Override
            public void close() {}
        };
    }
}
