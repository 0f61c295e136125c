package org.namdb.sql.engine.setting;

import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.journal.Durability;
import org.namdb.sql.engine.setting.Setting.Kind;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.type.TimeZones;

/// The settings of one session, with PostgreSQL's names. What SET changes in a transaction is
/// undone when the transaction is rolled back; SET LOCAL ends with the transaction.
public final class Settings {
    public static final String TIME_ZONE = "timezone";
    public static final String DURABILITY = "durability";
    public static final String STATEMENT_TIMEOUT = "statement_timeout";
    public static final String IDLE_IN_TRANSACTION_TIMEOUT = "idle_in_transaction_session_timeout";
    public static final String LOCK_TIMEOUT = "lock_timeout";

    /// How long a schema change waits unless [#LOCK_TIMEOUT] is set.
    public static final long SCHEMA_WAIT_MILLIS = 5_000;

    public static final String LOG_MIN_DURATION = "log_min_duration_statement";
    public static final String APPLICATION_NAME = "application_name";
    public static final String SYNCHRONOUS_COMMIT = "synchronous_commit";
    public static final String WORK_MEM = "work_mem";
    public static final String ROLE = "role";
    public static final String SESSION_AUTHORIZATION = "session_authorization";
    public static final String IS_SUPERUSER = "is_superuser";

    /// The value of [#ROLE] where no SET ROLE holds.
    public static final String NO_ROLE = "none";

    public static final String TEMP_FILE_LIMIT = "temp_file_limit";
    public static final String TRANSACTION_MEMORY = "transaction_memory";

    /// Where temporary files are made.
    public static final Path DEFAULT_TEMP_DIRECTORY =
            Path.of(System.getProperty("java.io.tmpdir", "/tmp"));

    public static final String CLIENT_MIN_MESSAGES = "client_min_messages";
    public static final String DEFAULT_ISOLATION = "default_transaction_isolation";
    public static final String DEFAULT_READ_ONLY = "default_transaction_read_only";
    public static final String ISOLATION = "transaction_isolation";
    public static final String READ_ONLY = "transaction_read_only";

    /// Whether SERIALIZABLE is taken for snapshot isolation instead of being refused.
    public static final String ALLOW_DOWNGRADE = "namdb.allow_serializable_downgrade";

    /// What the last statement has cost: `read=2 write=0 cas=0 faa=0 send=0 bytes=296
    /// round_trips=1`.
    public static final String LAST_VERBS = "namdb.last_verbs";

    /// The snapshot of the open transaction, and what the transaction has done:
    /// `own_slot=3 age_nanos=2000 written_rows=2 held_bytes=0 slots=0:17,3:4`.
    public static final String SNAPSHOT = "namdb.snapshot";

    /// How long an advisory lock is waited for, in milliseconds; 0 for no limit.
    public long lockTimeoutMillis() {
        return millis(LOCK_TIMEOUT);
    }

    /// How often a statement outside of a transaction block is tried when it loses conflicts.
    public static final String ATTEMPTS = "namdb.autocommit_attempts";

    /// How often a transaction block is run when it loses conflicts, and its statements give the
    /// same again.
    public static final String BLOCK_ATTEMPTS = "namdb.block_attempts";

    /// How often a procedure outside of a transaction block is run when it loses conflicts.
    public static final String PROCEDURE_ATTEMPTS = "namdb.procedure_attempts";

    /// The isolation level that everything runs in.
    public static final String SNAPSHOT_ISOLATION = "repeatable read";

    /// The name of a setting as SHOW puts it over the value.
    public static String shownName(String name) {
        return switch (name) {
            case "datestyle" -> "DateStyle";
            case "intervalstyle" -> "IntervalStyle";
            case "timezone" -> "TimeZone";
            default -> name;
        };
    }

    private static final List<String> LEVELS =
            List.of(
                    "serializable",
                    "repeatable read",
                    "snapshot",
                    "read committed",
                    "read uncommitted");
    private static final Map<String, Setting> KNOWN = new TreeMap<>();

