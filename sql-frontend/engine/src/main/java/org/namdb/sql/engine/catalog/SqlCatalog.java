package org.namdb.sql.engine.catalog;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Schema;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.SchemaTable;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.engine.role.Authority;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.engine.sequence.SequenceValues;
import org.namdb.sql.engine.statistics.StatisticsTable;
import org.namdb.sql.engine.statistics.TableStatistics;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// The tables of a database as SQL sees them: those that SQL has made, and those of programs, whose
/// columns get the types nearest to how they are kept. Made again when the schema has changed; safe
/// for use by many threads.
public final class SqlCatalog implements Tables {
    private final Schema db;
    private final Function<Roles, List<Routine>> javaProcedures;
    private final Function<String, @Nullable SystemRelation> live;
    private final StatisticsTable statistics;

    /// The schema of the session's temporary tables; null if it has none.
    private final @Nullable TemporarySchema temporary;

    /// The tables as the session sees them outside of its open transaction; null if these are they.
    private final @Nullable Supplier<SqlCatalog> committed;

    private volatile @Nullable KnownSchema schema;
    private volatile @Nullable SystemVersion system;

    /// @param live makes the relations that show what the process does, by name; null for others
    /// @param javaProcedures the procedures in Java, with their owners
    public SqlCatalog(
            NamDb db,
            Function<String, @Nullable SystemRelation> live,
            Function<Roles, List<Routine>> javaProcedures) {
        this(db, new StatisticsTable(db), live, javaProcedures, null, null);
    }

    private SqlCatalog(
            Schema db,
            StatisticsTable statistics,
            Function<String, @Nullable SystemRelation> live,
            Function<Roles, List<Routine>> javaProcedures,
            @Nullable TemporarySchema temporary,
            @Nullable Supplier<SqlCatalog> committed) {
        this.db = db;
        this.statistics = statistics;
        this.live = live;
        this.javaProcedures = javaProcedures;
        this.temporary = temporary;
        this.committed = committed;
    }

    /// The tables as a transaction sees them that has changed the schema; of their rows nothing is
    /// known.
    ///
    /// @param session the tables as the transaction's session sees them otherwise
    public SqlCatalog of(Schema schema, Supplier<SqlCatalog> session) {
        return new SqlCatalog(schema, statistics.unknown(), live, javaProcedures, null, session);
    }

    /// The tables as a session sees them that has temporary ones.
    public SqlCatalog withTemporary(TemporarySchema schema) {
        return new SqlCatalog(db, statistics, live, javaProcedures, schema, null);
    }

    private SqlCatalog committed() {
        return committed == null ? this : committed.get();
    }

    private @Nullable TemporarySchema temporary() {
        return committed().temporary;
    }

