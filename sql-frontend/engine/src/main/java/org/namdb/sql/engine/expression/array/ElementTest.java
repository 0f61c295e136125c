package org.namdb.sql.engine.expression.array;

import org.namdb.sql.engine.expression.Environment;
import org.namdb.sql.engine.expression.condition.ComparisonOperator;
import org.namdb.sql.engine.expression.text.LikePattern;
import org.namdb.sql.engine.expression.text.RegularExpression;
import org.namdb.sql.language.type.ValueOrder;

/// An operator between a value and an element of an array; neither is NULL.
public sealed interface ElementTest {
    /// Whether the operator holds.
    boolean holds(Environment environment, Object value, Object element);

    /// The operator's name.
    String symbol();

    /// A comparison of values of the class that the order compares.
    record Compared(ComparisonOperator operator, ValueOrder order) implements ElementTest {
        @Override
        public boolean holds(Environment environment, Object value, Object element) {
            return operator.holds(order.compare(value, element));
        }

        @Override
        public String symbol() {
            return operator.symbol();
        }
    }

    /// LIKE (`~~`) or a regular expression (`~`) that is the element, behind `!` for the opposite
    /// and before `*` without regard to case.
    record Matched(String symbol) implements ElementTest {
        @Override
        public boolean holds(Environment environment, Object value, Object element) {
            String text = (String) value;
            String pattern = (String) element;
            boolean ignoresCase = symbol.endsWith("*");
            boolean isMatch =
                    symbol.contains("~~")
                            ? LikePattern.compile(pattern, "\\", ignoresCase).matches(text)
                            : RegularExpression.of(
                                            pattern,
                                            ignoresCase
                                                    ? RegularExpression.Options.IGNORING_CASE
                                                    : RegularExpression.Options.NONE)
                                    .finds(text, environment::checkCancelled);
            return isMatch != symbol.startsWith("!");
        }
    }
}
