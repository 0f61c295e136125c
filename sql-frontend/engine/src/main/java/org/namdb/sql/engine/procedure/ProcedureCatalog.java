package org.namdb.sql.engine.procedure;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.RecordType;

/// The procedures of a database, by name: those that the program has registered, those of the jars
/// that were installed, and the functions and procedures that the database holds the source of.
/// Safe for use by many threads. A call keeps the version that it has
/// begun with.
public final class ProcedureCatalog {
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    private final Map<String, ProcedureStatistics> statistics;
    private volatile SortedMap<String, ProcedureVersion> versions = Collections.emptySortedMap();
    private final SqlCatalog routines;
    private final Function<Routine, ProcedureVersion.Body> bodies;
    private final Map<String, KnownRoutine> known = new ConcurrentHashMap<>();

    /// Has the procedures of programs and jars; null if this one has them.
    private final @Nullable ProcedureCatalog programs;

    /// A routine as it was made for a version of the schema.
    private record KnownRoutine(Routine routine, long version, ProcedureVersion procedure) {}

    /// @param routines where the source of functions and procedures is
    /// @param bodies makes one ready to run
    public ProcedureCatalog(SqlCatalog routines, Function<Routine, ProcedureVersion.Body> bodies) {
        this(routines, bodies, new ConcurrentHashMap<>(), null);
    }

    private ProcedureCatalog(
            SqlCatalog routines,
            Function<Routine, ProcedureVersion.Body> bodies,
            Map<String, ProcedureStatistics> statistics,
            @Nullable ProcedureCatalog programs) {
        this.programs = programs;
        this.routines = routines;
        this.bodies = bodies;
        this.statistics = statistics;
    }

    /// The same procedures, and the functions and procedures of a transaction that has changed
    /// them.
    public ProcedureCatalog of(
            SqlCatalog changed, Function<Routine, ProcedureVersion.Body> changedBodies) {
        return new ProcedureCatalog(changed, changedBodies, statistics, this);
    }

    /// Registers a procedure, in the place of the one of its name that the program has registered
    /// before.
    ///
    /// @throws IllegalArgumentException if its class does not declare its input and result, or the
    ///     types are none of SQL
    /// @throws SqlException 42723 if a jar has one of this name
    public void register(Procedure<?, ?> procedure) {
        put(ProcedureVersion.of(procedure, "", statistics(procedure.name())));
    }

    /// Registers a procedure whose class does not declare its input and result, as a lambda.
    ///
    /// @throws IllegalArgumentException if the types are none of SQL
    /// @throws SqlException 42723 if a jar has one of this name
    public <I, O> void register(
            String name, Class<I> input, Class<O> output, Procedure<I, O> procedure) {
        put(ProcedureVersion.of(name, input, output, procedure, statistics(name)));
    }

    /// Registers what is called like a procedure, and is none: it is no transaction.
    ///
    /// @param name with `sqlj.` before it
    public synchronized <I> void registerUtility(String name, Class<I> input) {
        versions =
                with(
                        versions,
                        ProcedureVersion.of(
                                name,
                                input,
                                Void.class,
                                (context, given) -> {
                                    throw new IllegalStateException(name + " is no procedure");
                                },
                                statistics(name)));
    }

    private ProcedureStatistics statistics(String name) {
        return statistics.computeIfAbsent(name, _ -> new ProcedureStatistics());
    }

    private synchronized void put(ProcedureVersion version) {
        requireName(version);
        requireNoRoutine(version.name());
        versions = with(versions, version);
    }

