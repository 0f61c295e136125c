package org.namdb.sql.engine.catalog;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.role.Acl;
import org.namdb.sql.engine.statistics.ColumnStatistics;
import org.namdb.sql.engine.statistics.TableStatistics;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;

/// `pg_stats`: what ANALYZE has learned. It shows values of all tables, so superusers alone may
/// read it.
final class SystemStatistics {
    private final SystemRelation relation;

    SystemStatistics(SystemCatalog catalog) {
        relation =
                catalog.add(
                                "pg_stats",
                                "schemaname text, tablename text, attname text, inherited bool, null_frac float4, avg_width int4,"
                                        + " n_distinct float4, most_common_vals text, most_common_freqs text, histogram_bounds text,"
                                        + " correlation float4, most_common_elems text, most_common_elem_freqs text,"
                                        + " elem_count_histogram text")
                        .secret();
    }

    void fill(List<SqlTable> tables, Function<SqlTable, @Nullable TableStatistics> statistics) {
        for (SqlTable table : tables) {
            TableStatistics learned = statistics.apply(table);
            for (SqlColumn column : table.columns()) {
                ColumnStatistics of = learned == null ? null : learned.column(column.name());
                if (of != null && !column.isHidden()) {
                    row(table, column, of);
                }
            }
        }
    }

    private void row(SqlTable table, SqlColumn column, ColumnStatistics of) {
        List<String> frequencies =
                of.frequencies().stream()
                        .map(part -> TextFormat.format(part.floatValue(), SqlType.REAL))
                        .toList();
        relation.row(
                "public",
                table.name(),
                column.name(),
                false,
                (float) of.nullPart(),
                (int) Math.round(of.averageBytes()),
                (float) of.distinct(),
                array(texts(of.common(), of.type())),
                array(frequencies),
                of.isAllCommon() ? null : array(texts(of.bounds(), of.type())),
                null,
                null,
                null,
                null);
    }

    private static List<String> texts(List<Object> values, SqlType type) {
        return values.stream().map(value -> TextFormat.format(value, type)).toList();
    }

    private static @Nullable String array(List<String> elements) {
        return elements.isEmpty()
                ? null
                : "{" + String.join(",", elements.stream().map(Acl::element).toList()) + "}";
    }
}
