package org.namdb.sql.engine.execute;

import java.util.ArrayList;
import java.util.List;
import org.namdb.sql.engine.bind.Field;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.Scalar;

/// Keys of whole tuples.
final class TupleKeys {
    private TupleKeys() {}

    static HashKey of(List<Field> fields) {
        List<Scalar> columns = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            columns.add(new ColumnScalar(i, fields.get(i).type(), fields.get(i).name()));
        }
        return HashKey.of(columns);
    }
}
