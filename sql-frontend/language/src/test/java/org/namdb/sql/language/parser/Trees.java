package org.namdb.sql.language.parser;

import java.util.List;
import org.namdb.sql.language.error.SqlException;

/// The tests' texts of trees and errors.
final class Trees {
    private Trees() {}

    /// A tree without its places, and without options, whose order is not fixed.
    static String shape(Object tree) {
        return tree.toString()
                .replaceAll("(, )?position=Position\\[offset=\\d+, length=\\d+]", "")
                .replaceAll("options=\\{[^}]*}", "options");
    }

    /// The canonical SQL of every statement of a text, or its error as
    /// `line:column state message | hint`.
    static String read(String sql) {
        try {
            List<String> statements = SqlParser.parse(sql).stream().map(SqlWriter::write).toList();
            return String.join("; ", statements);
        } catch (SqlException e) {
            return error(e);
        }
    }

    static String error(SqlException e) {
        String hint = e.hint() == null ? "" : " | " + e.hint();
        return "%d:%d %s %s%s"
                .formatted(e.line(), e.column(), e.state().code(), e.getMessage(), hint);
    }
}
