package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// `nam dump`, `nam backup` and `nam restore`, and the databases that they make.
class BackupCommandsTest {
    private static final String TABLES =
            """
            CREATE TABLE parents (id BIGINT PRIMARY KEY, "A ""quoted"" name" VARCHAR(20) DEFAULT 'it''s',
                code CHAR(3) UNIQUE);
            CREATE TABLE "select" (a SMALLINT, b INTEGER NOT NULL, c NUMERIC(10,2) DEFAULT 1.50, d NUMERIC, e REAL,
                f DOUBLE PRECISION, g BOOLEAN DEFAULT true, h TEXT, i DATE DEFAULT CURRENT_DATE, j TIME,
                k TIMESTAMP DEFAULT now(), l BYTEA, m UUID, o VARCHAR(20 BYTES) DEFAULT lower('X' || 'Y'),
                p BIGINT REFERENCES parents ON DELETE SET NULL, q BYTEA(3), r CHAR(4), "order" VARCHAR,
                CONSTRAINT "b>0" CHECK (b > 0 AND h <> 'a|b'), CONSTRAINT abc UNIQUE (a, b),
                CONSTRAINT pk PRIMARY KEY (b, o))
                WITH (versions = 4, expected_rows = 100000, neighbours = 1, bucket_size = 8, inline = false, load = 50);
            CREATE TABLE nodes (id INT PRIMARY KEY, next INT UNIQUE REFERENCES nodes (next) ON UPDATE CASCADE);
            CREATE TABLE bag (x INT, y VARCHAR(100));
            CREATE TABLE nothing (x INT PRIMARY KEY, at TIMESTAMPTZ DEFAULT now());
            CREATE VIEW "a view" AS SELECT x AS "an x" FROM bag;
            SET TIME ZONE 'Asia/Tokyo';
            INSERT INTO nothing VALUES (1, '2026-01-31 12:00');
            CREATE INDEX bag_x ON bag (x);
            CREATE INDEX "bag's y" ON bag USING hash (y);
            CREATE UNIQUE INDEX bag_xy ON bag (x, y);
            CREATE TABLE papers (id INT PRIMARY KEY, body TEXT, image BYTEA);
            INSERT INTO papers VALUES (1, repeat('long ', 1000), decode(repeat('00ff', 3000), 'hex'));
            COMMENT ON TABLE "select" IS 'It''s \\ "quoted"';
            COMMENT ON COLUMN "select"."order" IS 'é';
            COMMENT ON CONSTRAINT "b>0" ON "select" IS 'b';
            COMMENT ON INDEX "bag's y" IS 'hash';
            COMMENT ON COLUMN "a view"."an x" IS 'x';
            CREATE UNIQUE INDEX bag_yh ON bag USING hash (y);
            INSERT INTO parents VALUES (1, 'o''ne', 'abc'), (2, NULL, NULL), (3, E'tab\\t\\\\n', 'x'),
                (-9223372036854775808, '\\.', '\\N');
            INSERT INTO "select" VALUES
                (1, 2, 3.25, 4.125, 1.5, 2.25, false, E'line\\nbreak\\\\ "q" \\t\\r', '2024-02-29', '23:59:59.123456',
                    '1999-12-31 23:59:59', '\\xdeadbeef', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'é', 1, '\\x00', 'a b', ''),
                (NULL, 3, NULL, NULL, 'NaN', '-Infinity', NULL, '\\N', NULL, NULL, NULL, '', NULL, '', 3, NULL, NULL, '');
            INSERT INTO nodes VALUES (1, 1), (2, 2);
            INSERT INTO bag VALUES (1, 'a'), (NULL, 'b'), (2, NULL), (NULL, NULL), (NULL, NULL);
            INSERT INTO bag SELECT n, 'row ' || n FROM generate_series(10, 45000) AS s (n);
            """;

    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    @TempDir private Path directory;

    private int run(String... arguments) {
        output.getBuffer().setLength(0);
        errors.getBuffer().setLength(0);
        CommandLine nam = Nam.commandLine();
        nam.setOut(new PrintWriter(output, true));
        nam.setErr(new PrintWriter(errors, true));
        return nam.execute(arguments);
    }

    private void runs(String... arguments) {
        assertThat(run(arguments)).as(errors::toString).isZero();
    }