    private static void requireName(ProcedureVersion version) {
        String name = version.name();
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "a procedure's name has up to 63 of a-z, 0-9 and _, and no digit first, not '"
                            + name
                            + "'");
        }
    }

    private void requireNoRoutine(String name) {
        Routine routine = routines.routine(name);
        if (routine != null) {
            throw new SqlException(
                    SqlState.DUPLICATE_FUNCTION,
                    "procedure "
                            + name
                            + " exists already: CREATE "
                            + routine.kind()
                            + " has made it");
        }
    }

    private static SortedMap<String, ProcedureVersion> with(
            SortedMap<String, ProcedureVersion> versions, ProcedureVersion version) {
        SortedMap<String, ProcedureVersion> next = new TreeMap<>(versions);
        add(next, version);
        return next;
    }

    private static void add(SortedMap<String, ProcedureVersion> to, ProcedureVersion version) {
        ProcedureVersion old = to.put(version.name(), version);
        if (old != null && !old.origin().equals(version.origin())) {
            throw new SqlException(
                    SqlState.DUPLICATE_FUNCTION,
                    "procedure "
                            + version.name()
                            + " exists already: "
                            + (old.origin().isEmpty()
                                    ? "the program has registered it"
                                    : "it is of the jar " + old.origin()));
        }
    }

    /// Puts the procedures of a jar in the place of those that it had: all at once.
    ///
    /// @param jar its name
    /// @throws IllegalArgumentException if one does not declare its input and result
    /// @throws SqlException 42723 if one of them is not this jar's; nothing has changed
    public synchronized void install(String jar, List<Procedure<?, ?>> procedures) {
        SortedMap<String, ProcedureVersion> next = without(jar);
        for (Procedure<?, ?> each : procedures) {
            ProcedureVersion version = ProcedureVersion.of(each, jar, statistics(each.name()));
            requireName(version);
            requireNoRoutine(version.name());
            add(next, version);
        }
        versions = next;
    }

    /// Removes the procedures of a jar; calls that run go on.
    public synchronized void remove(String jar) {
        versions = without(jar);
    }

    private SortedMap<String, ProcedureVersion> without(String jar) {
        SortedMap<String, ProcedureVersion> next = new TreeMap<>(versions);
        next.values().removeIf(each -> each.origin().equals(jar));
        return next;
    }

    SortedMap<String, ProcedureVersion> versions() {
        return programs == null ? versions : programs.versions();
    }

    synchronized void restore(SortedMap<String, ProcedureVersion> before) {
        versions = before;
    }

    /// The procedure of this name that the program has registered, or that is of a jar; null if
    /// there is none.
    public @Nullable ProcedureVersion java(String name) {
        return versions().get(name);
    }

    /// The procedure or function of this name; null if there is none.
    public @Nullable ProcedureVersion find(String name) {
        ProcedureVersion java = versions().get(name);
        if (java != null) {
            return java;
        }
        Routine routine = routines.routine(name);
        if (routine == null) {
            known.remove(name);
            return null;
        }
        return stored(routine);
    }

    private ProcedureVersion stored(Routine routine) {
        String name = routine.name();
        KnownRoutine found = known.get(name);
        long version = routines.version();
        if (found == null || found.version != version || !found.routine.equals(routine)) {
            ProcedureVersion procedure =
                    ProcedureVersion.of(
                            routine, columns(routine), bodies.apply(routine), statistics(name));
            found = new KnownRoutine(routine, version, procedure);
            known.put(name, found);
        }
        return found.procedure;
    }

    private List<RecordType.Column> columns(Routine routine) {
        String name = routine.rowTable();
        SqlTable table = name == null ? null : routines.find(routines.resolve(name));
        if (table == null) {
            return routine.columns();
        }
        return table.columns().stream()
                .filter(column -> !column.isHidden())
                .map(column -> new RecordType.Column(column.name(), column.type(), true))
                .toList();
    }

    /// Those in Java, as the system's catalog shows them.
    ///
    /// @param roles which of them own what
    public List<Routine> javaProcedures(Roles roles) {
        return versions().values().stream()
                .filter(each -> !each.isUtility())
                .map(each -> each.shown(roles))
                .toList();
    }

    /// All, by name.
    public List<ProcedureVersion> all() {
        SortedMap<String, ProcedureVersion> all = new TreeMap<>();
        routines.routines().forEach(routine -> all.put(routine.name(), stored(routine)));
        all.putAll(versions());
        return all.values().stream().filter(each -> !each.isUtility()).toList();
    }
}
