package org.namdb.sql.engine.expression.text;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Constants;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;

/// `a [NOT] LIKE pattern`, or ILIKE. A constant pattern is compiled once.
public final class LikeScalar extends Scalar {
    private final List<Scalar> operands;
    private final Scalar operand;
    private final Scalar pattern;
    private final @Nullable Scalar escape;
    private final boolean isNegated;
    private final boolean ignoresCase;
    private final @Nullable LikePattern compiled;

    /// @param operands the text, the pattern and perhaps the escape character
    public LikeScalar(List<Scalar> operands, boolean isNegated, boolean ignoresCase) {
        super(SqlType.BOOLEAN);
        this.operands = List.copyOf(operands);
        operand = operands.get(0);
        pattern = operands.get(1);
        escape = operands.size() > 2 ? operands.get(2) : null;
        this.isNegated = isNegated;
        this.ignoresCase = ignoresCase;
        compiled = compiledIfConstant();
    }

    private @Nullable LikePattern compiledIfConstant() {
        boolean isConstant =
                pattern instanceof ConstantScalar
                        && (escape == null || escape instanceof ConstantScalar);
        if (!isConstant) {
            return null;
        }
        Object text = ((ConstantScalar) pattern).value();
        Object character = escape == null ? "\\" : ((ConstantScalar) escape).value();
        return text == null || character == null
                ? null
                : LikePattern.compile((String) text, (String) character, ignoresCase);
    }

    /// What all matches begin with: a constant, or an expression of the pattern. Null if they begin
    /// with nothing that is known, or NULL is.
    public @Nullable Scalar start() {
        if (isNegated || ignoresCase) {
            return null;
        }
        Scalar start = Constants.fold(new PrefixScalar(operands.subList(1, operands.size())));
        return start instanceof ConstantScalar known
                        && (known.value() == null || known.value().equals(""))
                ? null
                : start;
    }

    /// Whether all texts match that begin with [#start]; not known before the pattern is.
    public boolean isWholeStart() {
        return compiled != null && compiled.isPrefix();
    }

    /// Whether the pattern is known to have no wildcard, so that only the text matches that it is.
    public boolean isEquality() {
        return compiled != null && compiled.isWhole();
    }

    /// The column that is matched; null if it is none. One of CHAR is matched with the blanks at
    /// its end.
    public @Nullable ColumnScalar column() {
        Scalar matched =
                operand instanceof PaddedScalar padded ? padded.operands().getFirst() : operand;
        return matched instanceof ColumnScalar column ? column : null;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object text = operand.evaluate(frame);
        if (text == null) {
            return null;
        }
        LikePattern matcher = compiled == null ? compile(frame) : compiled;
        return matcher == null ? null : (Object) (matcher.matches((String) text) != isNegated);
    }

    private @Nullable LikePattern compile(EvaluationFrame frame) {
        Object text = pattern.evaluate(frame);
        Object character = escape == null ? "\\" : escape.evaluate(frame);
        return text == null || character == null
                ? null
                : LikePattern.compile((String) text, (String) character, ignoresCase);
    }

    @Override
    public List<Scalar> operands() {
        return operands;
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new LikeScalar(newOperands, isNegated, ignoresCase);
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return operator();
    }

    private String operator() {
        return (isNegated ? "!" : "") + (ignoresCase ? "~~*" : "~~");
    }

    @Override
    public String toString() {
        String suffix = escape == null ? "" : " ESCAPE " + escape;
        return "(" + operand + " " + operator() + " " + pattern + suffix + ")";
    }
}
