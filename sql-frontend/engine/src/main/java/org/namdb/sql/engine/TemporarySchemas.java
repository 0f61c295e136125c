package org.namdb.sql.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.namdb.compute.NamDb;
import org.namdb.sql.engine.catalog.SequenceTable;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.sequence.Sequence;

/// Drops the temporary tables of sessions that have ended, or whose process has. It waits for other
/// transactions as all DDL does, but not for long: what it can't drop, a later call does.
final class TemporarySchemas {
    /// How long other transactions wait for it, at most.
    private static final Duration DROP_WAIT = Duration.ofMillis(200);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /// How long sessions without temporary tables do not try again, usually.
    static final Duration RETRY = Duration.ofSeconds(10);

    private static final long NOTHING_LEFT = Long.MIN_VALUE;

    /// The schemas of the open sessions, by what they are sessions of.
    private static final Map<NamDb, Set<String>> OPEN =
            Collections.synchronizedMap(new WeakHashMap<>());

    private final SqlDatabase database;
    private final NamDb engine;
    private final long retryPauseNanos;

    /// When sessions without temporary tables try again, on the host's clock.
    private final AtomicLong retryNanos = new AtomicLong(NOTHING_LEFT);

    /// @param retry how long sessions without temporary tables do not try again
    TemporarySchemas(SqlDatabase database, Duration retry) {
        this.database = database;
        this.retryPauseNanos = retry.toNanos();
        this.engine = database.engine();
    }

    private Set<String> open() {
        return OPEN.computeIfAbsent(engine, _ -> ConcurrentHashMap.newKeySet());
    }

    /// A session makes tables in a new schema.
    void opened(String schema) {
        open().add(schema);
    }

    /// The session has ended, or can't use the schema any more.
    void ended(String schema) {
        open().remove(schema);
    }

    /// The same as [#dropLeft] if something was left a while ago.
    void retry() {
        long at = retryNanos.get();
        if (at != NOTHING_LEFT
                && database.host().nanoTime() - at >= 0
                && retryNanos.compareAndSet(at, database.host().nanoTime() + retryPauseNanos)) {
            dropLeft();
        }
    }

    /// Drops what sessions have left that have ended, or whose process has; nothing if other
    /// transactions run too long, or the database can't be reached.
    void dropLeft() {
        if (engine.isClosed()) { // before its sessions
            return;
        }
        try {
            if (find().isEmpty()) {
                retryNanos.set(NOTHING_LEFT);
                return;
            }
            database.changeSchema(
                    DROP_WAIT.toMillis(),
                    () -> database.host().sleep(PAUSE_NANOS),
                    () -> drop(find()));
            retryNanos.set(NOTHING_LEFT);
        } catch (RuntimeException e) { // whatever it is, a later call tries again
            retryNanos.set(database.host().nanoTime() + retryPauseNanos);
            database.host()
                    .logger(TemporarySchemas.class)
                    .debug("temporary tables of ended sessions are dropped later", e);
        }
    }

    /// The schemas that are left.
    private Set<String> find() {
        Set<String> all =
                engine.tableNames().stream()
                        .map(TemporaryNames::schemaOf)
                        .filter(schema -> schema != null)
                        .collect(Collectors.toSet());
        sequences()
                .keySet()
                .forEach(name -> {
                    String schema = TemporaryNames.schemaOf(name);
                    if (schema != null) {
                        all.add(schema);
                    }
                });
        all.removeAll(open());
        String own = Integer.toString(engine.process());
        if (all.stream().anyMatch(schema -> !TemporaryNames.processOf(schema).equals(own))) {
            Set<String> attached =
                    engine.computeServers().stream()
                            .map(process -> Integer.toString(process))
                            .filter(process -> !process.equals(own))
                            .collect(Collectors.toSet());
            all.removeIf(schema -> attached.contains(TemporaryNames.processOf(schema)));
        }
        return all;
    }

    private SortedMap<String, Sequence> sequences() {
        return database.catalog().sequences();
    }

    /// If this ends in between, what is left is found again, and can be read: tables go after their
    /// sequences, and before the hidden tables that they use.
    private void drop(Set<String> schemas) {
        Predicate<String> isLeft =
                name -> {
                    String schema = TemporaryNames.schemaOf(name);
                    return schema != null && schemas.contains(schema);
                };
        SortedMap<String, Sequence> all = sequences();
        SortedMap<String, Sequence> kept = new TreeMap<>(all);
        kept.keySet().removeIf(isLeft);
        if (kept.size() < all.size()) {
            SequenceTable.store(engine, kept);
            all.forEach((name, sequence) -> {
                if (!kept.containsKey(name)) {
                    database.sequences().drop(sequence);
                }
            });
        }
        List<String> tables =
                engine.tableNames().stream()
                        .filter(isLeft)
                        .sorted(Comparator.comparing(TemporaryNames::isHidden))
                        .toList();
        for (String table : tables) {
            engine.dropTable(table);
            database.catalog().statistics().dropped(table);
        }
    }
}
