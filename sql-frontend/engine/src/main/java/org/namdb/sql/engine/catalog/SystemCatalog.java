package org.namdb.sql.engine.catalog;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.engine.statistics.TableStatistics;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TypeOids;

/// What PostgreSQL's clients look up in `pg_catalog`: the tables, columns, indexes and constraints
/// of one version of the schema.
///
/// An object's number is made of its name, so that all compute servers have the same, and it stays
/// when other objects are created and dropped.
public final class SystemCatalog {
    private static final String CATALOG = "pg_catalog.";
    private static final int CATALOG_NAMESPACE = 11;
    static final int PUBLIC_NAMESPACE = 2200;
    private static final int INFORMATION_NAMESPACE = 13_000;
    private static final long OWNER = SystemRoles.BOOTSTRAP_OID;
    private static final int DATABASE = 5;
    private static final int DEFAULT_COLLATION = 100;
    private static final int HEAP = 2;
    private static final int BTREE = 403;
    private static final int HASH = 405;

    /// The first number of a user's object.
    private static final long FIRST_OID = 16_384;

    private static final long OID_RANGE = 1L << 30;

    /// The numbers of PostgreSQL's own relations that clients query by name.
    private static final Map<String, Long> OWN_RELATIONS =
            Map.ofEntries(
                    Map.entry("pg_class", 1259L),
                    Map.entry("pg_type", 1247L),
                    Map.entry("pg_attribute", 1249L),
                    Map.entry("pg_proc", 1255L),
                    Map.entry("pg_namespace", 2615L),
                    Map.entry("pg_constraint", 2606L),
                    Map.entry("pg_database", 1262L),
                    Map.entry("pg_am", 2601L),
                    Map.entry("pg_trigger", 2620L),
                    Map.entry("pg_authid", 1260L),
                    Map.entry("pg_attrdef", 2604L));

    private final List<SqlTable> tables;
    private final List<Sequence> sequences;
    private final List<SqlView> views;
    private final Map<Long, String> viewDefinitions = new TreeMap<>();
    private final Function<SqlTable, @Nullable TableStatistics> statistics;
    private final SystemRoles roles;
    private final SystemSequences sequenceRelations;
    private final SystemRoutines routines;
    private final Function<String, @Nullable SystemRelation> live;
    private final Map<Long, String> relationNames = new TreeMap<>();
    private final Map<String, Long> relationOids = new HashMap<>();
    private final Map<Long, String> indexDefinitions = new TreeMap<>();
    private final Map<String, String> indexColumns = new HashMap<>();
    private final SystemConstraints constraints = new SystemConstraints(this);
    private final SystemComments comments = new SystemComments(this);
    private final Map<Long, String> taken = new HashMap<>();
    private final Map<String, SystemRelation> relations = new HashMap<>();
    private final @Nullable TemporarySchema temporary;

    /// The name of the relation that a statement's name means.
    final UnaryOperator<String> meant;

    /// @param tables all tables
    /// @param sequences all sequences
    /// @param routines all functions and procedures whose source the database holds
    /// @param views all views
    /// @param comments those on objects
    /// @param roles all roles
    /// @param live makes the relations that show what the process does, by name; null for others
    /// @param statistics what ANALYZE has learned of a table; null if that is nothing
    /// @param temporary the schema of the session's temporary tables; null for none
    /// @param meant the name of the relation that a statement's name means
    public SystemCatalog(
            List<SqlTable> tables,
            List<Sequence> sequences,
            List<Routine> routines,
            List<SqlView> views,
            Map<CommentTable.Subject, String> comments,
            Roles roles,
            Function<String, @Nullable SystemRelation> live,
            Function<SqlTable, @Nullable TableStatistics> statistics,
            @Nullable TemporarySchema temporary,
            UnaryOperator<String> meant) {
        this.temporary = temporary;
        this.meant = meant;
        this.tables = tables;
        this.sequences = sequences;
        this.views = views;
        this.live = live;
        this.statistics = statistics;
        this.roles = new SystemRoles(this, roles);
        OWN_RELATIONS.forEach(this::name);
        for (SqlTable table : tables) {
            name(table.name(), newOid("relation " + table.name()));
        }
        for (Sequence sequence : sequences) {
            name(sequence.name(), newOid("relation " + sequence.name()));
        }
        for (SqlView view : views) {
            name(view.name(), newOid("relation " + view.name()));
        }
        this.roles.fill(tables, sequences, views);
        fill();
        views.forEach(this::view);
        new SystemTypes(this).fill();
        new InformationSchema(this, tables, sequences, views).fill();
        EmptyRelations.fill(this);
        this.sequenceRelations = new SystemSequences(this, sequences);
        sequenceRelations.fill();
        this.routines = new SystemRoutines(this);
        this.routines.fill(routines);
        new SystemStatistics(this).fill(tables, statistics);
        this.comments.fill(comments, tables, views);
    }

