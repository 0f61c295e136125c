package org.namdb.sql.engine.random;

import java.util.ArrayList;
import java.util.List;

/// An expression as a tree, so that it can be made smaller.
///
/// @param template the SQL text, with `?` where the parts stand
record Expression(SqlType type, String template, List<Expression> parts) {
    static Expression of(SqlType type, String template, Expression... parts) {
        return new Expression(type, template, List.of(parts));
    }

    /// The SQL text.
    String sql() {
        StringBuilder sql = new StringBuilder();
        int part = 0;
        for (int i = 0; i < template.length(); i++) {
            if (template.charAt(i) == '?') {
                sql.append(parts.get(part++).sql());
            } else {
                sql.append(template.charAt(i));
            }
        }
        return sql.toString();
    }

    /// Expressions of the same type with less in them, the smallest first.
    List<Expression> smaller() {
        List<Expression> smaller = new ArrayList<>();
        for (Expression part : parts) {
            if (part.type() == type) {
                smaller.add(part);
            }
        }
        for (int i = 0; i < parts.size(); i++) {
            for (Expression part : parts.get(i).smaller()) {
                List<Expression> changed = new ArrayList<>(parts);
                changed.set(i, part);
                smaller.add(new Expression(type, template, List.copyOf(changed)));
            }
        }
        return smaller;
    }
}
