package org.namdb.sql.define;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Row;
import org.namdb.compute.RowMapping;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.catalog.SqlTable;
import org.namdb.sql.define.TableDraft.DraftColumn;
import org.namdb.sql.record.KeyWriter;
import org.namdb.sql.record.RowReader;
import org.namdb.sql.record.RowWriter;

/// How a row of an altered table becomes one of the new table: columns that stay keep their values, new ones get their DEFAULT.
final class TupleMapping implements RowMapping {
    private final DefinitionContext context;
    private final SqlTable old;
    private final TableDraft draft;
    private final RowReader reader;
    private final byte[] scratch;
    private final List<Supplier<@Nullable Object>> values = new ArrayList<>();
    private @Nullable Object[] source = {};

    TupleMapping(DefinitionContext context, SqlTable old, TableDraft draft) {
        this.context = context;
        this.old = old;
        this.draft = draft;
        this.reader = new RowReader(old.columns());
        this.scratch = new byte[reader.scratchBytes()];
        for (DraftColumn column : draft.columns) {
            values.add(value(column));
        }
    }

    private Supplier<@Nullable Object> value(DraftColumn column) {
        int number = column.oldNumber;
        if (number >= 0) {
            return () -> source[number];
        }
        String text = column.defaultText;
        return text == null ? () -> null : context.defaultValues(text, column.type);
    }

    @Override
    public void key(Row row, Key key) {
        source = reader.read(row, scratch);
        if (draft.primaryKey.isEmpty()) {
            key.add(rowId());
        }
        for (String name : draft.primaryKey) {
            int number = draft.columns.indexOf(Objects.requireNonNull(draft.column(name)));
            boolean isAdded = KeyWriter.add(key, Objects.requireNonNull(values.get(number).get()));
            assert isAdded : "a value of the key's type doesn't fit";
        }
    }

    private long rowId() {
        Object known = old.hasHiddenKey() ? source[source.length - 1] : null;
        return known instanceof Long id ? id : context.nextRowId();
    }

    @Override
    public void columns(Row row, Row target) {
        List<Column> columns = target.table().schema().columns();
        for (int i = 0; i < values.size(); i++) {
            if (!columns.get(i).inKey()) {
                RowWriter.write(target, columns.get(i), values.get(i).get());
            }
        }
    }
}
