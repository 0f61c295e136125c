package org.namdb.sql.engine.change;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.KeyTooLongException;
import org.namdb.mvcc.schema.Projection;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.record.KeyLengths;
import org.namdb.sql.engine.record.LongValues;
import org.namdb.sql.engine.record.RowReader;
import org.namdb.sql.engine.record.RowWriter;
import org.namdb.sql.engine.spill.TupleList;
import org.namdb.sql.language.error.ErrorObject;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Changes rows of one table, with their entries in unique indexes, in batches: what must be read
/// is read for a whole batch in one round trip. Used by one statement.
public final class TableWriter {
    /// The rows of a batch.
    public static final int BATCH = 256;

    private final StatementChanges statement;
    private final Transaction transaction;
    private final SqlTable table;
    private final TableConstraints constraints;
    private final List<UniqueEntries> uniques = new ArrayList<>();
    private final Key key;
    private final Projection all;
    private final LongValues longValues;

    /// The number of the tuple that is being inserted.
    private int at;

    /// Whether ON CONFLICT may change rows, and those that it must not touch again, as it has
    /// inserted or changed them.
    private boolean isTouching;

    private final KeySet touched;

    TableWriter(StatementChanges statement, SqlTable table, TableConstraints constraints) {
        this.statement = statement;
        this.transaction = statement.transaction();
        this.table = table;
        this.constraints = constraints;
        this.key = table.stored().newKey();
        this.all = table.stored().schema().all();
        this.longValues = LongValues.of(table, statement.context()::nextRowId);
        this.touched = new KeySet(transaction, key.layout().words());
        for (SqlIndex index : table.indexes()) {
            if (index.isUnique()) {
                uniques.add(new UniqueEntries(table, index));
            }
        }
    }

    /// Inserts rows; gives those a row id that need one.
    ///
    /// @param tuples the values of all columns
    /// @param policy what to do where there is such a row already; null to refuse it
    /// @return the tuples that were inserted, or changed instead
    /// @throws SqlException 23502, 23514, 23505, 54000
    public List<@Nullable Object[]> insert(
            List<@Nullable Object[]> tuples, @Nullable ConflictPolicy policy) {
        List<@Nullable Object[]> done = new ArrayList<>(tuples.size());
        isTouching = policy != null && !policy.isDoNothing();
        for (int from = 0; from < tuples.size(); from += BATCH) {
            List<@Nullable Object[]> batch =
                    tuples.subList(from, Math.min(tuples.size(), from + BATCH));
            insertBatch(from, batch, policy, done);
            transaction.packIfMany();
            statement.context().progress().wrote(batch.size());
        }
        return done;
    }

    /// The rows that ON CONFLICT DO UPDATE would change, as long as nothing of the statement is
    /// written.
    ///
    /// @return for each tuple the row that is in its way; null if there is none
    List<@Nullable Object @Nullable []> inTheWay(
            List<@Nullable Object[]> tuples, ConflictPolicy policy) {
        List<@Nullable Object @Nullable []> found = new ArrayList<>(tuples.size());
        for (int from = 0; from < tuples.size(); from += BATCH) {
            int to = Math.min(tuples.size(), from + BATCH);
            inTheWay(tuples.subList(from, to), policy, found);
        }
        return found;
    }

    private void inTheWay(
            List<@Nullable Object[]> batch,
            ConflictPolicy policy,
            List<@Nullable Object @Nullable []> found) {
        @Nullable Row[] rows = new @Nullable Row[batch.size()];
        List<@Nullable Row> entries = new ArrayList<>();
        for (int i = 0; i < rows.length; i++) {
            @Nullable Object[] tuple = batch.get(i);
            if (!table.hasHiddenKey() && UniqueEntries.isWhole(table.primaryKey(), tuple)) {
                rows[i] = post(tuple, all);
            }
            for (UniqueEntries unique : uniques) {
                entries.add(unique.post(transaction, tuple));
            }
        }
        transaction.await();
        for (int i = 0; i < rows.length; i++) {
            int conflict = conflict(policy, rows[i], entries, i * uniques.size());
            boolean isMeant =
                    conflict == PRIMARY_KEY && policy.covers(null)
                            || conflict >= 0 && policy.covers(uniques.get(conflict).index());
            Row row = isMeant ? existing(conflict, rows[i], entries, i) : null;
            found.add(row == null ? null : tuple(row));
        }
    }

    private @Nullable Object[] tuple(Row row) {
        RowReader reader = new RowReader(table.columns());
        return reader.complete(transaction, table.longValues(), reader.read(row));
    }

