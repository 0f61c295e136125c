package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.namdb.compute.maintenance.MaintenanceThread;

/// Clients of a cluster's compute servers that change a database while its processes are killed,
/// and keep a record of what they were told. Each connects again when its connection is lost.
///
/// | client | a transaction |
/// |---|---|
/// | transfers | an entry of a log, two balances, a token that is deleted and inserted, now and then a row of a cached table |
/// | batches | a batch of rows whose image is larger than a ring, or the end of one |
/// | tables | a table with rows, or the end of one |
final class RecordedLoad implements AutoCloseable {
    private static final int TRANSFERS = 4;
    private static final int ACCOUNTS = 20;
    private static final int LIMITS = 2;
    private static final int BATCH_ROWS = 400;
    private static final int TABLE_ROWS = 5;

    /// What a client is told while processes die, and can try again: its transaction is rolled
    /// back, or its connection is lost.
    private static final String CONFLICT = "40001";

    /// DDL waits for all compute servers, and for a dead one not as long as its lease.
    private static final String BUSY = "55P03";

    private static final Set<String> LOST = Set.of("08006", "08001", "08003", "57P01");

    private static final long PROGRESS_NANOS = Duration.ofMinutes(2).toNanos();

    /// What a client knows of something that it has made.
    private enum Known {
        THERE,
        ABSENT,
        IN_DOUBT
    }

    private final List<String> addresses;
    private final List<Client> clients = new ArrayList<>();
    private final Map<String, Integer> failures = new ConcurrentHashMap<>();
    private final ReentrantReadWriteLock pause = new ReentrantReadWriteLock(true);
    private volatile boolean isDone;

    /// @param addresses of the compute servers, `host:port`
    RecordedLoad(List<String> addresses, long seed) throws SQLException {
        this.addresses = addresses;
        try (Connection connection = connect(0);
                Statement statement = connection.createStatement()) {
            for (String each :
                    List.of(
                            "CREATE TABLE accounts (id INT PRIMARY KEY, balance BIGINT)",
                            "CREATE TABLE log (id BIGINT PRIMARY KEY, client INT, source INT,"
                                    + " target INT, bound INT, note TEXT UNIQUE)",
                            "CREATE INDEX by_client ON log (client)",
                            "CREATE TABLE tokens (client INT, n BIGINT, PRIMARY KEY (client, n))",
                            "CREATE TABLE bounds (id INT PRIMARY KEY, n BIGINT) WITH (cached = true)",
                            "CREATE TABLE batches (batch BIGINT, n INT, text TEXT,"
                                    + " PRIMARY KEY (batch, n))",
                            "CREATE TABLE judged (round INT PRIMARY KEY)",
                            "INSERT INTO accounts SELECT i, 100 FROM generate_series(0, %d) AS s(i)"
                                    .formatted(ACCOUNTS - 1),
                            "INSERT INTO tokens SELECT i, 0 FROM generate_series(0, %d) AS s(i)"
                                    .formatted(TRANSFERS - 1),
                            "INSERT INTO bounds SELECT i, 0 FROM generate_series(0, %d) AS s(i)"
                                    .formatted(LIMITS - 1))) {
                statement.execute(each);
            }
        }
        SplittableRandom random = new SplittableRandom(seed);
        for (int number = 0; number < TRANSFERS; number++) {
            clients.add(new Transfers(number, random.split()));
        }
        clients.add(new Batches(TRANSFERS, random.split()));
        clients.add(new Tables(TRANSFERS + 1, random.split()));
        clients.forEach(Client::start);
    }