    /// The relation of this name: `pg_catalog.pg_class`, `pg_class` or `information_schema.tables`;
    /// null if there is none.
    public @Nullable SystemRelation relation(String name) {
        String bare = name.startsWith(CATALOG) ? name.substring(CATALOG.length()) : name;
        SystemRelation known = relations.get(bare);
        return known == null ? live.apply(bare) : known;
    }

    /// The number of a table or an index; null if there is none of this name.
    public @Nullable Long relationOid(String name) {
        boolean isPublic = name.startsWith("public.");
        String bare = isPublic ? name.substring("public.".length()) : meant.apply(name);
        return relationOids.get(bare.startsWith(CATALOG) ? bare.substring(CATALOG.length()) : bare);
    }

    /// The number of the relation that the catalog itself calls so; null if there is none, as if it
    /// is another session's.
    @Nullable Long storedOid(String name) {
        return relationOids.get(name);
    }

    /// The table of this number; null if there is none.
    public @Nullable SqlTable table(long oid) {
        String name = relationNames.get(oid);
        return name == null
                ? null
                : tables.stream().filter(t -> t.name().equals(name)).findAny().orElse(null);
    }

    /// The owner and privileges of a table or a view; null if there is none of this number.
    public @Nullable Ownership ownership(long oid) {
        SqlTable table = table(oid);
        if (table != null) {
            return table.ownership();
        }
        String name = relationNames.get(oid);
        for (SqlView view : views) {
            if (view.name().equals(name)) {
                return view.ownership();
            }
        }
        return null;
    }

    /// The queries of views, by the views' numbers.
    public Map<Long, String> viewDefinitions() {
        return viewDefinitions;
    }

    /// The sequence of this name; null if there is none.
    public @Nullable Sequence sequence(@Nullable String name) {
        return sequences.stream().filter(s -> s.name().equals(name)).findAny().orElse(null);
    }

    /// The sequences.
    public SystemSequences sequences() {
        return sequenceRelations;
    }

    /// The roles.
    public SystemRoles roles() {
        return roles;
    }

    /// The functions and procedures whose source the database holds.
    public SystemRoutines routines() {
        return routines;
    }

    /// The names of tables and indexes by their numbers.
    public Map<Long, String> relationNames() {
        return relationNames;
    }

    /// The same as statements name them.
    public Map<Long, String> shownNames() {
        Map<Long, String> shown = new TreeMap<>(relationNames);
        shown.replaceAll((_, name) -> TemporaryNames.bare(name));
        return shown;
    }

    /// The statements that make indexes, by the indexes' numbers.
    public Map<Long, String> indexDefinitions() {
        return indexDefinitions;
    }

    /// The columns of indexes by the indexes' numbers, a point, and their places from 1.
    public Map<String, String> indexColumns() {
        return indexColumns;
    }

    /// The texts of constraints, by their numbers.
    public Map<Long, String> constraintDefinitions() {
        return constraints.definitions();
    }

    /// The comments.
    public SystemComments comments() {
        return comments;
    }

    /// The number of a constraint; null if the table has none of this name.
    @Nullable Long constraintOid(String table, String name) {
        return constraints.oid(table, name);
    }