    static {
        text(APPLICATION_NAME, "", "The application's name, for statistics and logs.");
        choice("bytea_output", "hex", List.of("hex"), "The output format of bytea.");
        bool("check_function_bodies", "on", "Kept for dumps: bodies are parsed, not checked.");
        choice(
                "client_encoding",
                "UTF8",
                List.of("UTF8", "UNICODE", "SQL_ASCII"),
                "The client's character set.");
        choice(
                CLIENT_MIN_MESSAGES,
                "notice",
                List.of("debug", "log", "notice", "warning", "error"),
                "The least level of messages that are sent to the client.");
        add("datestyle", Kind.DATE_STYLE, "ISO, MDY", "The format of dates and times.");
        choice(
                "default_table_access_method",
                "heap",
                List.of("heap"),
                "Kept for dumps: there is one kind of table.");
        choice(
                "default_tablespace",
                "",
                List.of("", "pg_default"),
                "Kept for dumps: there is one tablespace.");
        choice(DEFAULT_ISOLATION, SNAPSHOT_ISOLATION, LEVELS, "The isolation of new transactions.");
        bool(DEFAULT_READ_ONLY, "off", "Whether new transactions are read-only.");
        choice(
                DURABILITY,
                "none",
                List.of("sync", "async", "none"),
                "What a commit is acknowledged after, where there is a data directory.");
        KNOWN.put(
                "extra_float_digits",
                new Setting(
                        "extra_float_digits",
                        Kind.INTEGER,
                        "1",
                        List.of("0", "3"),
                        "Kept for clients; floats are always shown exactly."));
        add(
                IDLE_IN_TRANSACTION_TIMEOUT,
                Kind.DURATION,
                "0",
                "How long a client of a server may leave a transaction block idle.");
        fixed("in_hot_standby", "off", "Whether the server is a standby: it never is.");
        fixed("integer_datetimes", "on", "Whether times are integers.");
        choice("intervalstyle", "postgres", List.of("postgres"), "The output format of intervals.");
        fixed(IS_SUPERUSER, "on", "Whether the user may do everything.");
        add(
                LOCK_TIMEOUT,
                Kind.DURATION,
                "0",
                "How long a definition waits for transactions; 0 for 5 seconds.");
        add(
                LOG_MIN_DURATION,
                Kind.DURATION_LIMIT,
                "-1",
                "Statements that take so long are logged; -1 for none.");
        IgnoredSettings.addTo(setting -> KNOWN.put(setting.name(), setting));
        bool(ALLOW_DOWNGRADE, "off", "Whether SERIALIZABLE runs as snapshot isolation.");
        add(
                ATTEMPTS,
                Kind.INTEGER,
                "10",
                "How often a lone statement is tried when it loses a conflict.");
        add(
                BLOCK_ATTEMPTS,
                Kind.INTEGER,
                "100",
                "How often a transaction block is tried when it loses a conflict.");
        add(
                PROCEDURE_ATTEMPTS,
                Kind.INTEGER,
                "100",
                "How often a procedure is run when it loses a conflict.");
        fixed(LAST_VERBS, "", "The verbs that the last statement has cost.");
        fixed(SNAPSHOT, "", "The snapshot of the open transaction, slot by slot.");
        text(ROLE, NO_ROLE, "The role whose rights hold; none for the session's user.");
        bool("row_security", "on", "Kept for dumps: there are no policies of rows.");
        text("search_path", "public", "Kept for clients: there is one schema.");
        text(SESSION_AUTHORIZATION, "namdb", "The session's user.");
        fixed("server_encoding", "UTF8", "The server's character set.");
        fixed("server_version", "15.0", "The version of PostgreSQL whose dialect is spoken.");
        fixed("server_version_num", "150000", "The same as a number.");
        choice(
                "standard_conforming_strings",
                "on",
                List.of("on"),
                "Whether '...' strings treat backslashes literally.");
        add(STATEMENT_TIMEOUT, Kind.DURATION, "0", "The longest time that a statement may take.");
        bool("synchronize_seqscans", "on", "Kept for dumps: scans never begin in the middle.");
        choice(
                SYNCHRONOUS_COMMIT,
                "on",
                List.of("on", "off"),
                "Off makes the durability sync async.");
        fixed(
                "temp_directory",
                DEFAULT_TEMP_DIRECTORY.toString(),
                "Where temporary files are made: java.io.tmpdir of the process.");
        add(
                TEMP_FILE_LIMIT,
                Kind.MEMORY_LIMIT,
                "-1",
                "The most that a statement's temporary files may hold; -1 for no limit.");
        add(
                TIME_ZONE,
                Kind.ZONE,
                "UTC",
                "The time zone in which timestamps with time zone are read and shown.");
        choice(ISOLATION, SNAPSHOT_ISOLATION, LEVELS, "The current transaction's isolation.");
        add(
                TRANSACTION_MEMORY,
                Kind.MEMORY_LIMIT,
                "-1",
                "The most that a transaction may hold of this process's memory; -1 for no limit.");
        bool(READ_ONLY, "off", "Whether the current transaction is read-only.");
        add(WORK_MEM, Kind.MEMORY, "64MB", "The memory that a sort or a hash table may take.");
        choice(
                "xmloption",
                "content",
                List.of("content", "document"),
                "Kept for dumps: there is no XML.");
    }