    private String path(String name) {
        return directory.resolve(name).toString();
    }

    /// The lines of a dump, sorted: that of rows is not specified.
    private String dump(String data) throws IOException {
        String file = path(data + ".sql");
        runs("dump", "--data", path(data), "--memory", "256m", "-o", file);
        return String.join("\n", Files.readString(Path.of(file)).lines().sorted().toList());
    }

    @Test
    void aDumpMakesTheDatabaseAgain() throws IOException {
        Path tables = Files.writeString(directory.resolve("tables.sql"), TABLES);
        runs("sql", "--memory", "256m", "--data", path("one"), "-f", tables.toString());
        String first = dump("one");
        assertThat(first)
                .contains(
                        "\"A \"\"quoted\"\" name\"",
                        "ON UPDATE CASCADE",
                        "row 45000",
                        "1\t2026-01-31 03:00:00+00",
                        "COMMENT ON CONSTRAINT \"b>0\" ON \"select\" IS 'b';",
                        "COMMENT ON INDEX \"bag's y\" IS 'hash';");
        assertThat(first.split("COPY bag ")).as("transactions of 20,000 rows").hasSize(4);
        runs(
                "sql",
                "--memory",
                "256m",
                "--memory-servers",
                "2",
                "--data",
                path("two"),
                "-f",
                path("one.sql"));
        assertThat(dump("two")).isEqualTo(first);
        assertThat(run("sql", "--data", path("two"), "-c", "INSERT INTO bag VALUES (1, 'a')"))
                .isEqualTo(1);
        assertThat(errors.toString()).contains("23505");
        assertThat(run("sql", "--data", path("two"), "-c", "DELETE FROM parents WHERE id = 1"))
                .isZero();
    }

    @Test
    void aBackupIsRestored() throws IOException {
        runs(
                "sql",
                "--data",
                path("shop"),
                "-c",
                "CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)",
                "-c",
                "BACKUP TO '" + path("running") + "'",
                "-c",
                "INSERT INTO t VALUES (2)");
        runs("backup", path("shop"), path("closed"));
        assertThat(output.toString()).startsWith("Backed up " + path("shop") + " to ");
        runs("restore", path("running"), path("one"));
        assertThat(output.toString()).startsWith("Restored " + path("running") + " to ");
        runs("restore", path("closed"), path("two"));
        runs("sql", "--data", path("one"), "-At", "-c", "SELECT count(*) FROM t");
        assertThat(output.toString()).isEqualTo("1\n");
        runs("sql", "--data", path("two"), "-At", "-c", "SELECT count(*) FROM t");
        assertThat(output.toString()).isEqualTo("2\n");
    }

    @Test
    void theHelpOfDumpIsOfADirectoryThatIsThere() {
        runs("dump", "--help");
        assertThat(output.toString().replaceAll("\\s+", " "))
                .contains("--data=DIR Write the database of this directory, which is there,")
                .doesNotContain("durability");
    }

    @Test
    void mistakesAreNamed() throws IOException {
        assertThat(run("dump")).isEqualTo(2);
        assertThat(errors.toString()).contains("say which database: --data DIR, or --cluster FILE");
        assertThat(run("restore", path("nowhere"), path("shop"))).isEqualTo(1);
        assertThat(errors.toString()).contains("there is no directory " + path("nowhere"));
        assertThat(run("dump", "--data", path("nowhere"))).isEqualTo(2);
        assertThat(errors.toString()).contains("there is no directory " + path("nowhere"));
        assertThat(directory.toFile().list()).isEmpty();
        Files.createDirectory(directory.resolve("full"));
        Files.writeString(directory.resolve("full").resolve("letter.txt"), "Dear Ada");
        runs("sql", "--data", path("shop"), "-c", "CREATE TABLE t (id INT PRIMARY KEY)");
        assertThat(run("backup", path("shop"), path("full"))).isEqualTo(1);
        assertThat(errors.toString()).contains("is not empty: name a new directory");
        assertThat(directory.resolve("full").toFile().list()).containsExactly("letter.txt");
        assertThat(run("dump", "--data", path("full"))).isEqualTo(1);
        assertThat(errors.toString()).contains("is no data directory of NamDB");
    }
}
