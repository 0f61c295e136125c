package org.namdb.sql.engine.bind;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.type.SqlType;

/// A subquery before it is planned.
public final class BoundSubquery extends Subquery {
    private final Relation relation;

    BoundSubquery(
            Form form,
            SqlType type,
            Relation relation,
            List<Scalar> tests,
            List<Scalar> arguments) {
        super(form, type, tests, arguments);
        this.relation = relation;
    }

    /// What the query means.
    public Relation relation() {
        return relation;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        throw new IllegalStateException("a subquery that is not planned");
    }

    @Override
    protected Scalar with(List<Scalar> newTests, List<Scalar> newArguments) {
        return new BoundSubquery(form(), type(), relation, newTests, newArguments);
    }
}