    /// What SHOW ALL gives of a setting.
    ///
    /// @param name its name
    /// @param value its value
    /// @param description what it is for
    public record Shown(String name, String value, String description) {}

    private Map<String, String> values = new HashMap<>();
    private Map<String, String> local = new HashMap<>();
    private Map<String, String> before = Map.of();

    /// Initial values that the session's opening has changed.
    private final Map<String, String> defaults = new HashMap<>();

    private long version;

    private Cached cached = cached();

    /// The settings of every statement, computed when a setting changes.
    private record Cached(
            long statementTimeoutMillis,
            long idleInTransactionTimeoutMillis,
            long workMemBytes,
            long tempFileLimitBytes,
            long transactionMemoryBytes,
            int attempts,
            int blockAttempts,
            int procedureAttempts,
            boolean isDefaultReadOnly,
            Durability durability,
            long logMinDurationMillis,
            String applicationName,
            String sessionUser,
            String role,
            ZoneId zone) {}

    /// The names of all settings, in order.
    public static List<String> names() {
        return List.copyOf(KNOWN.keySet());
    }

    /// The value of a setting, as SHOW gives it.
    ///
    /// @throws SqlException 42704 if there is none of this name
    public String show(String name) {
        return value(known(name));
    }

    /// All settings, in order of their names.
    public List<Shown> showAll() {
        List<Shown> all = new ArrayList<>();
        for (Setting setting : KNOWN.values()) {
            all.add(new Shown(setting.name(), value(setting), setting.description()));
        }
        return all;
    }

    /// Sets or resets a setting.
    ///
    /// @param value null for its initial value
    /// @param isLocal whether only until the transaction ends
    /// @throws SqlException 42704 if there is none of this name, 22023 if it can't have the value,
    ///     55P02 if it can't be set
    public void set(String name, @Nullable String value, boolean isLocal) {
        Setting setting = known(name);
        String checked = value == null ? initial(setting) : setting.checked(value);
        if (setting.name().equals(DEFAULT_ISOLATION)) {
            checkIsolation(checked);
        }
        if (isLocal) {
            local.put(setting.name(), checked);
        } else {
            values.put(setting.name(), checked);
            local.remove(setting.name());
        }
        cached = cached();
    }

    /// Sets what a setting is until it is set, and after it is reset.
    ///
    /// @throws SqlException as [#set]
    public void setDefault(String name, String value) {
        Setting setting = known(name);
        defaults.put(setting.name(), setting.checked(value));
        cached = cached();
    }

