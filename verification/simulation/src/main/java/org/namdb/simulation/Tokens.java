package org.namdb.simulation;

import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.namdb.compute.NamDb;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.Rows;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// A fixed number of tokens on more places than there are tokens. Transactions move them (a delete
/// and an insert), give them another color and trade their weights (updates of indexed columns). So
/// in every snapshot, however it is read, there are as many tokens as ever, with the same sum of
/// weights.
final class Tokens {
    private static final String NAME = "tokens";
    private static final String BY_COLOR = "tokens_by_color";
    private static final String BY_WEIGHT = "tokens_by_weight";
    private static final int COLORS = 3;

    /// Nodes of a dozen entries, so that leaves are split and merged.
    private static final String SMALL_NODES = "256";

    private final Table table;
    private final Index byColor;
    private final Index byWeight;
    private final Column color;
    private final Column weight;
    private final Key place;
    private final Rows found = new Rows();
    private final int count;
    private final int places;

    private Tokens(Table table, int count) {
        this.table = table;
        this.byColor = index(table, BY_COLOR);
        this.byWeight = index(table, BY_WEIGHT);
        this.color = table.column("color");
        this.weight = table.column("weight");
        this.place = table.newKey();
        this.count = count;
        this.places = places(count);
    }

    /// Makes the table and its indexes, and puts the tokens on the first places.
    ///
    /// @param expectedRows for how many rows the table is made
    /// @param ordered the properties of its ordered index
    static void create(
            NamDb db,
            int count,
            int expectedRows,
            int versions,
            boolean inlined,
            Map<String, String> ordered) {
        Table table =
                db.createTable(
                        TableDefinition.named(NAME)
                                .column("place", ColumnType.INT64)
                                .column("color", ColumnType.INT64)
                                .column("weight", ColumnType.INT64)
                                .primaryKey("place")
                                .expectedRows(expectedRows)
                                .bucketRecords(2)
                                .versions(versions)
                                .inlined(inlined)
                                .build());
        db.createIndex(IndexDefinition.hash(BY_COLOR, NAME, "color"));
        IndexDefinition byWeight = IndexDefinition.ordered(BY_WEIGHT, NAME, "weight");
        for (Map.Entry<String, String> property : ordered.entrySet()) {
            byWeight = byWeight.property(property.getKey(), property.getValue());
        }
        if (!ordered.isEmpty()) {
            byWeight = byWeight.property(IndexDefinition.NODE_BYTES, SMALL_NODES);
        }
        boolean isByRange = byWeight.isByRange(); // its ranges come from the rows
        if (!isByRange) {
            db.createIndex(byWeight);
        }
        db.transact(transaction -> {
            for (int token = 0; token < count; token++) {
                transaction
                        .insert(table, table.newKey().set(token))
                        .setInt64(table.column("color"), token % COLORS)
                        .setInt64(table.column("weight"), weightOf(token));
            }
            return true;
        });
        if (isByRange) {
            db.createIndex(byWeight);
        }
    }

    /// The tokens of a database, for one thread.
    static Tokens of(NamDb db, int count) {
        return new Tokens(Objects.requireNonNull(db.findTable(NAME), NAME), count);
    }

    /// One transaction's worth of change.
    boolean change(Transaction transaction, SplittableRandom random) {
        Row one = transaction.read(table, place.set(random.nextInt(places)));
        if (one == null) {
            return false;
        }
        long oneWeight = one.int64(weight);
        switch (random.nextInt(3)) {
            case 0 -> move(transaction, one, oneWeight, random.nextInt(places));
            case 1 -> one.setInt64(color, random.nextInt(COLORS));
            default -> {
                Row other = transaction.read(table, place.set(random.nextInt(places)));
                if (other != null && other != one) {
                    one.setInt64(weight, other.int64(weight));
                    other.setInt64(weight, oneWeight);
                }
            }
        }
        return true;
    }

    private void move(Transaction transaction, Row token, long itsWeight, long to) {
        if (transaction.read(table, place.set(to)) == null) {
            long itsColor = token.int64(color);
            transaction.delete(token);
            transaction
                    .insert(table, place.set(to))
                    .setInt64(color, itsColor)
                    .setInt64(weight, itsWeight);
        }
    }

    /// Reads all tokens in every way there is.
    ///
    /// @throws IllegalStateException if they are not all there, exactly once
    boolean audit(Transaction transaction) {
        List<Tally> tallies =
                List.of(scan(transaction), range(transaction, true), lookups(transaction));
        for (Tally tally : tallies) {
            tally.requireAll();
        }
        range(transaction, false).requireAll();
        scan(transaction).requireAll();
        BitSet first = tallies.getFirst().places;
        for (Tally tally : tallies) {
            if (!tally.places.equals(first)) {
                throw new IllegalStateException(
                        "%s finds tokens on %s, the first scan on %s"
                                .formatted(tally.how, tally.places, first));
            }
        }
        for (int at = first.nextSetBit(0); at >= 0; at = first.nextSetBit(at + 1)) {
            if (transaction.read(table, place.set(at)) == null) {
                throw new IllegalStateException(
                        "a scan finds a token on %d, a read does not".formatted(at));
            }
        }
        return true;
    }

    private Tally scan(Transaction transaction) {
        Tally tally = new Tally("a scan");
        TableScan scan = transaction.scan(table, table.schema().all());
        for (Row row = scan.next(); row != null; row = scan.next()) {
            tally.add(row);
        }
        return tally;
    }

    private Tally range(Transaction transaction, boolean ascending) {
        Tally tally = new Tally(ascending ? "the ordered index" : "the ordered index, backwards");
        Key all = byWeight.newKey();
        RowCursor cursor =
                ascending
                        ? transaction.ascending(byWeight, table, all, all, table.schema().all())
                        : transaction.descending(byWeight, table, all, all, table.schema().all());
        for (Row row = cursor.next(); row != null; row = cursor.next()) {
            tally.add(row);
        }
        return tally;
    }

    private Tally lookups(Transaction transaction) {
        Tally tally = new Tally("the hashed index");
        for (int wanted = 0; wanted < COLORS; wanted++) {
            transaction.lookup(
                    byColor, table, byColor.newKey().set(wanted), table.schema().all(), found);
            for (int i = 0; i < found.size(); i++) {
                if (found.row(i).int64(color) != wanted) {
                    throw new IllegalStateException(
                            "a lookup of color %d finds %d"
                                    .formatted(wanted, found.row(i).int64(color)));
                }
                tally.add(found.row(i));
            }
        }
        return tally;
    }

    private static Index index(Table table, String name) {
        return table.indexes().stream()
                .filter(index -> index.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static int places(int tokens) {
        return 2 * tokens;
    }

    private static long weightOf(int token) {
        return 1L << token % 40;
    }

    /// What one way to read the tokens has found.
    private final class Tally {
        private final String how;
        private final BitSet places = new BitSet();
        private int tokens;
        private long sum;

        Tally(String how) {
            this.how = how;
        }

        void add(Row row) {
            long at = row.int64(table.column("place"));
            if (places.get((int) at)) {
                throw new IllegalStateException(
                        "%s finds the token on %d twice".formatted(how, at));
            }
            places.set((int) at);
            tokens++;
            sum += row.int64(weight);
        }

        void requireAll() {
            long expected = 0;
            for (int token = 0; token < count; token++) {
                expected += weightOf(token);
            }
            if (tokens != count || sum != expected) {
                throw new IllegalStateException(
                        "%s finds %d tokens of weight %d, not %d of weight %d"
                                .formatted(how, tokens, sum, count, expected));
            }
        }
    }
}
