package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.language.type.SqlType;

/// Gives a relation's columns other types.
final class Align {
    private Align() {}

    /// The relation with columns of these types; the same where they agree already.
    static Relation to(List<SqlType> types, Relation relation, BindContext context) {
        boolean agrees = true;
        for (int i = 0; i < types.size(); i++) {
            agrees &= relation.fields().get(i).type().equals(types.get(i));
        }
        if (agrees) {
            return relation;
        }
        // Casts right at the values, where there are some: so parameters get their types.
        if (relation instanceof Relation.Projected projected) {
            return projected(types, projected.input(), projected.values(), relation, context);
        }
        List<Scalar> columns = new ArrayList<>();
        relation.fields().forEach(field -> columns.add(field.scalar()));
        return projected(types, relation, columns, relation, context);
    }

    /// The relation with text in place of columns whose type nothing in the query determines.
    static Relation withoutUnknown(Relation relation, BindContext context) {
        return to(
                relation.fields().stream().map(field -> known(field.type())).toList(),
                relation,
                context);
    }

    private static SqlType known(SqlType type) {
        return type.kind() == SqlType.Kind.UNKNOWN ? SqlType.TEXT : type;
    }

    private static Relation projected(
            List<SqlType> types,
            Relation input,
            List<Scalar> values,
            Relation named,
            BindContext context) {
        List<Scalar> cast = new ArrayList<>();
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            cast.add(
                    values.get(i).type().equals(types.get(i))
                            ? values.get(i)
                            : Casts.implicit(values.get(i), types.get(i)));
            fields.add(context.field(named.fields().get(i).name(), types.get(i)));
        }
        return new Relation.Projected(input, cast, fields);
    }
}