    /// The statement has changed all that it changes.
    void finish() {
        touched.clear();
    }

    /// The number of the tuple at which [#insert] has failed.
    int at() {
        return at;
    }

    /// Changes rows.
    ///
    /// @param olds the rows as they are, each once
    /// @param news the rows as they will be
    /// @throws SqlException 23502, 23514, 23505, 54000
    public void update(List<@Nullable Object[]> olds, List<@Nullable Object[]> news) {
        int count = olds.size();
        if (count <= BATCH) {
            putBack(olds, news, takeAway(olds, news));
            return;
        }
        for (int from = 0; from < count; from += BATCH) {
            int to = Math.min(count, from + BATCH);
            Row[] _ = takeAway(olds.subList(from, to), news.subList(from, to));
            pack();
        }
        for (int from = 0; from < count; from += BATCH) {
            int to = Math.min(count, from + BATCH);
            List<@Nullable Object[]> some = olds.subList(from, to);
            putBack(some, news.subList(from, to), post(some)); // the transaction knows them
        }
    }

    /// The same, where rows need not fit into memory.
    ///
    /// @param pairs each row as it is, with the row as it will be behind it
    void updateTogether(TupleList pairs) {
        long _ =
                ChangeTarget.inBatches(
                        pairs.read(),
                        batch -> {
                            Row[] _ = takeAway(olds(batch), news(batch));
                            pack();
                            return batch.size();
                        });
        long _ =
                ChangeTarget.inBatches(
                        pairs.read(),
                        batch -> {
                            List<@Nullable Object[]> olds = olds(batch);
                            putBack(olds, news(batch), post(olds)); // the transaction knows them
                            return batch.size();
                        });
    }

    /// The first halves of pairs.
    static List<@Nullable Object[]> olds(List<@Nullable Object[]> pairs) {
        List<@Nullable Object[]> olds = new ArrayList<>(pairs.size());
        for (@Nullable Object[] pair : pairs) {
            olds.add(Arrays.copyOf(pair, pair.length / 2));
        }
        return olds;
    }

    /// Their second halves.
    static List<@Nullable Object[]> news(List<@Nullable Object[]> pairs) {
        List<@Nullable Object[]> news = new ArrayList<>(pairs.size());
        for (@Nullable Object[] pair : pairs) {
            news.add(Arrays.copyOfRange(pair, pair.length / 2, pair.length));
        }
        return news;
    }

    /// Between two batches: no row of the one before is used any more, unless this is a part of an
    /// insert, which goes on with its own.
    private void pack() {
        if (!isTouching) {
            transaction.packIfMany();
        }
    }

    /// Deletes rows; those that are deleted already are left out.
    ///
    /// @param tuples the rows as they are
    /// @return how many were deleted
    public long delete(List<@Nullable Object[]> tuples) {
        long count = 0;
        for (int from = 0; from < tuples.size(); from += BATCH) {
            List<@Nullable Object[]> batch =
                    tuples.subList(from, Math.min(tuples.size(), from + BATCH));
            transaction.checkCancelled();
            statement.context().progress().wrote(batch.size());
            Row[] rows = new Row[batch.size()];
            List<@Nullable Row> entries = new ArrayList<>();
            for (int i = 0; i < rows.length; i++) {
                rows[i] = post(batch.get(i), all);
                for (UniqueEntries unique : uniques) {
                    entries.add(unique.post(transaction, batch.get(i)));
                }
            }
            transaction.await();
            for (int i = 0; i < rows.length; i++) {
                if (rows[i].exists()) {
                    longValues.deleted(rows[i]);
                    transaction.delete(rows[i]);
                    count++;
                    for (int u = 0; u < uniques.size(); u++) {
                        deleteEntry(entries.get(i * uniques.size() + u));
                    }
                    statement.references().deleted(table, batch.get(i));
                }
            }
            longValues.flush(transaction);
            pack();
        }
        return count;
    }