    /// The names of schemas by their numbers.
    public Map<Long, String> namespaces() {
        Map<Long, String> namespaces = new TreeMap<>();
        namespaces.put((long) CATALOG_NAMESPACE, "pg_catalog");
        namespaces.put((long) PUBLIC_NAMESPACE, "public");
        namespaces.put((long) INFORMATION_NAMESPACE, "information_schema");
        if (temporary != null) {
            namespaces.put(TemporarySchema.NAMESPACE, temporary.shown());
        }
        return namespaces;
    }

    /// The names of types, as messages show them, by their numbers.
    public static Map<Long, String> typeNames() {
        return SystemTypes.shownNames();
    }

    SystemRelation add(String name, String columns) {
        SystemRelation relation = new SystemRelation(columns, temporary);
        relations.put(name, relation);
        return relation;
    }

    private void name(String name, long oid) {
        relationNames.put(oid, name);
        relationOids.put(name, oid);
    }

    /// The number of an object; the next free one if another has the same.
    long newOid(String object) {
        long oid = FIRST_OID + (object.hashCode() & 0xffff_ffffL) % OID_RANGE;
        while (taken.putIfAbsent(oid, object) != null) {
            oid++;
        }
        return oid;
    }

    private void fill() {
        SystemRelation namespaces =
                add("pg_namespace", "oid oid, nspname text, nspowner oid, nspacl text");
        namespaces()
                .forEach((oid, name) ->
                        namespaces.row(
                                oid,
                                name,
                                OWNER,
                                name.equals(Roles.SCHEMA) ? roles.schemaAcl() : null));
        add("pg_am", "oid oid, amname text, amhandler text, amtype text")
                .row(HEAP, "heap", "heap_tableam_handler", "t")
                .row(BTREE, "btree", "bthandler", "i")
                .row(HASH, "hash", "hashhandler", "i");
        add(
                        "pg_database",
                        "oid oid, datname text, datdba oid, encoding int4, datlocprovider text, datistemplate bool,"
                                + " datallowconn bool, datconnlimit int4, datcollate text, datctype text, daticulocale text,"
                                + " datcollversion text, datacl text, datfrozenxid oid, datminmxid oid, dattablespace oid")
                .row(
                        DATABASE, "namdb", OWNER, 6, "c", false, true, -1, "C", "C", null, null,
                        null, 0, 0, 1663);
        // The one that drivers query; SHOW ALL has the others.
        add("pg_settings", "name text, setting text")
                .row("default_transaction_isolation", "repeatable read")
                .row("max_index_keys", "32");
        add("pg_tablespace", "oid oid, spcname text, spcowner oid, spcacl text, spcoptions text")
                .row(1663, "pg_default", OWNER, null, null);
        add("pg_collation", "oid oid, collname text, collnamespace oid, collowner oid")
                .row(DEFAULT_COLLATION, "default", CATALOG_NAMESPACE, OWNER);
        add(
                "pg_class",
                "oid oid, relname text, relnamespace oid, relkind text, relam oid, relnatts int2, relchecks int2, relhasindex bool,"
                        + " relhastriggers bool, relispopulated bool, relpersistence text, relreplident text, relowner oid,"
                        + " reltuples float4, relpages int4, relacl text, reloptions text, relpartbound text, reltype oid,"
                        + " reloftype oid, relfilenode oid, reltablespace oid, relallvisible int4, reltoastrelid oid,"
                        + " relisshared bool, relhasrules bool, relhassubclass bool, relrowsecurity bool,"
                        + " relforcerowsecurity bool, relispartition bool, relrewrite oid");
        add(
                "pg_attribute",
                "attrelid oid, attname text, atttypid oid, attlen int2, attnum int2, atttypmod int4, attnotnull bool,"
                        + " atthasdef bool, attcollation oid, attstorage text, attstattarget int4, attacl text, attoptions text,"
                        + " attfdwoptions text, attmissingval text, attislocal bool, attidentity text, attgenerated text,"
                        + " attcompression text, attisdropped bool, atthasmissing bool, attndims int4, attinhcount int4,"
                        + " attcacheoff int4");
        add("pg_attrdef", "oid oid, adrelid oid, adnum int2, adbin text");
        add(
                "pg_index",
                "indexrelid oid, indrelid oid, indnatts int2, indnkeyatts int2, indisunique bool, indisprimary bool, indkey int2vector,"
                        + " indoption int2vector, indexprs text, indpred text, indimmediate bool, indisvalid bool, indisready bool,"
                        + " indislive bool, indcollation oidvector, indclass oidvector, indnullsnotdistinct bool, indisexclusion bool,"
                        + " indisclustered bool, indcheckxmin bool, indisreplident bool");
        add(
                "pg_constraint",
                "oid oid, conname text, contype text, conrelid oid, conindid oid, confrelid oid, confupdtype text, confdeltype text,"
                        + " confmatchtype text, conkey int2[], confkey int2[], convalidated bool, conislocal bool, connamespace oid,"
                        + " conbin text, contypid oid, conparentid oid, coninhcount int4, connoinherit bool, condeferrable bool,"
                        + " condeferred bool");
        add(
                "pg_tables",
                "schemaname text, tablename text, tableowner text, tablespace text, hasindexes bool, hasrules bool, hastriggers bool,"
                        + " rowsecurity bool");
        add(
                "pg_indexes",
                "schemaname text, tablename text, indexname text, tablespace text, indexdef text");
        add("pg_views", "schemaname text, viewname text, viewowner text, definition text");
        tables.forEach(this::table);
        for (SqlTable table : tables) {
            table.foreignKeys().forEach(key -> constraints.foreignKey(table, key));
        }
    }

