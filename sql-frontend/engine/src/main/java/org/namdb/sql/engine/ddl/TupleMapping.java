package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.RowMapping;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.StoredTypes;
import org.namdb.sql.engine.catalog.UniqueKey;
import org.namdb.sql.engine.ddl.TableDraft.DraftColumn;
import org.namdb.sql.engine.record.LongValue;
import org.namdb.sql.engine.record.LongValues;
import org.namdb.sql.engine.record.RowReader;
import org.namdb.sql.engine.record.RowWriter;

/// How a row of an altered table becomes one of the new table: columns that stay keep their values,
/// new ones get their DEFAULT.
final class TupleMapping implements RowMapping, AutoCloseable {
    private final DdlContext context;
    private final SqlTable old;
    private final TableDraft draft;
    private final RowReader reader;
    private final byte[] scratch;
    private final List<Supplier<@Nullable Object>> values = new ArrayList<>();

    /// What new generated columns are made of, by their places: the new row.
    private final Map<Integer, Function<@Nullable Object[], @Nullable Object>> generated =
            new LinkedHashMap<>();

    private final List<UniqueKey> keys;
    private final List<Entries> uniques = new ArrayList<>();
    private @Nullable Object[] source = {};

    /// The values of the new row's columns, and its row id if it has a hidden one.
    private final @Nullable Object[] tuple;

    private long rowId;

    private LongValues longValues;

    /// Reads long values that are converted; null as long as there are none.
    private @Nullable Session reading;

    private @Nullable Transaction snapshot;

    /// The table of a unique index, which is filled with the rows.
    ///
    /// @param name that of the index
    /// @param columns the numbers of the index's columns in the draft
    private record Entries(String name, Table table, List<Integer> columns) {}

    /// @param keys the unique keys whose tables are filled with the rows
    TupleMapping(DdlContext context, SqlTable old, TableDraft draft, List<UniqueKey> keys) {
        this.longValues = LongValues.of(old.longValues(), context::nextRowId);
        this.keys = keys;
        this.context = context;
        this.old = old;
        this.draft = draft;
        this.reader = new RowReader(old.columns());
        this.scratch = new byte[reader.scratchBytes()];
        for (DraftColumn column : draft.columns) {
            boolean isNew = column.isGenerated && column.oldNumber < 0;
            values.add(isNew ? () -> null : value(column));
            if (isNew) {
                String text = Objects.requireNonNull(column.defaultText);
                generated.put(
                        values.size() - 1,
                        context.generatedValues(
                                text, draft.name, GeneratedColumns.visible(draft), column.type));
            }
        }
        this.tuple = new @Nullable Object[values.size()];
    }

    /// @param beside the tables of the unique keys, and then that of the long values if the table
    ///     had none before
    @Override
    public void begin(List<Table> beside) {
        for (int i = 0; i < keys.size(); i++) {
            UniqueKey key = keys.get(i);
            List<Integer> columns = key.columns().stream().map(this::number).toList();
            uniques.add(new Entries(key.name(), beside.get(i), columns));
        }
        if (beside.size() > keys.size()) {
            longValues = LongValues.of(beside.getLast(), context::nextRowId);
        }
    }

    private int number(String column) {
        return draft.columns.indexOf(Objects.requireNonNull(draft.column(column)));
    }

    private Supplier<@Nullable Object> value(DraftColumn column) {
        int number = column.oldNumber;
        if (column.conversion != null) {
            Function<@Nullable Object[], @Nullable Object> conversion =
                    context.conversion(column.conversion, old, column.name, column.type);
            return () -> conversion.apply(complete());
        }
        if (number >= 0) {
            return () -> source[number];
        }
        String text = column.defaultText;
        if (column.identity != null) {
            return context.identityValues(column.identity.sequence(), column.type);
        }
        return text == null ? () -> null : context.defaultValues(text, column.type);
    }

    /// The old row with its long values, as conversions need them.
    private @Nullable Object[] complete() {
        if (!reader.isIncomplete(source)) {
            return source;
        }
        Transaction transaction = context.transaction();
        if (transaction == null) {
            transaction = snapshot;
            if (transaction == null) {
                reading = context.reservedSession();
                transaction = reading.begin();
                snapshot = transaction;
            }
        }
        return reader.complete(transaction, old.longValues(), source.clone());
    }

    /// Ends the reading of long values.
    @Override
    public void close() {
        Session session = reading;
        if (session != null) {
            session.rollback();
            session.close();
        }
    }

    @Override
    public void key(Row row, Key key) {
        source = reader.read(row, scratch);
        for (int i = 0; i < tuple.length; i++) {
            tuple[i] = values.get(i).get();
        }
        generate();
        if (draft.primaryKey.isEmpty()) {
            rowId = rowId();
            key.add(rowId);
        }
        for (String name : draft.primaryKey) {
            add(key, draft.primaryKeyName, number(name));
        }
    }

    private void generate() {
        if (generated.isEmpty()) {
            return;
        }
        @Nullable Object[] complete = complete();
        @Nullable Object[] whole = tuple.clone();
        for (int i = 0; i < whole.length; i++) {
            DraftColumn column = draft.columns.get(i);
            if (column.oldNumber >= 0 && column.conversion == null) {
                whole[i] = complete[column.oldNumber];
            }
        }
        generated.forEach((place, value) -> tuple[place] = value.apply(whole));
    }

    private void add(Key key, String index, int column) {
        RowWriter.add(key, index, Objects.requireNonNull(tuple[column]));
    }

    private long rowId() {
        Object known = old.hasHiddenKey() ? source[source.length - 1] : null;
        return known instanceof Long id ? id : context.nextRowId();
    }

    @Override
    public void columns(Row row, Row target) {
        List<Column> columns = target.table().schema().columns();
        for (int i = 0; i < tuple.length; i++) {
            if (!columns.get(i).inKey()) {
                boolean mayBeLong = StoredTypes.isLong(draft.columns.get(i).type);
                longValues.write(target, columns.get(i), mayBeLong, tuple[i]);
            }
        }
    }

    @Override
    public void others(Transaction transaction) {
        for (int place : reader.longPlaces()) {
            if (source[place] instanceof LongValue value && !isKept(value)) {
                longValues.free(value);
            }
        }
        longValues.flush(transaction);
        for (Entries entries : uniques) {
            if (entries.columns.stream().allMatch(column -> tuple[column] != null)) {
                insert(transaction, entries);
            }
        }
    }

    private boolean isKept(LongValue value) {
        for (Object each : tuple) {
            if (value.equals(each)) {
                return true;
            }
        }
        return false;
    }

    private void insert(Transaction transaction, Entries entries) {
        Key key = entries.table.newKey();
        entries.columns.forEach(column -> add(key, entries.name, column));
        Row entry = transaction.insert(entries.table, key);
        Column[] payload = entries.table.schema().payloadColumns();
        if (draft.primaryKey.isEmpty()) {
            entry.setInt64(payload[0], rowId);
        }
        for (int i = 0; i < draft.primaryKey.size(); i++) {
            RowWriter.write(entry, payload[i], tuple[number(draft.primaryKey.get(i))]);
        }
    }
}
