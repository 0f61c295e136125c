package org.namdb.tpcc.lines;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.namdb.cache.engine.ConcurrencyControl;
import org.namdb.cache.engine.EngineInUseException;
import org.namdb.cache.engine.HeapTable;
import org.namdb.cache.engine.TupleSession;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cache.tree.LineTree;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.tpcc.schema.TpccSchema;
import org.namdb.workload.load.UnusableDatabaseException;

/// The tables on lines; for all threads. A table of rows has the addresses of their trees and of
/// the engine's line, and the empty tables of rows have their columns.
public final class TpccLines {
    /// The table of addresses.
    static final String NAME = "tpcc_lines";

    /// The number of the engine's line among the addresses.
    private static final int OWN_LINE = LineTable.values().length;

    private final NamDb db;
    private final TpccSchema schema;
    private final List<HeapTable> tables;
    private final long ownLine;

    private TpccLines(NamDb db, TpccSchema schema, List<Long> addresses) {
        this.db = db;
        this.schema = schema;
        this.ownLine = addresses.get(OWN_LINE);
        List<HeapTable> found = new ArrayList<>();
        for (LineTable table : LineTable.values()) {
            int bytes = table.isIndex() ? 0 : db.table(table.tableName()).schema().payloadBytes();
            found.add(new HeapTable(table.ordinal(), addresses.get(table.ordinal()), bytes));
        }
        this.tables = List.copyOf(found);
    }

    /// Makes empty ones.
    ///
    /// @throws IllegalStateException if this compute server has no lines
    /// @throws UnusableDatabaseException if its lines are too short
    static TpccLines create(NamDb db, TpccSchema schema) {
        List<Long> addresses = new ArrayList<>();
        try (LineSession lines = db.lines();
                Session session = db.session()) {
            long ownLine = TupleSession.createLine(lines);
            for (LineTable _ : LineTable.values()) {
                addresses.add(LineTree.create(lines));
            }
            addresses.add(ownLine);
            Table table =
                    db.createTable(
                            TableDefinition.named(NAME)
                                    .column("number", ColumnType.INT32)
                                    .column("address", ColumnType.INT64)
                                    .primaryKey("number")
                                    .expectedRows(addresses.size())
                                    .build());
            session.transact(tx -> {
                for (int i = 0; i < addresses.size(); i++) {
                    tx.insert(table, table.newKey().set(i))
                            .setInt64(table.column("address"), addresses.get(i));
                }
                return true;
            });
        } catch (IllegalArgumentException e) {
            throw new UnusableDatabaseException(String.valueOf(e.getMessage()));
        }
        TpccLines created = new TpccLines(db, schema, addresses);
        created.open(ConcurrencyControl.TWO_PHASE_LOCKING).close(); // tuples fit in lines
        return created;
    }

    /// Opens what was loaded.
    static TpccLines open(NamDb db, TpccSchema schema) {
        Table table = db.table(NAME);
        try (Session session = db.session()) {
            List<Long> addresses =
                    session.transact(tx -> {
                        List<Long> found = new ArrayList<>();
                        for (int i = 0; i <= OWN_LINE; i++) {
                            Row row = tx.read(table, table.newKey().set(i));
                            found.add(
                                    Objects.requireNonNull(row, NAME)
                                            .int64(table.column("address")));
                        }
                        return found;
                    });
            return new TpccLines(db, schema, addresses);
        }
    }

    /// The columns of the tables.
    TpccSchema schema() {
        return schema;
    }

    HeapTable table(LineTable table) {
        return tables.get(table.ordinal());
    }

    /// A thread's transactions, which it closes.
    ///
    /// @throws UnusableDatabaseException if other compute servers use another kind of control, or
    ///     check for longer than a minute, or if lines are too short
    TupleSession open(ConcurrencyControl control) {
        return usable(() -> new TupleSession(db.lines(), control, ownLine, tables));
    }

    /// Reads while no transactions run: waits for those of all compute servers.
    ///
    /// @throws UnusableDatabaseException if they run for longer than a minute
    TupleSession openCheck() {
        return usable(() -> TupleSession.checking(db.lines(), ownLine, tables));
    }

    private static TupleSession usable(Supplier<TupleSession> opening) {
        try {
            return opening.get();
        } catch (EngineInUseException | IllegalArgumentException e) {
            throw new UnusableDatabaseException(String.valueOf(e.getMessage()));
        }
    }
}