    /// Resets all settings.
    public void resetAll() {
        values.clear();
        local.clear();
        cached = cached();
    }

    /// The longest time that a statement may take, in milliseconds; 0 if there is no limit.
    public long statementTimeoutMillis() {
        return cached.statementTimeoutMillis;
    }

    /// How long a client may leave a transaction block idle, in milliseconds; 0 for no limit.
    public long idleInTransactionTimeoutMillis() {
        return cached.idleInTransactionTimeoutMillis;
    }

    /// How long a schema change waits for transactions, and for other changes, in milliseconds.
    public long schemaWaitMillis() {
        long set = lockTimeoutMillis();
        return set == 0 ? SCHEMA_WAIT_MILLIS : set;
    }

    /// How often a statement outside of a transaction block is tried: 1 or more.
    public int attempts() {
        return cached.attempts;
    }

    /// How often a transaction block is run: 1 or more.
    public int blockAttempts() {
        return cached.blockAttempts;
    }

    /// How often a procedure outside of a transaction block is run.
    public int procedureAttempts() {
        return cached.procedureAttempts;
    }

    /// Whether a message is sent to the client.
    public boolean shows(Notice notice) {
        String least = show(CLIENT_MIN_MESSAGES);
        return switch (notice.severity()) {
            case INFO -> true;
            case NOTICE -> !least.equals("warning") && !least.equals("error");
            case WARNING -> !least.equals("error");
        };
    }

    /// What an acknowledged commit outlives.
    public Durability durability() {
        return cached.durability;
    }

    /// Whether new transactions are read-only.
    public boolean isDefaultReadOnly() {
        return cached.isDefaultReadOnly;
    }

    /// The memory that a sort or a hash table may take.
    public long workMemBytes() {
        return cached.workMemBytes;
    }

    /// Statements that take so many milliseconds are logged; below 0 for none.
    public long logMinDurationMillis() {
        return cached.logMinDurationMillis;
    }

    /// What the client calls itself.
    public String applicationName() {
        return cached.applicationName;
    }

    /// The session's user, whatever SET ROLE has said.
    public String sessionUser() {
        return cached.sessionUser;
    }

    /// The role whose rights hold.
    public String role() {
        return cached.role;
    }

    /// The most that a statement's temporary files may hold; [Long#MAX_VALUE] without a limit.
    public long tempFileLimitBytes() {
        return cached.tempFileLimitBytes;
    }

    /// The most that a transaction may hold of this process's memory; [Long#MAX_VALUE] without a
    /// limit.
    public long transactionMemoryBytes() {
        return cached.transactionMemoryBytes;
    }

    /// The time zone in which moments are read and shown.
    public ZoneId zone() {
        return cached.zone;
    }

    /// A number that changes when a setting does.
    public long version() {
        return version;
    }

    private Cached cached() {
        version++;
        return new Cached(
                millis(STATEMENT_TIMEOUT),
                millis(IDLE_IN_TRANSACTION_TIMEOUT),
                Units.kilobytes(known(WORK_MEM), show(WORK_MEM)) << 10,
                limitBytes(TEMP_FILE_LIMIT),
                limitBytes(TRANSACTION_MEMORY),
                Math.clamp(Long.parseLong(show(ATTEMPTS)), 1, Integer.MAX_VALUE),
                Math.clamp(Long.parseLong(show(BLOCK_ATTEMPTS)), 1, Integer.MAX_VALUE),
                Math.clamp(Long.parseLong(show(PROCEDURE_ATTEMPTS)), 1, Integer.MAX_VALUE),
                isOn(DEFAULT_READ_ONLY),
                readDurability(),
                show(LOG_MIN_DURATION).equals(Setting.NO_LIMIT) ? -1 : millis(LOG_MIN_DURATION),
                show(APPLICATION_NAME),
                show(SESSION_AUTHORIZATION),
                show(ROLE).equals(NO_ROLE) ? show(SESSION_AUTHORIZATION) : show(ROLE),
                Objects.requireNonNull(TimeZones.find(show(TIME_ZONE))));
    }

