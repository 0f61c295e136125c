package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A file that pg_dump 15 has written, as it is, restored by psql.
///
/// It has tables with constraints of all kinds, identity columns, sequences, indexes, views over
/// views, functions, comments and rights. What queries return afterwards is what PostgreSQL
/// returns.
class DumpTest {
    private static final Path PSQL = Path.of("/usr/bin/psql");

    private ServerFixture db;

    @BeforeEach
    void open() throws SQLException {
        assumeTrue(Files.isExecutable(PSQL), PSQL + " is missing: install postgresql-client");
        db = new ServerFixture();
    }

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void aDumpOfPostgresIsRestored() throws Exception {
        db.run("CREATE ROLE reader_of_shop");
        assertThat(restored("shop.dump")).doesNotContain("ERROR", "WARNING", "NOTICE");

        assertThat(db.rows("SELECT id, name, balance, tags, photo FROM customer ORDER BY id"))
                .isEqualTo(
                        "1|Ada|12.50|{a,\"b c\",NULL}|\\x00ff10; 2|Bob|0.00|{}|null;"
                                + " 3|Carla|-1.00|null|\\x");
        assertThat(db.rows("SELECT name, orders, total FROM customer_orders"))
                .isEqualTo("Ada|2|51.00");
        assertThat(db.rows("SELECT name, state, email, year, next, two, at FROM names"))
                .isEqualTo(
                        "ADA|rich|ada@x.org|1815|1815-12-11 00:00:00|Ad|3;"
                                + " BOB|poor|b\tb@x.org|null|null|Bo|0");
        assertThat(db.rows("SELECT name FROM top")).isEqualTo("ADA; BOB");
        assertThat(db.rows("SELECT total(100), twice(4)")).isEqualTo("51.00|8");
        assertThat(db.rows("SELECT nextval('invoice_number'), nextval('small_number')"))
                .isEqualTo("1050|1");
        assertThat(db.rows("INSERT INTO orders (customer_id) VALUES (3) RETURNING id"))
                .isEqualTo("110");
        assertThat(db.rows("SELECT obj_description('names'::regclass, 'pg_class')"))
                .isEqualTo("a view");
        assertThat(db.rows("SELECT has_table_privilege('reader_of_shop', 'customer', 'INSERT')"))
                .isEqualTo("t");

        assertRefused("INSERT INTO customer (name) VALUES ('!%')", "customer_name_check");
        assertRefused(
                "INSERT INTO customer (name, email) VALUES ('Dan', 'd')", "customer_email_check");
        assertRefused(
                "INSERT INTO customer (name, email) VALUES ('Dan', 'ada@x.org')",
                "customer_email_idx");
        assertRefused(
                "INSERT INTO product (sku, title, kind) VALUES ('x', 'y', 'none')",
                "product_kind_check");
        assertRefused("INSERT INTO order_line VALUES (1, 1)", "order_line_order_id_fkey");
    }

    private void assertRefused(String sql, String constraint) {
        assertThatThrownBy(() -> db.run(sql)).hasMessageContaining('"' + constraint + '"');
    }

    /// What psql prints when it restores a file, until the first error.
    private String restored(String file) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(PSQL.toString(), "-X", "-q", "-v", "ON_ERROR_STOP=1")
                        .redirectErrorStream(true);
        builder.environment().put("PGHOST", "127.0.0.1");
        builder.environment().put("PGPORT", String.valueOf(db.port()));
        builder.environment().put("PGUSER", "namdb");
        builder.environment().put("PGDATABASE", "namdb");
        Process process = builder.start();
        try (InputStream dump = Objects.requireNonNull(DumpTest.class.getResourceAsStream(file))) {
            dump.transferTo(process.getOutputStream());
        }
        process.getOutputStream().close();
        String printed =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(printed).isZero();
        return printed;
    }
}
