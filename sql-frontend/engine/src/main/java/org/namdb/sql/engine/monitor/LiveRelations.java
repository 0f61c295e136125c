package org.namdb.sql.engine.monitor;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.AdvisoryLocks;
import org.namdb.fabric.Host;
import org.namdb.memory.client.AdvisoryLockClient;
import org.namdb.sql.engine.catalog.SystemRelation;

/// The relations of `pg_catalog` that show what happens now. Superusers alone may read those that
/// show what others run.
public final class LiveRelations {
    /// The prepared statements of the session that reads it.
    public static final String PREPARED_STATEMENTS = "pg_prepared_statements";

    /// The cursors of the session that reads it.
    public static final String CURSORS = "pg_cursors";

    private static final String DATABASE = "namdb";
    private static final long DATABASE_OID = 5;
    private static final double NANOS_PER_MILLI = 1e6;

    private final Supplier<Collection<SessionActivity>> sessions;
    private final StatementStatistics statements;
    private final Host host;
    private final Supplier<List<AdvisoryLockClient.Held>> locks;

    /// @param sessions those that are open
    /// @param locks the advisory locks
    public LiveRelations(
            Supplier<Collection<SessionActivity>> sessions,
            StatementStatistics statements,
            Host host,
            Supplier<List<AdvisoryLockClient.Held>> locks) {
        this.locks = locks;
        this.sessions = sessions;
        this.statements = statements;
        this.host = host;
    }

    /// The relation of this name; null if there is none.
    public @Nullable SystemRelation relation(String name) {
        return switch (name) {
            case "pg_stat_activity" -> activity();
            case "pg_stat_statements" -> statements();
            case "pg_locks" -> locks();
            case PREPARED_STATEMENTS ->
                    new SystemRelation(
                                    "name text, statement text, prepare_time timestamptz,"
                                            + " parameter_types text[], from_sql bool,"
                                            + " generic_plans int8, custom_plans int8")
                            .ofSession();
            case CURSORS ->
                    new SystemRelation(
                                    "name text, statement text, is_holdable bool, is_binary bool,"
                                            + " is_scrollable bool, creation_time timestamptz")
                            .ofSession();
            default -> null;
        };
    }

    private SystemRelation activity() {
        SystemRelation relation =
                new SystemRelation(
                        "datid oid, datname text, pid int4, usename text, application_name text,"
                                + " client_addr text, client_port int4, backend_start timestamptz,"
                                + " xact_start timestamptz, query_start timestamptz,"
                                + " state_change timestamptz,"
                                + " wait_event_type text, wait_event text, state text, query text,"
                                + " backend_type text");
        Instant now = host.instant();
        long nanos = host.nanoTime();
        for (SessionActivity each : sessions.get()) {
            boolean isActive = each.state() == SessionActivity.State.ACTIVE;
            boolean hasRun = !each.statement().isEmpty();
            String client = each.client();
            int port = client == null ? -1 : client.lastIndexOf(':');
            relation.row(
                    DATABASE_OID,
                    DATABASE,
                    each.number(),
                    each.user(),
                    each.application(),
                    client == null ? null : client.substring(0, port),
                    client == null ? null : Integer.valueOf(client.substring(port + 1)),
                    time(now, nanos - each.openedNanos()),
                    each.transactionNanos() == 0
                            ? null
                            : time(now, nanos - each.transactionNanos()),
                    hasRun ? time(now, nanos - each.statementNanos()) : null,
                    time(now, nanos - each.stateNanos()),
                    isActive ? null : "Client",
                    isActive ? null : "ClientRead",
                    each.state().toString(),
                    each.statement(),
                    "client backend");
        }
        return relation.secret();
    }

    /// The advisory locks of the whole cluster.
    private SystemRelation locks() {
        SystemRelation relation =
                new SystemRelation(
                        "locktype text, database oid, relation oid, page int4, tuple int2,"
                                + " virtualxid text, transactionid text, classid oid, objid oid,"
                                + " objsubid int2, virtualtransaction text, pid int4, mode text,"
                                + " granted bool, fastpath bool, waitstart timestamptz");
        for (AdvisoryLockClient.Held each : locks.get()) {
            relation.row(
                    "advisory",
                    DATABASE_OID,
                    null,
                    null,
                    null,
                    null,
                    null,
                    each.key() >>> Integer.SIZE,
                    each.key() & 0xffffffffL,
                    each.space(),
                    each.computeServer() + "/" + AdvisoryLocks.number(each),
                    AdvisoryLocks.number(each),
                    each.isExclusive() ? "ExclusiveLock" : "ShareLock",
                    each.isGranted(),
                    false,
                    null);
        }
        return relation;
    }

    private static Instant time(Instant now, long nanosAgo) {
        return now.minusNanos(Math.max(0, nanosAgo)).truncatedTo(ChronoUnit.MICROS);
    }

    private SystemRelation statements() {
        SystemRelation relation =
                new SystemRelation(
                        "dbid oid, queryid int8, query text, calls int8, total_exec_time float8,"
                                + " min_exec_time float8, max_exec_time float8, mean_exec_time float8,"
                                + " rows int8, failures int8, verbs int8, bytes int8, round_trips int8");
        for (StatementStatistics.Entry each : statements.entries()) {
            long calls = Math.max(1, each.calls());
            relation.row(
                    DATABASE_OID,
                    (long) each.text().hashCode(),
                    each.text(),
                    each.calls(),
                    each.nanos() / NANOS_PER_MILLI,
                    each.minNanos() / NANOS_PER_MILLI,
                    each.maxNanos() / NANOS_PER_MILLI,
                    each.nanos() / NANOS_PER_MILLI / calls,
                    each.rows(),
                    each.failures(),
                    each.verbs(),
                    each.bytes(),
                    each.roundTrips());
        }
        return relation.secret();
    }
}
