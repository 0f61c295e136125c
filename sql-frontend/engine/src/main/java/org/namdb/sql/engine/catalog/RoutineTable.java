package org.namdb.sql.engine.catalog;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Schema;
import org.namdb.compute.schema.SchemaTable;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.language.ast.RoutineStatement.Kind;
import org.namdb.sql.language.ast.RoutineStatement.Mode;
import org.namdb.sql.language.type.SqlType;

/// The routines of a database: each is the properties of a hidden table's definition, which has no
/// rows. So a change of one is a change of the schema, which reaches all compute servers at once,
/// is durable, and has plans made again.
///
/// | property | text |
/// |---|---|
/// | `kind` | FUNCTION or PROCEDURE |
/// | `parameter.0`, .. | mode, name, type, default; a name and a default with `=` before them |
/// | `returns` | a type, `table` and a table's name, or nothing |
/// | `options` | `set` or nothing, language, volatility, `strict` or nothing |
/// | `body`, `owner` | |
public final class RoutineTable {
    private static final String TABLE = UniqueKey.HIDDEN + "routine:";
    private static final String PARAMETER = "parameter.";
    private static final String ARRAY = "[]";
    private static final String ROW_OF = "table ";

    private RoutineTable() {}

    /// The name of the routine that a hidden table is for; null for other tables.
    static @Nullable String routineName(String table) {
        return table.startsWith(TABLE) ? table.substring(TABLE.length()) : null;
    }

    /// The routine of a name; null if there is none.
    static @Nullable Routine read(Schema db, String name) {
        SchemaTable table = db.describe(TABLE + name);
        return table == null ? null : decode(name, table.definition().properties());
    }

    /// Keeps a routine, in the place of the one of its name; a change of the schema.
    public static void store(Schema db, Routine routine) {
        String table = TABLE + routine.name();
        TableDefinition.Builder definition =
                TableDefinition.named(table).column("id", ColumnType.INT32).primaryKey("id");
        encode(routine).forEach(definition::property);
        if (db.findTable(table) == null) {
            Table _ = db.createTable(definition.build());
        } else {
            Table _ = db.redefine(table, definition.build());
        }
    }

    /// Drops a routine; a change of the schema.
    public static void drop(Schema db, String name) {
        db.dropTable(TABLE + name);
    }

    static Map<String, String> encode(Routine routine) {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("kind", routine.kind().name());
        for (int i = 0; i < routine.parameters().size(); i++) {
            Routine.Parameter each = routine.parameters().get(i);
            texts.put(
                    PARAMETER + i,
                    Fields.join(
                            List.of(
                                    each.mode().name(),
                                    given(each.name()),
                                    each.type().name(),
                                    given(each.defaultText()))));
        }
        SqlType returns = routine.returns();
        texts.put(
                "returns",
                routine.rowTable() != null
                        ? ROW_OF + routine.rowTable()
                        : returns == null ? "" : returns.name());
        texts.put(
                "options",
                Fields.join(
                        List.of(
                                routine.isSet() ? "set" : "",
                                routine.language(),
                                routine.volatility(),
                                routine.isStrict() ? "strict" : "")));
        texts.put("body", routine.body());
        texts.put("owner", routine.owner());
        return texts;
    }

    static Routine decode(String name, Map<String, String> texts) {
        List<Routine.Parameter> parameters = new ArrayList<>();
        for (int i = 0; texts.containsKey(PARAMETER + i); i++) {
            List<String> fields = Fields.split(texts.getOrDefault(PARAMETER + i, ""));
            parameters.add(
                    new Routine.Parameter(
                            optional(fields.get(1)),
                            Mode.valueOf(fields.get(0)),
                            type(fields.get(2)),
                            optional(fields.get(3))));
        }
        String returns = texts.getOrDefault("returns", "");
        boolean isRow = returns.startsWith(ROW_OF);
        List<String> options = Fields.split(texts.getOrDefault("options", ""));
        return new Routine(
                name,
                Kind.valueOf(texts.getOrDefault("kind", "")),
                parameters,
                isRow || returns.isEmpty() ? null : type(returns),
                isRow ? returns.substring(ROW_OF.length()) : null,
                !options.get(0).isEmpty(),
                options.get(1),
                options.get(2),
                !options.get(3).isEmpty(),
                texts.getOrDefault("body", ""),
                texts.getOrDefault("owner", ""));
    }

    private static String given(@Nullable String text) {
        return text == null ? "" : "=" + text;
    }

    private static @Nullable String optional(String text) {
        return text.isEmpty() ? null : text.substring(1);
    }

    /// Types of parameters and results have no length.
    private static SqlType type(String text) {
        if (text.endsWith(ARRAY)) {
            return SqlType.arrayOf(type(text.substring(0, text.length() - ARRAY.length())));
        }
        for (SqlType.Kind kind : SqlType.Kind.values()) {
            SqlType type = unbounded(new SqlType(kind, 0, 0, false));
            if (!type.isArray() && type.name().equals(text)) {
                return type;
            }
        }
        throw new IllegalStateException("no type is called " + text);
    }

    /// A type without its length, as parameters and results have it.
    public static SqlType unbounded(SqlType type) {
        return type.kind() == SqlType.Kind.CHAR ? SqlType.BPCHAR : type.unbounded();
    }
}