    SystemRelation of(String name) {
        SystemRelation relation = relations.get(name);
        if (relation == null) {
            throw new IllegalStateException(name);
        }
        return relation;
    }

    long oid(String relation) {
        Long oid = relationOids.get(relation);
        return oid == null ? 0 : oid;
    }

    private void table(SqlTable table) {
        long oid = oid(table.name());
        List<SqlColumn> shown = table.columns().stream().filter(c -> !c.isHidden()).toList();
        boolean hasIndex = !table.hasHiddenKey() || !table.shownIndexes().isEmpty();
        relation(
                table,
                oid,
                table.name(),
                "r",
                HEAP,
                shown.size(),
                table.checks().size(),
                hasIndex,
                !table.foreignKeys().isEmpty() || !table.referencedBy().isEmpty());
        of("pg_tables").row("public", table.name(), table.ownership().owner(), null, hasIndex);
        for (int i = 0; i < shown.size(); i++) {
            column(oid, shown.get(i), i + 1);
            String text = shown.get(i).shownDefault();
            if (text != null) {
                of("pg_attrdef")
                        .row(
                                newOid("default " + table.name() + "." + shown.get(i).name()),
                                oid,
                                i + 1,
                                text);
            }
        }
        if (!table.hasHiddenKey()) {
            index(table, table.primaryKeyName(), table.primaryKey(), true, true, true, "p", "");
        }
        for (SqlIndex index : table.shownIndexes()) {
            index(
                    table,
                    index.name(),
                    index.columns(),
                    index.isUnique(),
                    false,
                    index.isOrdered(),
                    index.isConstraint() ? "u" : null,
                    index.with());
        }
        table.checks().forEach(check -> constraints.check(table, check));
    }

    private void relation(
            SqlTable table,
            long oid,
            String name,
            String kind,
            int method,
            int columns,
            int checks,
            boolean hasIndex,
            boolean hasTriggers) {
        Ownership ownership = table.ownership();
        TableStatistics learned = statistics.apply(table);
        float rows = learned == null ? -1f : (float) learned.rows(table.stored().estimatedRows());
        of("pg_class")
                .row(
                        oid,
                        name,
                        PUBLIC_NAMESPACE,
                        kind,
                        method,
                        columns,
                        checks,
                        hasIndex,
                        hasTriggers,
                        true,
                        "p",
                        kind.equals("r") ? "d" : "n",
                        roles.oid(ownership.owner()),
                        rows,
                        0,
                        kind.equals("r") ? SystemRoles.shown(ownership) : null,
                        null,
                        null);
    }

