package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.memory.client.ServerUsage;
import org.namdb.sql.language.error.SqlException;

/// `WITH (servers = ..)`: all that belongs to a table is where it shall be, and stays there.
class PlacementTest {
    private SqlFixture db;
    private List<Long> before;

    @BeforeEach
    void open() {
        db = new SqlFixture(4);
        before = used();
        db.run(
                "CREATE TABLE t (a INT, b VARCHAR(20) UNIQUE, c INT, PRIMARY KEY (a, c)) WITH (servers = '3, 1', neighbours = 1, versions = 3)");
    }

    @AfterEach
    void close() {
        db.close();
    }

    private List<Long> used() {
        return db.database.engine().usage().stream().map(ServerUsage::usedBytes).toList();
    }

    private void fill(String table) {
        db.run(
                "INSERT INTO "
                        + table
                        + " (a, b, c) SELECT i, 'text' || i, i % 100 FROM generate_series(1, 3000) AS s (i)");
        db.run("UPDATE " + table + " SET b = 'new' || a WHERE a % 3 = 0");
    }

    /// All tables of the store, the hidden ones of unique indexes included, are on these servers
    /// and no other has given memory.
    private void assertPlaced() {
        assertThat(db.database.engine().tableNames()).hasSizeGreaterThan(1);
        for (String table : db.database.engine().tableNames()) {
            assertThat(db.database.engine().table(table).definition().servers())
                    .as(table)
                    .containsExactly(3, 1);
        }
        List<Long> used = used();
        assertThat(used.get(0)).isEqualTo(before.get(0));
        assertThat(used.get(2)).isEqualTo(before.get(2));
        assertThat(used.get(1)).isGreaterThan(before.get(1));
        assertThat(used.get(3)).isGreaterThan(before.get(3));
    }

    @Test
    void rowsAndAllKindsOfIndexesLieThere() {
        db.run("CREATE INDEX ON t (c, b)");
        db.run("CREATE INDEX ON t USING HASH (c)");
        fill("t");
        db.run("CREATE UNIQUE INDEX ON t (b, c)");
        db.run("CREATE INDEX ON t (b)");
        assertPlaced();
        assertThat(db.rows("SELECT count(*) FROM t WHERE c = 7")).isEqualTo("30");
    }

    @Test
    void definitionsThatCopyRowsKeepThePlace() {
        fill("t");
        db.run("ALTER TABLE t ADD d INT DEFAULT 5");
        assertPlaced();
        assertThat(db.database.engine().table("t").definition().neighbourColumns()).isEqualTo(1);
        db.run("ALTER TABLE t DROP CONSTRAINT t_pkey");
        assertPlaced();
        db.run("ALTER TABLE t ADD PRIMARY KEY (c, a)");
        assertPlaced();
        assertThat(db.database.engine().table("t").definition().neighbourColumns()).isEqualTo(2);
        assertThat(db.database.engine().table("t").definition().versions()).isEqualTo(3);
        assertThat(db.rows("SELECT count(*), sum(d) FROM t")).isEqualTo("3000|15000");
        db.run("DROP TABLE t");
        assertThat(used()).isEqualTo(before);
    }

    @Test
    void definitionsThatCopyNoRowsKeepThePlace() {
        fill("t");
        db.run("ALTER TABLE t RENAME TO s; ALTER TABLE s RENAME b TO text");
        db.run("ALTER TABLE s ADD CHECK (c < 1000); ALTER TABLE s ADD UNIQUE (a)");
        assertPlaced();
        db.run("TRUNCATE s; ALTER TABLE s RENAME text TO b");
        fill("s");
        assertPlaced();
        assertThat(db.rows("SELECT count(*) FROM s")).isEqualTo("3000");
    }

    @Test
    void foreignKeysFindTheirRowsThere() {
        db.run(
                "CREATE TABLE p (id INT PRIMARY KEY) WITH (servers = '3, 1');"
                        + " CREATE TABLE q (p INT REFERENCES p ON DELETE CASCADE) WITH (servers = '3, 1')");
        db.run("INSERT INTO p SELECT i FROM generate_series(1, 500) AS s (i)");
        db.run("INSERT INTO q SELECT i FROM generate_series(1, 500) AS s (i)");
        db.run("DELETE FROM p WHERE id <= 100");
        assertThat(db.rows("SELECT count(*) FROM q")).isEqualTo("400");
        assertPlaced();
    }

    @Test
    void errorsPointAtTheStatement() {
        assertThatThrownBy(
                        () -> db.run("SELECT 1;\nCREATE TABLE u (id INT) WITH (servers = '0, 4')"))
                .isInstanceOfSatisfying(
                        SqlException.class,
                        e -> {
                            assertThat(e.state().code()).isEqualTo("22023");
                            assertThat(e.hint())
                                    .isEqualTo(
                                            "There is no memory server 4. There are memory servers 0 to 3.");
                            assertThat(e.position()).isNotNull();
                        });
    }
}
