package org.namdb.sql.shell.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.shell.TableFacts;

class CatalogFactsTest {
    @Test
    void theDesignSaysWhatWasChosen() {
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT.withMemoryServers(4).withMemoryBytes(256L << 20);
        try (NamDb db = NamDb.embedded(options);
                LocalDatabase shown = LocalDatabase.of(db)) {
            try (SqlSession session = SqlDatabase.of(db).session()) {
                session.execute(
                                "CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b)) WITH (versions = 1, neighbours = 1, servers = '2, 0')")
                        .close();
                session.execute("CREATE TABLE u (a INT) WITH (expected_rows = 1000, servers = 3)")
                        .close();
                session.execute("CREATE TABLE everywhere (a INT)").close();
            }
            assertThat(design(shown, "t"))
                    .isEqualTo(
                            "1 old version kept, 16 records in a bucket, inline, neighbours by a, on memory servers 2, 0");
            assertThat(design(shown, "u")).endsWith("made for 1,000 rows, on memory server 3");
            assertThat(design(shown, "everywhere")).endsWith("inline");
        }
    }

    private static String design(LocalDatabase database, String table) {
        TableFacts facts = database.table(table);
        assertThat(facts).isNotNull();
        return String.join(", ", facts.design());
    }
}
