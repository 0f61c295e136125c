package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.language.result.Result;

/// CREATE, ALTER, DROP and TRUNCATE.
class DdlExecutorTest {
    private SqlFixture db;

    @BeforeEach
    void open() {
        db = new SqlFixture();
    }

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void mistakesAreNamed() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, a INT)");
        assertThat(db.error("CREATE TABLE t (a INT)"))
                .isEqualTo("42P07 relation \"t\" already exists");
        assertThat(db.run("CREATE TABLE IF NOT EXISTS t (a INT)")).isEqualTo("CREATE TABLE");
        assertThat(db.error("CREATE TABLE u (a INT, a INT)")).startsWith("42701");
        assertThat(db.error("CREATE TABLE u (a INT PRIMARY KEY, b INT PRIMARY KEY)"))
                .startsWith("42P16");
        assertThat(db.error("CREATE TABLE u (a INT REFERENCES t (a))")).startsWith("42830");
        assertThat(db.error("CREATE TABLE u (a INT REFERENCES nothing)")).startsWith("42P01");
        assertThat(db.error("CREATE TABLE u (a TEXT REFERENCES t)")).startsWith("42804");
        assertThat(db.error("CREATE TABLE u (a foo)")).startsWith("42704");
        assertThat(db.error("CREATE TABLE u (a INT DEFAULT 'x')")).startsWith("22P02");
        assertThat(db.error("CREATE TABLE u (a INT CHECK (b > 1))")).startsWith("42703");
        assertThat(db.error("CREATE TABLE u (a INT CHECK (a + 1))")).startsWith("42804");
        assertThat(db.error("CREATE TABLE u (a INT) WITH (nonsense = 1)")).startsWith("22023");
        assertThat(db.error("CREATE TABLE u (a VARCHAR(9000 BYTES))")).startsWith("22023");
        assertThat(db.error("DROP TABLE u")).isEqualTo("42P01 table \"u\" does not exist");
        assertThat(db.error("DROP INDEX u")).startsWith("42704");
        assertThat(db.error("CREATE TABLE \"nam:x\" (a INT)")).startsWith("42602");
        assertThat(db.database.engine().tableNames()).containsExactly("t");
    }

    @Test
    void nothingIsLeftOfDroppedTables() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, a INT UNIQUE, b INT); CREATE INDEX ON t (b)");
        assertThat(db.database.engine().indexNames())
                .containsExactly("nam:order:t_pkey", "t_b_idx");
        db.run("DROP TABLE t");
        assertThat(db.database.engine().tableNames()).isEmpty();
        assertThat(db.database.engine().indexNames()).isEmpty();
    }

    @Test
    void indexesAreMadeOverRows() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10))");
        db.run("INSERT INTO t VALUES (1, 5, 'x'), (2, 5, 'y'), (3, NULL, 'y')");
        assertThat(db.error("CREATE UNIQUE INDEX ON t (a)"))
                .isEqualTo(
                        "23505 could not create unique index \"t_a_idx\" / Key (a)=(5) is duplicated.");
        assertThat(db.run("CREATE INDEX i ON t USING HASH (b); CREATE INDEX j ON t (a)"))
                .isEqualTo("CREATE INDEX, CREATE INDEX");
        assertThat(db.rows("SELECT id FROM t WHERE b = 'y' ORDER BY id")).isEqualTo("2; 3");
        assertThat(db.rows("SELECT id FROM t WHERE a >= 5 ORDER BY id")).isEqualTo("1; 2");
        db.run("UPDATE t SET a = id; CREATE UNIQUE INDEX k ON t (a)");
        assertThat(db.error("INSERT INTO t VALUES (9, 1, 'z')")).startsWith("23505");
        assertThat(db.rows("SELECT b FROM t WHERE a = 3")).isEqualTo("y");
        assertThat(db.run("DROP INDEX i, j, k")).isEqualTo("DROP INDEX");
        assertThat(db.run("INSERT INTO t VALUES (9, 1, 'z')")).isEqualTo("INSERT 0 1");
    }

    @Test
    void ddlTakesNoneOfTheSessionsThatUsersHave() {
        try (SqlDatabase database =
                        SqlDatabase.embedded(
                                EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20).withSlots(2));
                SqlSession session = database.session();
                SqlSession _ = database.session()) {
            SqlFixture.run(session, "CREATE TABLE t (id SERIAL PRIMARY KEY, a INT, b INT)");
            SqlFixture.run(session, "INSERT INTO t (a, b) VALUES (1, 1), (3, 1)");
            for (String ddl :
                    List.of(
                            "CREATE UNIQUE INDEX ON t (a)",
                            "CREATE INDEX ON t (b)",
                            "ALTER TABLE t ADD COLUMN c INT DEFAULT 5",
                            "ALTER TABLE t ADD CHECK (c > 4)",
                            "ALTER TABLE t ADD FOREIGN KEY (b) REFERENCES t (a)",
                            "ANALYZE t",
                            "TRUNCATE t")) {
                SqlFixture.run(session, ddl);
            }
            assertThatThrownBy(database::session).hasMessageContaining("too many clients");
        }
    }

    @Test
    void columnsComeAndGo() {
        db.run(
                "CREATE TABLE t (id INT PRIMARY KEY, a INT UNIQUE, CHECK (a < 100)); INSERT INTO t VALUES (1, 10), (2, 20)");
        db.run("ALTER TABLE t ADD COLUMN b VARCHAR(5) DEFAULT 'new' NOT NULL");
        assertThat(db.rows("SELECT * FROM t ORDER BY id")).isEqualTo("1|10|new; 2|20|new");
        assertThat(db.error("ALTER TABLE t ADD c INT NOT NULL")).startsWith("23502");
        db.run("ALTER TABLE t RENAME a TO n; ALTER TABLE t RENAME TO u");
        assertThat(db.error("INSERT INTO u VALUES (3, 100, 'x')")).startsWith("23514");
        assertThat(db.error("INSERT INTO u VALUES (3, 20, 'x')")).startsWith("23505");
        assertThat(db.rows("SELECT id FROM u WHERE n = 20")).isEqualTo("2");
        db.run("ALTER TABLE u DROP COLUMN n");
        assertThat(db.rows("SELECT * FROM u ORDER BY id")).isEqualTo("1|new; 2|new");
        db.run(
                "ALTER TABLE u ALTER b DROP NOT NULL, ALTER b DROP DEFAULT; INSERT INTO u VALUES (3)");
        assertThat(db.error("ALTER TABLE u ALTER b SET NOT NULL")).startsWith("23502");
        db.run("DELETE FROM u WHERE id = 3; ALTER TABLE u ALTER b SET NOT NULL");
        assertThat(db.error("INSERT INTO u VALUES (4)")).startsWith("23502");
        assertThat(db.error("ALTER TABLE u DROP COLUMN nothing")).startsWith("42703");
        assertThat(db.error("ALTER TABLE u ADD b INT")).startsWith("42701");
    }

    @Test
    void constraintsAreAddedOverRows() {
        db.run("CREATE TABLE t (id INT, a INT); INSERT INTO t VALUES (1, 1), (2, 1)");
        assertThat(db.error("ALTER TABLE t ADD UNIQUE (a)")).startsWith("23505");
        assertThat(db.error("ALTER TABLE t ADD PRIMARY KEY (a)")).startsWith("23505");
        assertThat(db.error("ALTER TABLE t ADD CHECK (id < 2)")).startsWith("23514");
        db.run("ALTER TABLE t ADD PRIMARY KEY (id), ADD CONSTRAINT small CHECK (id < 10)");
        assertThat(db.error("INSERT INTO t VALUES (1, 3)")).startsWith("23505");
        db.run("CREATE TABLE c (id INT UNIQUE); INSERT INTO c VALUES (1), (5)");
        assertThat(db.error("ALTER TABLE c ADD FOREIGN KEY (id) REFERENCES t"))
                .isEqualTo(
                        "23503 insert or update on table \"c\" violates foreign key constraint \"c_id_fkey\""
                                + " / Key (id)=(5) is not present in table \"t\".");
        db.run("DELETE FROM c WHERE id = 5; ALTER TABLE c ADD FOREIGN KEY (id) REFERENCES t");
        assertThat(db.error("DELETE FROM t WHERE id = 1")).startsWith("23503");
        assertThat(db.error("ALTER TABLE t DROP CONSTRAINT t_pkey")).startsWith("2BP01");
        db.run("ALTER TABLE c DROP CONSTRAINT c_id_fkey; ALTER TABLE t DROP CONSTRAINT t_pkey");
        assertThat(db.run("INSERT INTO t VALUES (1, 3)")).isEqualTo("INSERT 0 1");
        assertThat(db.error("INSERT INTO t VALUES (11, 3)")).startsWith("23514");
        assertThat(db.error("ALTER TABLE t DROP CONSTRAINT nothing")).startsWith("42704");
    }

    @Test
    void renamedParentsKeepTheirChildren() {
        db.run(
                "CREATE TABLE p (id INT PRIMARY KEY); CREATE TABLE c (p INT REFERENCES p ON DELETE CASCADE)");
        db.run(
                "ALTER TABLE p RENAME id TO key; ALTER TABLE p RENAME TO q; INSERT INTO q VALUES (1)");
        db.run("INSERT INTO c VALUES (1)");
        assertThat(db.error("INSERT INTO c VALUES (2)")).startsWith("23503");
        db.run("DELETE FROM q");
        assertThat(db.rows("SELECT count(*) FROM c")).isEqualTo("0");
    }

    @Test
    void physicalDesignIsKept() {
        db.run(
                "CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY (a, b)) WITH (versions = 3, bucket_size = 8, inline = false,"
                        + " expected_rows = 1000, load = 50, neighbours = 1)");
        db.run("ALTER TABLE t ADD d INT");
        TableDefinition definition = db.database.engine().table("t").definition();
        assertThat(definition.versions()).isEqualTo(3);
        assertThat(definition.bucketRecords()).isEqualTo(8);
        assertThat(definition.inlined()).isFalse();
        assertThat(definition.expectedRows()).isEqualTo(1000);
        assertThat(definition.neighbourColumns()).isEqualTo(1);
    }

    @Test
    void aKeyThatIsTooLongIsReportedAtOnce() {
        String[] definitions = {
            "CREATE TABLE a (id VARCHAR(60) PRIMARY KEY)",
            "CREATE TABLE b (id TEXT PRIMARY KEY)",
            "CREATE TABLE c (a VARCHAR(200), b INT, c VARCHAR(200), PRIMARY KEY (a, b, c))"
        };
        List<String> notices = new ArrayList<>();
        for (String definition : definitions) {
            try (Result result = db.session.execute(definition)) {
                result.notices().forEach(notice -> notices.add(notice.text()));
            }
        }
        assertThat(notices)
                .containsExactly(
                        "values of \"id\" have at most 128 bytes, since primary key \"b_pkey\" has no space for more",
                        "values of \"a\" have at most 62 bytes, since primary key \"c_pkey\" has no space for more",
                        "values of \"c\" have at most 62 bytes, since primary key \"c_pkey\" has no space for more");
    }

    @Test
    void theHiddenRowIdTakesAColumn() {
        String columns =
                IntStream.rangeClosed(1, 63)
                        .mapToObj(i -> "c" + i + " INT")
                        .collect(Collectors.joining(", "));
        assertThat(db.run("CREATE TABLE a (" + columns + ")")).isEqualTo("CREATE TABLE");
        assertThat(db.run("CREATE TABLE b (id INT PRIMARY KEY, " + columns + ")"))
                .isEqualTo("CREATE TABLE");
        assertThat(db.error("CREATE TABLE c (id INT, " + columns + ")"))
                .isEqualTo("54011 tables can have at most 63 columns without a primary key");
    }
}