    private Connection connect(int server) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://"
                        + addresses.get(server)
                        + "/namdb?user=namdb&loginTimeout=10&connectTimeout=10&socketTimeout=100");
    }

    /// Waits until each client was told of another commit.
    void awaitProgress(Supplier<String> state) throws InterruptedException {
        List<Long> before = clients.stream().map(each -> each.commits.sum()).toList();
        long begin = System.nanoTime();
        for (int i = 0; i < before.size(); i++) {
            Client client = clients.get(i);
            while (client.commits.sum() == before.get(i)) {
                assertThat(client.unexpected).isNull();
                assertThat(client.thread.isAlive()).isTrue();
                if (System.nanoTime() - begin > PROGRESS_NANOS) {
                    throw new AssertionError(
                            "client %d has no commit; its last failure: %s; %s"
                                    .formatted(client.number, client.lastFailure, state.get()));
                }
                Thread.sleep(10);
            }
        }
    }

    /// Compares the database with the record, while no transaction runs.
    void judge(int round, int server) throws SQLException {
        pause.writeLock().lock();
        try (Connection connection = connect(server);
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (int tries = 0; ; tries++) {
                try {
                    Found found = Found.read(statement);
                    // What was read is on the disks then: reads don't wait for that.
                    statement.execute("INSERT INTO judged VALUES (" + round + ")");
                    connection.commit();
                    clients.forEach(each -> each.compare(found));
                    found.requireWhole();
                    return;
                } catch (SQLException e) {
                    if (!CONFLICT.equals(e.getSQLState()) || tries > 50) {
                        throw e;
                    }
                    connection.rollback();
                }
            }
        } finally {
            pause.writeLock().unlock();
        }
    }

    /// How many commits were acknowledged.
    long commits() {
        return clients.stream().mapToLong(each -> each.commits.sum()).sum();
    }

    /// How often what has failed.
    Map<String, Integer> failures() {
        return new TreeMap<>(failures);
    }

    /// Ends the clients.
    @Override
    public void close() {
        isDone = true;
        clients.forEach(each -> MaintenanceThread.joinUninterruptibly(each.thread));
    }

    /// All of the database, in one snapshot.
    private record Found(
            Map<Long, long[]> log,
            Map<Long, Long> balances,
            Map<Long, List<Long>> tokens,
            Map<Long, Long> bounds,
            Map<Long, Long> batches,
            Map<Long, Long> tables) {
        static Found read(Statement statement) throws SQLException {
            Map<Long, long[]> log = new HashMap<>();
            Map<Long, List<Long>> tokens = new HashMap<>();
            for (long[] row :
                    rows(statement, "SELECT id, client, source, target, bound FROM log")) {
                log.put(row[0], row);
            }
            for (long[] row : rows(statement, "SELECT client, n FROM tokens")) {
                tokens.computeIfAbsent(row[0], _ -> new ArrayList<>()).add(row[1]);
            }
            Map<Long, Long> tables = new HashMap<>();
            for (long[] row :
                    rows(
                            statement,
                            "SELECT CAST(substring(table_name FROM 6) AS BIGINT), 0"
                                    + " FROM information_schema.tables"
                                    + " WHERE table_name LIKE 'made\\_%'")) {
                String count = "SELECT count(*), 0 FROM made_" + row[0];
                tables.put(row[0], rows(statement, count).getFirst()[0]);
            }
            return new Found(
                    log,
                    pairs(statement, "SELECT id, balance FROM accounts"),
                    tokens,
                    pairs(statement, "SELECT id, n FROM bounds"),
                    pairs(statement, "SELECT batch, count(*) FROM batches GROUP BY batch"),
                    tables);
        }

        private static Map<Long, Long> pairs(Statement statement, String query)
                throws SQLException {
            Map<Long, Long> pairs = new HashMap<>();
            rows(statement, query).forEach(row -> pairs.put(row[0], row[1]));
            return pairs;
        }

        private static List<long[]> rows(Statement statement, String query) throws SQLException {
            List<long[]> rows = new ArrayList<>();
            try (ResultSet result = statement.executeQuery(query)) {
                long[] row = new long[result.getMetaData().getColumnCount()];
                while (result.next()) {
                    for (int i = 0; i < row.length; i++) {
                        row[i] = result.getLong(i + 1);
                    }
                    rows.add(row.clone());
                }
            }
            return rows;
        }

        /// Each transfer is there as a whole, once, or not at all.
        void requireWhole() {
            Map<Long, Long> expected = new HashMap<>();
            Map<Long, Long> limits = new HashMap<>();
            long[] counts = new long[TRANSFERS];
            for (long id = 0; id < ACCOUNTS; id++) {
                expected.put(id, 100L);
            }
            for (long id = 0; id < LIMITS; id++) {
                limits.put(id, 0L);
            }
            for (long[] row : log.values()) {
                counts[(int) row[1]]++;
                long _ = expected.merge(row[2], -1L, Long::sum);
                long _ = expected.merge(row[3], 1L, Long::sum);
                if (row[4] >= 0) {
                    long _ = limits.merge(row[4], 1L, Long::sum);
                }
            }
            assertThat(balances).isEqualTo(expected);
            assertThat(bounds).isEqualTo(limits);
            for (int client = 0; client < TRANSFERS; client++) {
                assertThat(tokens.get((long) client))
                        .as("tokens of client %d", client)
                        .containsExactly(counts[client]);
            }
            assertThat(batches.values()).allMatch(count -> count == BATCH_ROWS);
            assertThat(tables.values()).allMatch(count -> count == TABLE_ROWS);
        }
    }

    /// What a client does in one transaction.
    @FunctionalInterface
    private interface Work {
        void run(Statement statement) throws SQLException;
    }

    /// One client, with what it knows of each thing that it has made.
    private abstract class Client {
        final int number;
        final SplittableRandom random;
        final Map<Long, Known> known = new ConcurrentHashMap<>();
        private Thread thread = new Thread();
        private final LongAdder commits = new LongAdder();
        private volatile Throwable unexpected;
        private volatile String lastFailure = "none";
        private long made;

        Client(int number, SplittableRandom random) {
            this.number = number;
            this.random = random;
        }

        void start() {
            thread = Thread.ofPlatform().name("client-" + number).start(this::run);
        }

        private void run() {
            try {
                while (!isDone) {
                    try (Connection connection = connect(number % addresses.size())) {
                        connection.setAutoCommit(false);
                        while (!isDone) {
                            work(connection);
                        }
                    } catch (SQLException e) {
                        note(e); // a connection that can't be opened has changed nothing
                        Thread.sleep(50);
                    }
                }
            } catch (Throwable e) {
                unexpected = e;
            }
        }

        private void note(SQLException e) {
            lastFailure = e.getSQLState() + " " + e.getMessage();
            int _ = failures.merge(String.valueOf(e.getSQLState()), 1, Integer::sum);
        }

        private void failed(SQLException e) {
            note(e);
            if (!isRefused(e) && !LOST.contains(e.getSQLState())) {
                throw new AssertionError("client %d: %s".formatted(number, lastFailure), e);
            }
        }

        /// Whether the transaction was rolled back.
        boolean isRefused(SQLException e) {
            return CONFLICT.equals(e.getSQLState());
        }

        /// Makes something, or ends it.
        abstract void work(Connection connection) throws SQLException;

        final long nextId() {
            return number * 1_000_000_000L + made++;
        }

        /// Runs a transaction, and records what is known of its outcome.
        ///
        /// @param after what is known of `id` when it was acknowledged
        final void transact(Connection connection, long id, Known after, Work work)
                throws SQLException {
            Known before = after == Known.THERE ? Known.ABSENT : Known.THERE;
            boolean isCommitting = false;
            pause.readLock().lock();
            try (Statement statement = connection.createStatement()) {
                work.run(statement);
                isCommitting = true;
                known.put(id, Known.IN_DOUBT);
                connection.commit();
                known.put(id, after);
                commits.increment();
            } catch (SQLException e) {
                failed(e);
                if (!isCommitting || isRefused(e)) {
                    known.put(id, before);
                }
                if (!isRefused(e)) {
                    throw e;
                }
                connection.rollback();
            } finally {
                pause.readLock().unlock();
            }
        }

        abstract Set<Long> found(Found found);

        /// Afterwards nothing is in doubt.
        private void compare(Found found) {
            Set<Long> there = found(found);
            known.forEach((id, known) -> {
                boolean isThere = there.contains(id);
                if (known != Known.IN_DOUBT) {
                    assertThat(isThere)
                            .as("%s of client %d, which is %s", id, number, known)
                            .isEqualTo(known == Known.THERE);
                }
            });
            known.replaceAll((id, _) -> there.contains(id) ? Known.THERE : Known.ABSENT);
            assertThat(known.keySet()).as("of client %d", number).containsAll(there);
        }

        /// One of those that are there, or null.
        final Long any() {
            List<Long> there =
                    known.entrySet().stream()
                            .filter(each -> each.getValue() == Known.THERE)
                            .map(Map.Entry::getKey)
                            .toList();
            return there.isEmpty() ? null : there.get(random.nextInt(there.size()));
        }

        final void rest(int millis) {
            try {
                Thread.sleep(random.nextInt(millis));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private final class Transfers extends Client {
        Transfers(int number, SplittableRandom random) {
            super(number, random);
        }

        @Override
        void work(Connection connection) throws SQLException {
            long id = nextId();
            int source = random.nextInt(ACCOUNTS);
            int target = (source + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
            int bound = random.nextInt(8) == 0 ? number % LIMITS : -1;
            String move = "UPDATE accounts SET balance = balance + %d WHERE id = %d";
            transact(
                    connection,
                    id,
                    Known.THERE,
                    statement -> {
                        statement.execute(
                                "INSERT INTO log VALUES (%1$d, %2$d, %3$d, %4$d, %5$d, 'entry %1$d')"
                                        .formatted(id, number, source, target, bound));
                        statement.execute(move.formatted(-1, source));
                        statement.execute(move.formatted(1, target));
                        if (bound >= 0) {
                            statement.execute("UPDATE bounds SET n = n + 1 WHERE id = " + bound);
                        }
                        String take =
                                "DELETE FROM tokens WHERE client = %d RETURNING n"
                                        .formatted(number);
                        long n;
                        try (ResultSet taken = statement.executeQuery(take)) {
                            assertThat(taken.next()).isTrue();
                            n = taken.getLong(1);
                        }
                        statement.execute(
                                "INSERT INTO tokens VALUES (%d, %d)".formatted(number, n + 1));
                    });
            rest(20);
        }

        @Override
        Set<Long> found(Found found) {
            Set<Long> own = ConcurrentHashMap.newKeySet();
            found.log.values().stream()
                    .filter(row -> row[1] == number)
                    .forEach(row -> own.add(row[0]));
            return own;
        }
    }

    private final class Batches extends Client {
        Batches(int number, SplittableRandom random) {
            super(number, random);
        }

        @Override
        void work(Connection connection) throws SQLException {
            Long last = random.nextBoolean() ? any() : null;
            if (last == null) {
                long id = nextId();
                transact(
                        connection,
                        id,
                        Known.THERE,
                        statement ->
                                statement.execute(
                                        "INSERT INTO batches SELECT %d, i, repeat('x', 900) FROM generate_series(1, %d) AS s(i)"
                                                .formatted(id, BATCH_ROWS)));
            } else {
                transact(
                        connection,
                        last,
                        Known.ABSENT,
                        statement ->
                                statement.execute("DELETE FROM batches WHERE batch = " + last));
            }
            rest(300);
        }

        @Override
        Set<Long> found(Found found) {
            return found.batches.keySet();
        }
    }

    private final class Tables extends Client {
        Tables(int number, SplittableRandom random) {
            super(number, random);
        }

        @Override
        boolean isRefused(SQLException e) {
            return super.isRefused(e) || BUSY.equals(e.getSQLState());
        }

        @Override
        void work(Connection connection) throws SQLException {
            Long last = random.nextBoolean() ? any() : null;
            if (last == null) {
                long id = nextId();
                transact(
                        connection,
                        id,
                        Known.THERE,
                        statement -> {
                            statement.execute(
                                    "CREATE TABLE made_%d (id INT PRIMARY KEY)".formatted(id));
                            statement.execute(
                                    "INSERT INTO made_%d SELECT i FROM generate_series(1, %d) AS s(i)"
                                            .formatted(id, TABLE_ROWS));
                        });
            } else {
                transact(
                        connection,
                        last,
                        Known.ABSENT,
                        statement -> statement.execute("DROP TABLE made_" + last));
            }
            rest(2_500);
        }

        @Override
        Set<Long> found(Found found) {
            return found.tables.keySet();
        }
    }
}