    private Durability readDurability() {
        Durability chosen = Durability.valueOf(show(DURABILITY).toUpperCase(Locale.ROOT));
        return chosen == Durability.SYNC && !isOn(SYNCHRONOUS_COMMIT) ? Durability.ASYNC : chosen;
    }

    private long limitBytes(String name) {
        String value = show(name);
        return value.equals(Setting.NO_LIMIT)
                ? Long.MAX_VALUE
                : Units.kilobytes(known(name), value) << 10;
    }

    private boolean isOn(String name) {
        return show(name).equals("on");
    }

    private long millis(String name) {
        String value = show(name);
        return value.equals("0") ? 0 : Units.milliseconds(known(name), value);
    }

    /// Refuses an isolation level that this database does not give.
    ///
    /// @param level in lower case
    /// @throws SqlException 0A000 for SERIALIZABLE, unless it may be taken for snapshot isolation
    public void checkIsolation(String level) {
        if (!LEVELS.contains(level)) {
            throw new SqlException(
                            SqlState.INVALID_PARAMETER_VALUE,
                            "invalid value for parameter \"transaction_isolation\": \""
                                    + level
                                    + "\"")
                    .withHint("Available values: " + String.join(", ", LEVELS) + ".");
        }
        if (level.equals("serializable") && !isOn(ALLOW_DOWNGRADE)) {
            throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "isolation level SERIALIZABLE is not supported")
                    .withHint(
                            "Transactions run in snapshot isolation (REPEATABLE READ). SET "
                                    + ALLOW_DOWNGRADE
                                    + " = on takes SERIALIZABLE for that.");
        }
    }

    /// A transaction begins: what is set from now on can be undone.
    public void begin() {
        before = new HashMap<>(values);
    }

    /// The transaction is committed.
    public void commit() {
        if (!local.isEmpty()) {
            local.clear();
            cached = cached();
        }
    }

    /// The transaction is rolled back, and what was set in it.
    public void rollback() {
        local.clear();
        values = new HashMap<>(before);
        cached = cached();
    }

    /// What is set now, to go back to it.
    public Saved save() {
        return new Saved(Map.copyOf(values), Map.copyOf(local));
    }

    /// Restores what was set then.
    public void restore(Saved saved) {
        values = new HashMap<>(saved.values);
        local = new HashMap<>(saved.local);
        cached = cached();
    }

    /// What was set at a savepoint.
    public static final class Saved {
        private final Map<String, String> values;
        private final Map<String, String> local;

        private Saved(Map<String, String> values, Map<String, String> local) {
            this.values = values;
            this.local = local;
        }
    }

    private String value(Setting setting) {
        String value = local.get(setting.name());
        if (value == null) {
            value = values.get(setting.name());
        }
        return value == null ? initial(setting) : value;
    }

    private String initial(Setting setting) {
        return defaults.getOrDefault(setting.name(), setting.initial());
    }

    private static Setting known(String name) {
        Setting setting = KNOWN.get(name.toLowerCase(Locale.ROOT));
        if (setting == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_OBJECT,
                    "unrecognized configuration parameter \"" + name + "\"");
        }
        return setting;
    }

    private static void text(String name, String initial, String description) {
        add(name, Kind.TEXT, initial, description);
    }

    private static void bool(String name, String initial, String description) {
        add(name, Kind.BOOLEAN, initial, description);
    }

    private static void fixed(String name, String value, String description) {
        add(name, Kind.FIXED, value, description);
    }

    private static void add(String name, Kind kind, String initial, String description) {
        KNOWN.put(name, new Setting(name, kind, initial, List.of(), description));
    }

    private static void choice(
            String name, String initial, List<String> choices, String description) {
        KNOWN.put(name, new Setting(name, Kind.CHOICE, initial, choices, description));
    }
}
