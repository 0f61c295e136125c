package org.namdb.sql.engine;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.AdvisoryLocks;
import org.namdb.fabric.VerbTally;
import org.namdb.sql.engine.expression.SessionContext;
import org.namdb.sql.engine.monitor.LiveRelations;
import org.namdb.sql.engine.sequence.SessionSequences;
import org.namdb.sql.engine.setting.Settings;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The settings of a session with those of its transaction block, for SET, SHOW and functions.
final class SessionSettings implements SessionContext {
    private final Settings settings;
    private final SessionUser user;
    private final TransactionBlock block;
    private final int number;
    private final Supplier<VerbTally> lastVerbs;
    private final Supplier<SnapshotInfo> snapshot;
    private final SessionSequences sequences;
    private final SessionLocks locks;
    private final NamedStatements statements;
    private @Nullable PlannedStatements functions;

    /// @param lastVerbs what the last statement has cost that has ended
    /// @param snapshot of the open transaction
    /// @param statements those that are prepared
    SessionSettings(
            Settings settings,
            SessionUser user,
            TransactionBlock block,
            int number,
            Supplier<VerbTally> lastVerbs,
            Supplier<SnapshotInfo> snapshot,
            SessionSequences sequences,
            SessionLocks locks,
            NamedStatements statements) {
        this.settings = settings;
        this.user = user;
        this.block = block;
        this.number = number;
        this.lastVerbs = lastVerbs;
        this.snapshot = snapshot;
        this.sequences = sequences;
        this.locks = locks;
        this.statements = statements;
    }

    @Override
    public String setting(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case Settings.ISOLATION -> block.isolation();
            case Settings.READ_ONLY -> block.isReadOnly() ? "on" : "off";
            case Settings.LAST_VERBS -> text(lastVerbs.get());
            case Settings.SNAPSHOT -> text(snapshot.get());
            case Settings.IS_SUPERUSER -> user.authority().isSuperuser() ? "on" : "off";
            default -> settings.show(name);
        };
    }

    private static String text(VerbTally verbs) {
        return "read=%d write=%d cas=%d faa=%d send=%d bytes=%d round_trips=%d"
                .formatted(
                        verbs.reads(),
                        verbs.writes(),
                        verbs.compareAndSwaps(),
                        verbs.fetchAndAdds(),
                        verbs.sends(),
                        verbs.bytes(),
                        verbs.roundTrips());
    }

    private static String text(SnapshotInfo snapshot) {
        Duration age = snapshot.age();
        return "own_slot=%d%s written_rows=%d held_bytes=%d slots=%s"
                .formatted(
                        snapshot.ownSlot(),
                        age == null ? "" : " age_nanos=" + age.toNanos(),
                        snapshot.writtenRows(),
                        snapshot.heldBytes(),
                        snapshot.slots().entrySet().stream()
                                .map(slot -> slot.getKey() + ":" + slot.getValue())
                                .collect(Collectors.joining(",")));
    }

    @Override
    public void set(String name, String value, boolean isLocal) {
        assign(name.toLowerCase(Locale.ROOT), value, isLocal);
    }

    /// @param name in lower case
    /// @param value null for the initial one
    void assign(String name, @Nullable String value, boolean isLocal) {
        if (value != null && SessionUser.isSetting(name)) {
            user.requireAllowed(name, value);
        }
        if (name.equals(Settings.LOG_MIN_DURATION) && !user.authority().isSuperuser()) {
            throw new SqlException(
                    SqlState.INSUFFICIENT_PRIVILEGE,
                    "permission denied to set parameter \"" + name + "\"");
        }
        if (name.equals(Settings.ISOLATION) && value != null && block.isBlock()) {
            block.modes(value.toLowerCase(Locale.ROOT), null);
        } else if (name.equals(Settings.READ_ONLY) && value != null && block.isBlock()) {
            block.modes(null, !value.equalsIgnoreCase("off"));
        } else {
            settings.set(name, value, isLocal);
            if (name.equals(Settings.SESSION_AUTHORIZATION)) {
                settings.set(Settings.ROLE, Settings.NO_ROLE, isLocal);
            }
        }
    }

    @Override
    public String currentUser() {
        return settings.role();
    }

    @Override
    public String sessionUser() {
        return user.sessionUser();
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public SessionSequences sequences() {
        return sequences;
    }

    @Override
    public boolean lock(
            AdvisoryLocks.Key key, boolean isExclusive, boolean isOfTransaction, boolean waits) {
        if (!waits) {
            return locks.tryLock(key, isExclusive, isOfTransaction);
        }
        locks.lock(
                key,
                isExclusive,
                isOfTransaction,
                settings.lockTimeoutMillis(),
                Objects.requireNonNull(functions)::stepAside);
        return true;
    }

    @Override
    public boolean unlock(AdvisoryLocks.Key key, boolean isExclusive) {
        return locks.unlock(key, isExclusive);
    }

    @Override
    public void unlockAll() {
        locks.unlockAll();
    }

    /// What runs functions of users that expressions call.
    void callBy(PlannedStatements caller) {
        functions = caller;
    }

    @Override
    public @Nullable Object call(String routine, @Nullable Object[] arguments) {
        return Objects.requireNonNull(functions).callFunction(routine, arguments);
    }

    @Override
    public List<@Nullable Object[]> rows(String routine, @Nullable Object[] arguments) {
        return Objects.requireNonNull(functions).callRows(routine, arguments);
    }

    @Override
    public List<@Nullable Object[]> relation(String name) {
        return switch (name) {
            case LiveRelations.PREPARED_STATEMENTS -> statements.rows();
            case LiveRelations.CURSORS -> block.cursors().rows();
            default -> throw new IllegalStateException(name);
        };
    }
}
