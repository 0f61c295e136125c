package org.namdb.sql.engine.catalog;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.language.ast.DdlStatement.ForeignKey.Action;
import org.namdb.sql.language.type.SqlType;

/// What SQL keeps of a table beyond what the compute server does; stored as properties of the
/// table's definition:
///
/// | property | text |
/// |---|---|
/// | `sql.rowid` | `true` if the last column is a hidden row id |
/// | `sql.pkey` | the name of the primary key |
/// | `sql.type.3` | the type of column 3: kind, length, scale, `bytes`, `characters` or `exact` |
/// | | of an array: ARRAY, and the type of its elements |
/// | `sql.default.3` | its DEFAULT as SQL |
/// | `sql.identity.3` | `always` or `default` if it is an identity column |
/// | `sql.generated.3` | `stored` if it is a generated column, made of what is its DEFAULT |
/// | `sql.check.0` | name, condition, `not valid` if not all rows fulfil it |
/// | `sql.unique.0` | name, `constraint` or `index`, its ordered index or nothing, columns |
/// | `sql.foreign.0` | name, parent, on delete, on update, columns, parent's columns, validity as
/// of a check |
/// | `sql.long` | the name of the table with the chunks of long values |
/// | `sql.owner` | owner and ACL, if they are not the usual ones |
///
/// Several texts in one are separated by `|`.
///
/// @param hasRowId whether the last column is a hidden row id
/// @param primaryKeyName the name of the primary key
/// @param types types by column number
/// @param defaults expressions by column number
/// @param identities whether values are always generated, by the numbers of identity columns
/// @param generated the numbers of generated columns
/// @param longValues the name of the table with the chunks of long values; null if there is none
/// @param ownership its owner, and the privileges of others
public record TableProperties(
        boolean hasRowId,
        String primaryKeyName,
        Map<Integer, SqlType> types,
        Map<Integer, String> defaults,
        Map<Integer, Boolean> identities,
        Set<Integer> generated,
        List<CheckConstraint> checks,
        List<UniqueKey> uniqueKeys,
        List<ForeignKeyConstraint> foreignKeys,
        @Nullable String longValues,
        Ownership ownership) {
    private static final String PREFIX = "sql.";
    private static final String ROW_ID = "sql.rowid";
    private static final String PRIMARY_KEY = "sql.pkey";
    private static final String TYPE = "sql.type.";
    private static final String EXACT = "exact";
    private static final String DEFAULT = "sql.default.";
    private static final String IDENTITY = "sql.identity.";
    private static final String ALWAYS = "always";
    private static final String BY_DEFAULT = "default";
    private static final String GENERATED = "sql.generated.";
    private static final String STORED = "stored";
    private static final String CHECK = "sql.check.";
    private static final String UNIQUE = "sql.unique.";
    private static final String FOREIGN = "sql.foreign.";
    private static final String NOT_VALID = "not valid";
    private static final String LONG = "sql.long";
    private static final String OWNER = "sql.owner";

    public TableProperties {
        types = Map.copyOf(types);
        defaults = Map.copyOf(defaults);
        identities = Map.copyOf(identities);
        generated = Set.copyOf(generated);
        checks = List.copyOf(checks);
        uniqueKeys = List.copyOf(uniqueKeys);
        foreignKeys = List.copyOf(foreignKeys);
    }

    /// The properties as they are stored in a definition.
    public Map<String, String> encode() {
        Map<String, String> texts = new LinkedHashMap<>();
        if (hasRowId) {
            texts.put(ROW_ID, "true");
        }
        texts.put(PRIMARY_KEY, primaryKeyName);
        new TreeMap<>(types).forEach((column, type) -> texts.put(TYPE + column, encode(type)));
        new TreeMap<>(defaults).forEach((column, text) -> texts.put(DEFAULT + column, text));
        new TreeMap<>(identities)
                .forEach((column, isAlways) ->
                        texts.put(IDENTITY + column, isAlways ? ALWAYS : BY_DEFAULT));
        new TreeSet<>(generated).forEach(column -> texts.put(GENERATED + column, STORED));
        for (CheckConstraint check : checks) {
            put(
                    texts,
                    CHECK,
                    withValidity(List.of(check.name(), check.condition()), check.isValid()));
        }
        for (UniqueKey key : uniqueKeys) {
            put(texts, UNIQUE, encode(key));
        }
        for (ForeignKeyConstraint key : foreignKeys) {
            put(texts, FOREIGN, encode(key));
        }
        if (longValues != null) {
            texts.put(LONG, longValues);
        }
        if (!ownership.equals(Ownership.BOOTSTRAP)) {
            texts.put(OWNER, RoleTable.encode(ownership));
        }
        return texts;
    }

    /// The properties of a table, as stored in its definition; of a program's table, the usual
    /// ones.
    ///
    /// @param table the table's name
    public static TableProperties decode(String table, Map<String, String> texts) {
        Map<Integer, SqlType> types = new TreeMap<>();
        Map<Integer, String> defaults = new TreeMap<>();
        Map<Integer, Boolean> identities = new TreeMap<>();
        Set<Integer> generated = new TreeSet<>();
        List<CheckConstraint> checks = new ArrayList<>();
        List<UniqueKey> uniqueKeys = new ArrayList<>();
        List<ForeignKeyConstraint> foreignKeys = new ArrayList<>();
        texts.forEach((key, text) -> {
            if (key.startsWith(TYPE)) {
                types.put(number(key, TYPE), type(Fields.split(text)));
            } else if (key.startsWith(DEFAULT)) {
                defaults.put(number(key, DEFAULT), text);
            } else if (key.startsWith(IDENTITY)) {
                identities.put(number(key, IDENTITY), text.equals(ALWAYS));
            } else if (key.startsWith(GENERATED)) {
                generated.add(number(key, GENERATED));
            } else if (key.startsWith(CHECK)) {
                List<String> fields = Fields.split(text);
                checks.add(new CheckConstraint(fields.get(0), fields.get(1), isValid(fields, 2)));
            } else if (key.startsWith(UNIQUE)) {
                uniqueKeys.add(uniqueKey(Fields.split(text)));
            } else if (key.startsWith(FOREIGN)) {
                foreignKeys.add(foreignKey(table, Fields.split(text)));
            }
        });
        return new TableProperties(
                texts.containsKey(ROW_ID),
                texts.getOrDefault(PRIMARY_KEY, table + "_pkey"),
                types,
                defaults,
                identities,
                generated,
                checks,
                uniqueKeys,
                foreignKeys,
                texts.get(LONG),
                texts.containsKey(OWNER)
                        ? RoleTable.ownership(texts.get(OWNER))
                        : Ownership.BOOTSTRAP);
    }

    /// A definition's properties without those of SQL: what programs keep there.
    public static Map<String, String> others(Map<String, String> texts) {
        Map<String, String> others = new LinkedHashMap<>(texts);
        others.keySet().removeIf(key -> key.startsWith(PREFIX));
        return others;
    }

    private static List<String> withValidity(List<String> fields, boolean isValid) {
        List<String> all = new ArrayList<>(fields);
        if (!isValid) {
            all.add(NOT_VALID);
        }
        return all;
    }

    private static boolean isValid(List<String> fields, int place) {
        return fields.size() <= place || !fields.get(place).equals(NOT_VALID);
    }

    private static void put(Map<String, String> texts, String prefix, List<String> fields) {
        int number = 0;
        while (texts.containsKey(prefix + number)) {
            number++;
        }
        texts.put(prefix + number, Fields.join(fields));
    }

    private static int number(String key, String prefix) {
        return Integer.parseInt(key.substring(prefix.length()));
    }

    static String encode(SqlType type) {
        if (type.isArray()) {
            return Fields.join(List.of(type.kind().name(), encode(type.element())));
        }
        return Fields.join(
                List.of(
                        type.kind().name(),
                        Integer.toString(type.length()),
                        Integer.toString(type.scale()),
                        type.refusesRounding() ? EXACT : type.inBytes() ? "bytes" : "characters"));
    }

    static SqlType type(List<String> fields) {
        if (fields.get(0).equals(SqlType.Kind.ARRAY.name())) {
            return SqlType.arrayOf(type(Fields.split(fields.get(1))));
        }
        return new SqlType(
                SqlType.Kind.valueOf(fields.get(0)),
                Integer.parseInt(fields.get(1)),
                Integer.parseInt(fields.get(2)),
                fields.get(3).equals("bytes"),
                fields.get(3).equals(EXACT),
                null);
    }

    private static List<String> encode(UniqueKey key) {
        return List.of(
                key.name(),
                key.isConstraint() ? "constraint" : "index",
                key.orderedIndex() == null ? "" : key.orderedIndex(),
                Fields.join(key.columns()));
    }

    private static UniqueKey uniqueKey(List<String> fields) {
        @Nullable String orderedIndex = fields.get(2).isEmpty() ? null : fields.get(2);
        return new UniqueKey(
                fields.get(0),
                Fields.split(fields.get(3)),
                fields.get(1).equals("constraint"),
                orderedIndex);
    }

    private static List<String> encode(ForeignKeyConstraint key) {
        return withValidity(
                List.of(
                        key.name(),
                        key.referencedTable(),
                        key.onDelete().name(),
                        key.onUpdate().name(),
                        Fields.join(key.columns()),
                        Fields.join(key.referencedColumns())),
                key.isValid());
    }

    private static ForeignKeyConstraint foreignKey(String table, List<String> fields) {
        return new ForeignKeyConstraint(
                fields.get(0),
                table,
                Fields.split(fields.get(4)),
                fields.get(1),
                Fields.split(fields.get(5)),
                Action.valueOf(fields.get(2)),
                Action.valueOf(fields.get(3)),
                isValid(fields, 6));
    }
}
