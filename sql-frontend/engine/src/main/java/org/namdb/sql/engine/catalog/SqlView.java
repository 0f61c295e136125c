package org.namdb.sql.engine.catalog;

import java.util.List;
import java.util.Set;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.language.parser.SqlTokens;
import org.namdb.sql.language.type.SqlType;

/// A view: a query under a name; immutable, of one version of the schema.
///
/// @param columns what it shows
/// @param text its query, with the columns in place of each `*`, so that columns that tables get
///     later are not shown
/// @param sources the tables and views that the query reads
public record SqlView(
        String name, List<Column> columns, String text, Set<String> sources, Ownership ownership) {
    /// A column.
    public record Column(String name, SqlType type) {}

    public SqlView {
        columns = List.copyOf(columns);
        sources = Set.copyOf(sources);
    }

    /// The same with another owner or other privileges.
    public SqlView with(Ownership newOwnership) {
        return new SqlView(name, columns, text, sources, newOwnership);
    }

    /// Whether the query may read a column of one of its sources: whether it has a name like that,
    /// or joins by all names that two sources share.
    public boolean mayUse(String column) {
        for (SqlTokens.Span span : SqlTokens.of(text)) {
            String word = text.substring(span.start(), span.end());
            boolean isName =
                    span.kind() == SqlTokens.Kind.NAME || span.kind() == SqlTokens.Kind.KEYWORD;
            if (isName
                    && (word.equalsIgnoreCase(column)
                            || word.equals('"' + column.replace("\"", "\"\"") + '"')
                            || word.equalsIgnoreCase("natural"))) {
                return true;
            }
        }
        return false;
    }
}