    @Override
    public String resolve(String name) {
        String permanent = TemporaryNames.withoutPermanent(name);
        String meant = permanent == null ? name : permanent;
        TemporarySchema own = temporary();
        String of = TemporaryNames.schemaOf(meant);
        if (of != null && (own == null || !of.equals(own.name()))) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "cannot access temporary tables of other sessions");
        }
        if (permanent != null || own == null || of != null || own.isHidden(name)) {
            return meant;
        }
        String inside = own.qualified(name);
        if (own.isNamedBy(name) || isTemporary(inside)) {
            return inside;
        }
        if (own.made().contains(name) && !committed().isTemporary(inside)) {
            throw lost(name);
        }
        return name;
    }

    private static SqlException lost(String name) {
        return new SqlException(
                        SqlState.UNDEFINED_TABLE,
                        "temporary relation \"" + name + "\" does not exist any more")
                .withDetail(
                        "The compute server was declared dead, and others have dropped its"
                                + " temporary tables.")
                .withHint(
                        "Create the temporary table again, or use DISCARD TEMP to name permanent"
                                + " relations.");
    }

    /// The names of the sequences of the session's temporary tables.
    public Set<String> temporarySequences() {
        TemporarySchema own = temporary();
        return own == null
                ? Set.of()
                : current().sequences.subMap(own.name() + ".", own.name() + "/").keySet();
    }

    /// The session's temporary tables.
    public Collection<SqlTable> temporaryTables() {
        TemporarySchema own = temporary();
        return own == null
                ? List.of()
                : current().tables.subMap(own.name() + ".", own.name() + "/").values();
    }

    /// Whether there is a temporary relation of this name.
    private boolean isTemporary(String name) {
        return current().tables.containsKey(name)
                || current().sequences.containsKey(name)
                || temporaryTables().stream()
                        .anyMatch(table ->
                                !table.hasHiddenKey() && table.primaryKeyName().equals(name)
                                        || table.indexes().stream()
                                                .anyMatch(i -> i.name().equals(name)));
    }

    /// Whether the session may see an object: not one of another session's temporary tables.
    private boolean isVisible(String name) {
        String of = TemporaryNames.schemaOf(name);
        TemporarySchema own = temporary();
        return of == null || own != null && of.equals(own.name());
    }

    /// Where the statistics of tables are kept.
    public StatisticsTable statistics() {
        return statistics;
    }

    @Override
    public @Nullable TableStatistics statistics(SqlTable table) {
        return statistics.of(table.name()).statistics();
    }

    /// The table of this name; null if there is none.
    @Override
    public @Nullable SqlTable find(String name) {
        KnownSchema current = current();
        SqlTable table = current.tables.get(name);
        if (table == null && db.findTable(name) != null) {
            // Another compute server has made it.
            current = read();
            table = current.tables.get(name);
        }
        return table;
    }

    @Override
    public @Nullable Sequence findSequence(String name) {
        Sequence sequence = current().sequences.get(name);
        if (sequence == null) {
            // Another compute server may have made it.
            Table _ = db.findTable(SequenceValues.TABLE);
            sequence = current().sequences.get(name);
        }
        return sequence;
    }

    @Override
    public @Nullable SqlView findView(String name) {
        SqlView view = current().views.get(name);
        if (view == null) {
            // Another compute server may have made it.
            Table _ = db.findTable(ViewTable.TABLE);
            view = current().views.get(name);
        }
        return view;
    }

    /// The views by their names.
    public SortedMap<String, SqlView> views() {
        Table _ = db.findTable(ViewTable.TABLE); // has the catalog notice changes of others
        return current().views;
    }

    /// The comments on objects, and perhaps on such as were dropped.
    public SortedMap<CommentTable.Subject, String> comments() {
        Table _ = db.findTable(CommentTable.TABLE); // has the catalog notice changes of others
        return current().comments;
    }

    /// The sequence of this name.
    ///
    /// @throws SqlException 42P01 if there is none, 42809 if it is something else
    public Sequence sequence(String name) {
        Sequence sequence = findSequence(name);
        if (sequence == null) {
            throw hasRelation(name)
                    ? new SqlException(
                            SqlState.WRONG_OBJECT_TYPE, "\"" + name + "\" is not a sequence")
                    : new SqlException(
                            SqlState.UNDEFINED_TABLE, "relation \"" + name + "\" does not exist");
        }
        return sequence;
    }

    /// The sequence that a computed argument of a function means: a permanent one if there is one.
    ///
    /// @throws SqlException 42P01 if there is none, 42809 if it is something else
    public Sequence meantSequence(String name) {
        Sequence sequence = TemporaryNames.isTemporary(name) ? null : findSequence(name);
        return sequence == null ? sequence(resolve(name)) : sequence;
    }

    /// The sequences by their names.
    public SortedMap<String, Sequence> sequences() {
        Table _ = db.findTable(SequenceValues.TABLE); // has the catalog notice changes of others
        return current().sequences;
    }

    /// All tables, in the order of their names, but for temporary ones of other sessions.
    public List<SqlTable> tables() {
        return allTables().stream().filter(t -> isVisible(t.name())).toList();
    }

    /// All tables, in the order of their names: those that may depend on something.
    public List<SqlTable> allTables() {
        return List.copyOf(read().tables.values());
    }

    @Override
    public SystemCatalog system() {
        KnownSchema current = read(); // which other compute servers may have changed
        SystemVersion known = system;
        long learned = statistics.changes();
        List<Routine> java = javaProcedures.apply(current.roles);
        if (known == null
                || known.statistics != learned
                || !known.tables.equals(current.tables)
                || !known.sequences.equals(current.sequences)
                || !known.routines.equals(current.routines)
                || !known.java.equals(java)
                || !known.views.equals(current.views)
                || !known.comments.equals(current.comments)
                || !known.roles.equals(current.roles)) {
            known =
                    new SystemVersion(
                            current.tables,
                            current.sequences,
                            current.routines,
                            java,
                            current.views,
                            current.comments,
                            current.roles,
                            learned,
                            new SystemCatalog(
                                    tables(),
                                    current.sequences.values().stream()
                                            .filter(s -> isVisible(s.name()))
                                            .toList(),
                                    Stream.concat(current.routines.values().stream(), java.stream())
                                            .toList(),
                                    List.copyOf(current.views.values()),
                                    current.comments,
                                    current.roles,
                                    live,
                                    this::statistics,
                                    temporary(),
                                    this::resolve));
            system = known;
        }
        return known.catalog;
    }

    /// The roles, as a transaction sees them that has begun.
    public Roles roles() {
        return current().roles;
    }

    /// The roles, those of which other compute servers alone know included.
    public Roles latestRoles() {
        Roles _ = RoleTable.read(db); // has the catalog notice their changes
        return current().roles;
    }

    /// What a role may do now. The same object is given as long as the schema has the same version.
    ///
    /// @param id of the role that is meant, which may have been dropped
    public Authority authority(String role, long id) {
        KnownSchema current = current();
        return current.authorities.computeIfAbsent(
                new RoleKey(role, id), _ -> current.roles.authority(role, id, current.version));
    }

    /// Whether another compute server has changed a table since a version. Reads the catalog's
    /// entry of each.
    public boolean isChangedSince(long version) {
        current().tables.keySet().forEach(db::findTable);
        Table _ = db.findTable(SequenceValues.TABLE);
        Table _ = db.findTable(ViewTable.TABLE);
        Table _ = db.findTable(CommentTable.TABLE);
        return db.schemaVersion() != version;
    }

    /// The function or procedure of this name whose source the database holds; null if there is
    /// none.
    @Override
    public @Nullable Routine routine(String name) {
        KnownSchema current = current();
        Routine routine = current.routines.get(name);
        if (routine == null && RoutineTable.read(db, name) != null) {
            // Another compute server has made it.
            current = read();
            routine = current.routines.get(name);
        }
        return routine;
    }

    @Override
    public @Nullable Routine javaProcedure(String name) {
        return javaProcedures.apply(current().roles).stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /// All functions and procedures whose source the database holds, in the order of their names.
    public List<Routine> routines() {
        return List.copyOf(current().routines.values());
    }

    /// The version of the schema, that plans depend on.
    public long version() {
        return db.schemaVersion();
    }

    /// The table that an index belongs to; null if there is no index of this name.
    public @Nullable SqlTable tableOfIndex(String index) {
        for (SqlTable table : current().tables.values()) {
            if (table.indexes().stream().anyMatch(i -> i.name().equals(index))) {
                return table;
            }
        }
        return null;
    }

    /// Whether a table, an index or a primary key has this name: they share their names.
    public boolean hasRelation(String name) {
        return find(name) != null
                || tableOfIndex(name) != null
                || db.findTable(name) != null
                || db.findIndex(name) != null
                || findSequence(name) != null
                || findView(name) != null
                || current().tables.values().stream()
                        .anyMatch(t -> !t.hasHiddenKey() && t.primaryKeyName().equals(name));
    }

    private KnownSchema current() {
        KnownSchema known = schema;
        return known != null && known.version == db.schemaVersion() ? known : read();
    }

    private KnownSchema read() {
        long version = db.schemaVersion();
        List<SchemaTable> stored = new ArrayList<>();
        Map<String, Routine> routines = new TreeMap<>();
        for (String name : db.tableNames()) {
            String routineName = RoutineTable.routineName(name);
            Routine routine = routineName == null ? null : RoutineTable.read(db, routineName);
            if (routine != null) {
                routines.put(routine.name(), routine);
            }
            SchemaTable table = TemporaryNames.isHidden(name) ? null : db.describe(name);
            if (table != null) {
                stored.add(table);
            }
        }
        Map<String, TableProperties> properties = new HashMap<>();
        Map<String, List<ForeignKeyConstraint>> references = new HashMap<>();
        for (SchemaTable table : stored) {
            TableDefinition definition = table.definition();
            TableProperties known =
                    TableProperties.decode(definition.name(), definition.properties());
            properties.put(definition.name(), known);
            for (ForeignKeyConstraint key : known.foreignKeys()) {
                references.computeIfAbsent(key.referencedTable(), t -> new ArrayList<>()).add(key);
            }
        }
        SortedMap<String, Sequence> sequences = SequenceTable.read(db);
        Map<String, Map<String, String>> identities = new HashMap<>();
        for (Sequence sequence : sequences.values()) {
            Sequence.Owner owner = sequence.owner();
            if (owner != null && owner.isIdentity()) {
                identities
                        .computeIfAbsent(owner.table(), _ -> new HashMap<>())
                        .put(owner.column(), sequence.name());
            }
        }
        SortedMap<String, SqlTable> tables = new TreeMap<>();
        for (SchemaTable table : stored) {
            String name = table.definition().name();
            TableProperties known = properties.get(name);
            if (known != null) {
                tables.put(
                        name,
                        table(
                                table,
                                known,
                                references.getOrDefault(name, List.of()),
                                identities.getOrDefault(name, Map.of())));
            }
        }
        KnownSchema read =
                new KnownSchema(
                        version,
                        tables,
                        sequences,
                        routines,
                        ViewTable.read(db),
                        CommentTable.read(db),
                        RoleTable.read(db),
                        new ConcurrentHashMap<>());
        schema = read;
        return read;
    }

    private SqlTable table(
            SchemaTable table,
            TableProperties properties,
            List<ForeignKeyConstraint> referencedBy,
            Map<String, String> identities) {
        TableDefinition definition = table.definition();
        List<SqlColumn> columns = new ArrayList<>();
        for (Column column : table.stored().schema().columns()) {
            columns.add(column(definition, column, properties, identities));
        }
        List<Integer> primaryKey = numbers(definition, definition.primaryKey());
        return new SqlTable(
                definition.name(),
                columns,
                primaryKey,
                properties.primaryKeyName(),
                keyOrder(table, primaryKey, properties.primaryKeyName()),
                indexes(table, properties),
                properties.checks(),
                properties.foreignKeys(),
                referencedBy,
                properties.longValues() == null ? null : db.findTable(properties.longValues()),
                properties.ownership(),
                definition,
                table.stored());
    }

    /// @param identities the sequences of identity columns
    private static SqlColumn column(
            TableDefinition definition,
            Column column,
            TableProperties properties,
            Map<String, String> identities) {
        String name = definition.columns().get(column.index()).name();
        String identity = identities.get(name);
        Boolean isAlways = properties.identities().get(column.index());
        SqlType type = properties.types().get(column.index());
        boolean isLast = column.index() == definition.columns().size() - 1;
        return new SqlColumn(
                name,
                type == null ? StoredTypes.ofProgram(column.type()) : type,
                column.nullable(),
                properties.defaults().get(column.index()),
                isAlways == null || identity == null
                        ? null
                        : new SqlColumn.Identity(isAlways, identity),
                column,
                properties.hasRowId() && isLast,
                properties.generated().contains(column.index()));
    }

    private static @Nullable SqlIndex keyOrder(
            SchemaTable table, List<Integer> primaryKey, String primaryKeyName) {
        String name = SqlTable.keyOrderName(primaryKeyName);
        for (Index index : table.filledIndexes()) {
            if (index.name().equals(name)) {
                return new SqlIndex(primaryKeyName, primaryKey, true, true, true, index, null);
            }
        }
        return null;
    }

    private List<SqlIndex> indexes(SchemaTable table, TableProperties properties) {
        Map<String, Index> plain = new TreeMap<>();
        for (Index index : table.filledIndexes()) {
            plain.put(index.name(), index);
        }
        plain.remove(SqlTable.keyOrderName(properties.primaryKeyName()));
        List<SqlIndex> indexes = new ArrayList<>();
        for (UniqueKey key : properties.uniqueKeys()) {
            Index ordered = key.orderedIndex() == null ? null : plain.remove(key.orderedIndex());
            indexes.add(
                    new SqlIndex(
                            key.name(),
                            numbers(table.definition(), key.columns()),
                            true,
                            ordered != null,
                            key.isConstraint(),
                            ordered,
                            db.findTable(key.tableName())));
        }
        for (Index index : plain.values()) {
            IndexDefinition definition = table.definition(index);
            indexes.add(
                    new SqlIndex(
                            index.name(),
                            numbers(table.definition(), definition.columns()),
                            false,
                            definition.kind() == IndexDefinition.Kind.ORDERED,
                            false,
                            index,
                            null));
        }
        return indexes;
    }

    private static List<Integer> numbers(TableDefinition definition, List<String> columns) {
        List<String> names =
                definition.columns().stream().map(TableDefinition.ColumnDefinition::name).toList();
        return columns.stream().map(names::indexOf).toList();
    }

    private record SystemVersion(
            Map<String, SqlTable> tables,
            Map<String, Sequence> sequences,
            Map<String, Routine> routines,
            List<Routine> java,
            Map<String, SqlView> views,
            Map<CommentTable.Subject, String> comments,
            Roles roles,
            long statistics,
            SystemCatalog catalog) {}

    private record RoleKey(String name, long id) {}

    /// @param authorities of the roles that are queried
    private record KnownSchema(
            long version,
            SortedMap<String, SqlTable> tables,
            SortedMap<String, Sequence> sequences,
            Map<String, Routine> routines,
            SortedMap<String, SqlView> views,
            SortedMap<CommentTable.Subject, String> comments,
            Roles roles,
            Map<RoleKey, Authority> authorities) {}
}