    private void insertBatch(
            int from,
            List<@Nullable Object[]> batch,
            @Nullable ConflictPolicy policy,
            List<@Nullable Object[]> done) {
        transaction.checkCancelled();
        @Nullable Row[] rows = new @Nullable Row[batch.size()];
        List<@Nullable Row> entries = new ArrayList<>();
        for (int i = 0; i < rows.length; i++) {
            at = from + i;
            @Nullable Object[] tuple = batch.get(i);
            if (table.hasHiddenKey()) {
                tuple[tuple.length - 1] = statement.context().nextRowId();
            }
            constraints.check(statement.frame(), tuple);
            if (!table.hasHiddenKey()) {
                // DO UPDATE reads the whole row: here, as it may be the one.
                rows[i] = post(tuple, policy == null ? table.stored().schema().nothing() : all);
            }
            for (UniqueEntries unique : uniques) {
                entries.add(unique.post(transaction, tuple));
            }
        }
        transaction.await();
        for (int i = 0; i < rows.length; i++) {
            at = from + i;
            @Nullable Object[] tuple = batch.get(i);
            int conflict = conflict(policy, rows[i], entries, i * uniques.size());
            if (conflict == NO_CONFLICT) {
                insertRow(tuple);
                done.add(tuple);
            } else {
                @Nullable Object[] changed = resolve(policy, conflict, rows[i], entries, i, tuple);
                if (changed != null) {
                    done.add(changed);
                }
            }
        }
    }

    private static final int NO_CONFLICT = -2;
    private static final int PRIMARY_KEY = -1;

    /// The number of the unique index that has the values already: first of those that the policy
    /// covers, as what it does may end the other conflicts.
    private int conflict(
            @Nullable ConflictPolicy policy,
            @Nullable Row row,
            List<@Nullable Row> entries,
            int first) {
        int other = NO_CONFLICT;
        if (row != null && row.exists()) {
            if (policy == null || policy.covers(null)) {
                return PRIMARY_KEY;
            }
            other = PRIMARY_KEY;
        }
        for (int u = 0; u < uniques.size(); u++) {
            Row entry = entries.get(first + u);
            if (entry != null && entry.exists()) {
                if (policy == null || policy.covers(uniques.get(u).index())) {
                    return u;
                }
                other = other == NO_CONFLICT ? u : other;
            }
        }
        return other;
    }

    private @Nullable Object @Nullable [] resolve(
            @Nullable ConflictPolicy policy,
            int conflict,
            @Nullable Row row,
            List<@Nullable Row> entries,
            int number,
            @Nullable Object[] tuple) {
        SqlIndex index = conflict == PRIMARY_KEY ? null : uniques.get(conflict).index();
        if (policy == null || !policy.covers(index)) {
            throw duplicate(index, tuple);
        }
        if (policy.isDoNothing()) {
            return null;
        }
        Row target = existing(conflict, row, entries, number);
        @Nullable Object[] old = tuple(target);
        fillKey(old);
        if (touched.contains(key)) {
            throw ConflictPlan.secondTime();
        }
        @Nullable Object @Nullable [] changed = policy.changed(old, tuple);
        if (changed != null) {
            update(List.<@Nullable Object[]>of(old), List.<@Nullable Object[]>of(changed));
            fillKey(changed);
            touched.add(key);
        }
        return changed;
    }

    /// The row that is there already.
    private Row existing(int conflict, @Nullable Row row, List<@Nullable Row> entries, int number) {
        if (conflict == PRIMARY_KEY) {
            return Objects.requireNonNull(row);
        }
        Row entry = entries.get(number * uniques.size() + conflict);
        Row existing = post(uniques.get(conflict).keyOf(Objects.requireNonNull(entry)), all);
        transaction.await();
        return existing;
    }

    private void insertRow(@Nullable Object[] tuple) {
        Row row = newRow(tuple);
        if (isTouching) {
            touched.add(key);
        }
        for (int i = 0; i < tuple.length; i++) {
            SqlColumn column = table.columns().get(i);
            if (!column.stored().inKey()) {
                longValues.write(row, column, tuple[i]);
            }
        }
        longValues.flush(transaction);
        for (UniqueEntries unique : uniques) {
            if (UniqueEntries.isWhole(unique.index().columns(), tuple)) {
                unique.insert(transaction, tuple);
            }
        }
        statement.references().inserted(table, tuple);
    }

    private Row newRow(@Nullable Object[] tuple) {
        fillKey(tuple);
        try {
            return transaction.insert(table.stored(), key);
        } catch (KeyTooLongException e) {
            throw KeyLengths.tooLong(e, table.primaryKeyName());
        }
    }

    /// Reads the rows of a batch that are changed, and deletes those whose key changes, and the
    /// entries that change.
    private Row[] takeAway(List<@Nullable Object[]> olds, List<@Nullable Object[]> news) {
        transaction.checkCancelled(); // what it knows of the rows needs no wait
        for (@Nullable Object[] tuple : news) {
            constraints.check(statement.frame(), tuple);
        }
        List<@Nullable Row> entries = new ArrayList<>();
        Row[] rows = post(olds);
        for (int i = 0; i < rows.length; i++) {
            for (UniqueEntries unique : uniques) {
                if (entryChanges(unique, olds.get(i), news.get(i))) {
                    entries.add(unique.post(transaction, olds.get(i)));
                }
            }
        }
        transaction.await();
        entries.forEach(this::deleteEntry);
        for (int i = 0; i < rows.length; i++) {
            if (keyChanges(olds.get(i), news.get(i))) {
                longValues.moved(rows[i], news.get(i));
                transaction.delete(rows[i]);
            }
        }
        longValues.flush(transaction);
        return rows;
    }