    private void view(SqlView view) {
        long oid = oid(view.name());
        viewDefinitions.put(oid, view.text() + ";");
        of("pg_views").row("public", view.name(), view.ownership().owner(), view.text() + ";");
        of("pg_class")
                .row(
                        oid,
                        view.name(),
                        PUBLIC_NAMESPACE,
                        "v",
                        0,
                        view.columns().size(),
                        0,
                        false,
                        false,
                        true,
                        "p",
                        "n",
                        roles.oid(view.ownership().owner()),
                        -1f,
                        0,
                        SystemRoles.shown(view.ownership()),
                        null,
                        null);
        int number = 0;
        for (SqlView.Column column : view.columns()) {
            number++;
            attribute(oid, column.name(), column.type(), number, false, false, "", "");
        }
    }

    private void column(long relation, SqlColumn column, int number) {
        attribute(
                relation,
                column.name(),
                column.type(),
                number,
                !column.isNullable(),
                column.defaultText() != null,
                identity(column),
                column.isGenerated() ? "s" : "");
    }

    void attribute(
            long relation,
            String name,
            SqlType type,
            int number,
            boolean isNotNull,
            boolean hasDefault,
            String identity,
            String generated) {
        of("pg_attribute")
                .row(
                        relation,
                        name,
                        TypeOids.oid(type),
                        TypeOids.size(type),
                        number,
                        TypeOids.modifier(type),
                        isNotNull,
                        hasDefault,
                        type.isString() ? DEFAULT_COLLATION : 0,
                        TypeOids.size(type) < 0 ? "x" : "p",
                        -1,
                        null,
                        null,
                        null,
                        null,
                        true,
                        identity,
                        generated);
    }

    private static String identity(SqlColumn column) {
        return column.identity() == null ? "" : column.identity().isAlways() ? "a" : "d";
    }

    private void index(
            SqlTable table,
            String name,
            List<Integer> columns,
            boolean isUnique,
            boolean isPrimary,
            boolean isOrdered,
            @Nullable String constraint,
            String with) {
        long oid = newOid("relation " + name);
        name(name, oid);
        int method = isOrdered ? BTREE : HASH;
        relation(table, oid, name, "i", method, columns.size(), 0, false, false);
        for (int i = 0; i < columns.size(); i++) {
            SqlColumn column = table.columns().get(columns.get(i));
            column(oid, column, i + 1);
            indexColumns.put(oid + "." + (i + 1), quoted(column.name()));
        }
        String numbers =
                columns.stream().map(c -> String.valueOf(c + 1)).collect(Collectors.joining(" "));
        String zeros = columns.stream().map(c -> "0").collect(Collectors.joining(" "));
        of("pg_index")
                .row(
                        oid,
                        oid(table.name()),
                        columns.size(),
                        columns.size(),
                        isUnique,
                        isPrimary,
                        numbers,
                        zeros,
                        null,
                        null,
                        true,
                        true,
                        true,
                        true,
                        zeros,
                        zeros);
        List<String> names = names(table, columns);
        String definition =
                "CREATE "
                        + (isUnique ? "UNIQUE " : "")
                        + "INDEX "
                        + quoted(name)
                        + " ON public."
                        + quoted(table.name())
                        + " USING "
                        + (isOrdered ? "btree" : "hash")
                        + " ("
                        + list(names)
                        + ")"
                        + with;
        indexDefinitions.put(oid, temporary == null ? definition : temporary.text(definition));
        of("pg_indexes").row("public", table.name(), name, null, definition);
        if (constraint != null) {
            constraints.key(
                    table,
                    name,
                    constraint,
                    oid,
                    (isPrimary ? "PRIMARY KEY (" : "UNIQUE (") + list(names) + ")",
                    columns);
        }
    }

    static List<String> names(SqlTable table, List<Integer> columns) {
        List<String> names = new ArrayList<>();
        columns.forEach(column -> names.add(table.columns().get(column).name()));
        return names;
    }

    static String list(List<String> names) {
        return names.stream().map(SystemCatalog::quoted).collect(Collectors.joining(", "));
    }

    static String quoted(String name) {
        return name.matches("[a-z_][a-z0-9_]*") ? name : '"' + name.replace("\"", "\"\"") + '"';
    }
}