    /// Changes the rows of a batch in place, inserts those whose key has changed, and the entries
    /// that have.
    private void putBack(List<@Nullable Object[]> olds, List<@Nullable Object[]> news, Row[] rows) {
        transaction.checkCancelled();
        List<@Nullable Row> entries = new ArrayList<>();
        @Nullable Row[] places = new @Nullable Row[rows.length];
        for (int i = 0; i < rows.length; i++) {
            if (keyChanges(olds.get(i), news.get(i))) {
                places[i] = post(news.get(i), table.stored().schema().nothing());
            }
            for (UniqueEntries unique : uniques) {
                boolean changes = entryChanges(unique, olds.get(i), news.get(i));
                entries.add(changes ? unique.post(transaction, news.get(i)) : null);
            }
        }
        transaction.await();
        for (int i = 0; i < rows.length; i++) {
            @Nullable Object[] tuple = news.get(i);
            int conflict = conflict(null, places[i], entries, i * uniques.size());
            if (conflict != NO_CONFLICT) {
                throw duplicate(
                        conflict == PRIMARY_KEY ? null : uniques.get(conflict).index(), tuple);
            }
            put(olds.get(i), tuple, rows[i]);
            statement.references().updated(table, olds.get(i), tuple);
        }
        pack();
        statement.context().progress().wrote(rows.length);
    }

    private void put(@Nullable Object[] old, @Nullable Object[] tuple, Row row) {
        boolean isMoved = keyChanges(old, tuple);
        Row target = row;
        if (isMoved) {
            target = newRow(tuple);
        }
        for (int i = 0; i < tuple.length; i++) {
            SqlColumn column = table.columns().get(i);
            if (!column.stored().inKey() && (isMoved || !Objects.equals(old[i], tuple[i]))) {
                if (!isMoved) {
                    longValues.replaced(target, column);
                }
                longValues.write(target, column, tuple[i]);
            }
        }
        longValues.flush(transaction);
        if (!isMoved) {
            transaction.lock(target); // an UPDATE that sets what is there already is a write, too
        }
        for (UniqueEntries unique : uniques) {
            if (entryChanges(unique, old, tuple)
                    && UniqueEntries.isWhole(unique.index().columns(), tuple)) {
                unique.insert(transaction, tuple);
            }
        }
    }

    private boolean keyChanges(@Nullable Object[] old, @Nullable Object[] tuple) {
        return differ(table.primaryKey(), old, tuple);
    }

    private boolean entryChanges(
            UniqueEntries unique, @Nullable Object[] old, @Nullable Object[] tuple) {
        return differ(unique.index().columns(), old, tuple) || keyChanges(old, tuple);
    }

    static boolean differ(List<Integer> columns, @Nullable Object[] old, @Nullable Object[] tuple) {
        for (int column : columns) {
            if (!Objects.equals(old[column], tuple[column])) {
                return true;
            }
        }
        return false;
    }

    private void deleteEntry(@Nullable Row entry) {
        if (entry != null && entry.exists()) {
            transaction.delete(entry);
        }
    }

    private Row[] post(List<@Nullable Object[]> tuples) {
        Row[] rows = new Row[tuples.size()];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = post(tuples.get(i), all);
        }
        return rows;
    }

    private Row post(@Nullable Object[] tuple, Projection projection) {
        fillKey(tuple);
        return transaction.post(table.stored(), key, projection);
    }

    private void fillKey(@Nullable Object[] tuple) {
        key.clear();
        for (int number : table.primaryKey()) {
            RowWriter.add(key, table.primaryKeyName(), Objects.requireNonNull(tuple[number]));
        }
    }

    /// The error of a second row with the same values.
    private SqlException duplicate(@Nullable SqlIndex index, @Nullable Object[] tuple) {
        String name = index == null ? table.primaryKeyName() : index.name();
        List<Integer> columns = index == null ? table.primaryKey() : index.columns();
        return new SqlException(
                        SqlState.UNIQUE_VIOLATION,
                        "duplicate key value violates unique constraint \"" + name + "\"")
                .about(ErrorObject.constraint(table.name(), name))
                .withDetail("Key " + KeyText.of(table, columns, tuple) + " already exists.");
    }
}
