package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The JDBC driver's queries of the system's catalog.
class MetadataTest {
    private static ServerFixture db;

    @BeforeAll
    static void open() throws SQLException {
        db = new ServerFixture();
        db.run(
                "CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL)",
                "CREATE TABLE line (orders BIGINT, number SMALLINT, customer INT REFERENCES customer"
                        + " ON DELETE CASCADE, price NUMERIC(10, 2) DEFAULT 1.5, code TEXT UNIQUE,"
                        + " PRIMARY KEY (orders, number))",
                "CREATE INDEX line_price ON line (price)");
    }

    @AfterAll
    static void close() {
        db.close();
    }

    /// Some columns of all rows.
    private static String rows(ResultSet result, String... columns) throws SQLException {
        List<String> rows = new ArrayList<>();
        while (result.next()) {
            List<String> fields = new ArrayList<>();
            for (String column : columns) {
                fields.add(result.getString(column));
            }
            rows.add(String.join("|", fields));
        }
        return String.join("; ", rows);
    }

    @Test
    void tables() throws SQLException {
        try (Connection connection = db.connect()) {
            DatabaseMetaData metadata = connection.getMetaData();
            assertThat(
                            rows(
                                    metadata.getTables(null, "public", "%", new String[] {"TABLE"}),
                                    "TABLE_SCHEM",
                                    "TABLE_NAME",
                                    "TABLE_TYPE"))
                    .isEqualTo("public|customer|TABLE; public|line|TABLE");
            assertThat(rows(metadata.getTables(null, null, "cust%", null), "TABLE_NAME"))
                    .isEqualTo("customer_pkey; customer");
            assertThat(rows(metadata.getSchemas(), "TABLE_SCHEM"))
                    .isEqualTo("information_schema; pg_catalog; public");
        }
    }

    @Test
    void viewsAndNumberedColumns() throws SQLException {
        db.run(
                "CREATE TABLE numbered (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n SERIAL, word TEXT)",
                "CREATE VIEW words AS SELECT id, word FROM numbered");
        try (Connection connection = db.connect();
                PreparedStatement insert =
                        connection.prepareStatement(
                                "INSERT INTO numbered (word) VALUES (?)",
                                new String[] {"id", "n"})) {
            DatabaseMetaData metadata = connection.getMetaData();
            assertThat(
                            rows(
                                    metadata.getTables(
                                            null, "public", "%", new String[] {"VIEW", "SEQUENCE"}),
                                    "TABLE_NAME",
                                    "TABLE_TYPE"))
                    .isEqualTo("numbered_id_seq|SEQUENCE; numbered_n_seq|SEQUENCE; words|VIEW");
            assertThat(
                            rows(
                                    metadata.getColumns(null, "public", "numbered", "%"),
                                    "COLUMN_NAME",
                                    "IS_AUTOINCREMENT"))
                    .isEqualTo("id|YES; n|YES; word|NO");
            assertThat(rows(metadata.getColumns(null, "public", "words", "%"), "COLUMN_NAME"))
                    .isEqualTo("id; word");
            for (int i = 1; i <= 2; i++) {
                insert.setString(1, "word");
                insert.executeUpdate();
                assertThat(rows(insert.getGeneratedKeys(), "id", "n")).isEqualTo(i + "|" + i);
            }
        } finally {
            db.run("DROP TABLE numbered CASCADE");
        }
    }

    @Test
    void columns() throws SQLException {
        try (Connection connection = db.connect()) {
            assertThat(
                            rows(
                                    connection
                                            .getMetaData()
                                            .getColumns(null, "public", "line", "%"),
                                    "COLUMN_NAME",
                                    "TYPE_NAME",
                                    "COLUMN_SIZE",
                                    "DECIMAL_DIGITS",
                                    "IS_NULLABLE",
                                    "COLUMN_DEF",
                                    "ORDINAL_POSITION"))
                    .isEqualTo(
                            "orders|int8|19|0|NO|null|1; number|int2|5|0|NO|null|2;"
                                    + " customer|int4|10|0|YES|null|3; price|numeric|10|2|YES|1.5|4;"
                                    + " code|text|2147483647|0|YES|null|5");
        }
    }

    @Test
    void keys() throws SQLException {
        try (Connection connection = db.connect()) {
            DatabaseMetaData metadata = connection.getMetaData();
            assertThat(
                            rows(
                                    metadata.getPrimaryKeys(null, "public", "line"),
                                    "COLUMN_NAME",
                                    "KEY_SEQ",
                                    "PK_NAME"))
                    .isEqualTo("orders|1|line_pkey; number|2|line_pkey");
            assertThat(
                            rows(
                                    metadata.getImportedKeys(null, "public", "line"),
                                    "PKTABLE_NAME",
                                    "PKCOLUMN_NAME",
                                    "FKCOLUMN_NAME",
                                    "DELETE_RULE"))
                    .isEqualTo("customer|id|customer|" + DatabaseMetaData.importedKeyCascade);
        }
    }

    @Test
    void indexes() throws SQLException {
        try (Connection connection = db.connect()) {
            assertThat(
                            rows(
                                    connection
                                            .getMetaData()
                                            .getIndexInfo(null, "public", "line", false, false),
                                    "INDEX_NAME",
                                    "NON_UNIQUE",
                                    "ORDINAL_POSITION",
                                    "COLUMN_NAME"))
                    .contains("line_price|t|1|price")
                    .contains("line_pkey|f|1|orders; line_pkey|f|2|number");
        }
    }

    @Test
    void typesAndFunctions() throws SQLException {
        try (Connection connection = db.connect()) {
            DatabaseMetaData metadata = connection.getMetaData();
            assertThat(rows(metadata.getTypeInfo(), "TYPE_NAME")).contains("int4", "numeric");
            assertThat(rows(metadata.getCatalogs(), "TABLE_CAT")).isEqualTo("namdb");
            assertThat(metadata.getDatabaseProductVersion()).isEqualTo("15.0");
            assertThat(connection.getSchema()).isEqualTo("public");
            assertThat(connection.getCatalog()).isEqualTo("namdb");
            assertThat(metadata.getDefaultTransactionIsolation())
                    .isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
            assertThat(metadata.getSQLKeywords().split(",")).contains("limit").doesNotContain("a");
        }
    }

    /// asyncpg, for one, knows values by these types alone.
    @Test
    void valuesOfTheCatalogHaveItsTypes() throws SQLException {
        String query =
                "SELECT oid, typtype, typname, array_agg(oid) OVER (), json_build_object("
                        + "'name', typname, 'size', typlen, 'none', NULL, 'is', true, 'q', E'\"\\n')"
                        + " FROM pg_type WHERE oid = ANY ('{23}'::oid[])";
        try (Connection connection = db.connect("?prepareThreshold=-1");
                PreparedStatement statement = connection.prepareStatement(query);
                ResultSet row = statement.executeQuery()) {
            List<String> types = new ArrayList<>();
            for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                types.add(row.getMetaData().getColumnTypeName(i));
            }
            assertThat(types).containsExactly("oid", "char", "text", "_oid", "json");
            assertThat(row.next()).isTrue();
            assertThat(row.getLong(1)).isEqualTo(23);
            assertThat(row.getString(2)).isEqualTo("b");
            assertThat((Object[]) row.getArray(4).getArray()).containsExactly(23L);
            assertThat(row.getString(5))
                    .isEqualTo(
                            "{\"name\" : \"int4\", \"size\" : 4, \"none\" : null, \"is\" : true,"
                                    + " \"q\" : \"\\\"\\n\"}");
        }
        db.run("CREATE TABLE kept AS SELECT oid, typtype FROM pg_type WHERE oid = 23");
        assertThat(db.rows("SELECT * FROM kept")).isEqualTo("23|b");
        db.run("DROP TABLE kept");
    }

    @Test
    void arraysOfTheCatalogAreTakenApart() throws SQLException {
        assertThat(
                        db.rows(
                                "SELECT unnest(indkey), generate_subscripts(indkey, 1), indkey[0] FROM pg_index"
                                        + " WHERE indexrelid = 'line_pkey'::regclass::oid"))
                .isEqualTo("1|0|1; 2|1|1");
        assertThat(
                        db.rows(
                                "SELECT conname, u.number, u.place, conkey[2] FROM pg_constraint,"
                                        + " unnest(conkey) WITH ORDINALITY AS u (number, place)"
                                        + " JOIN pg_attribute a ON a.attnum = u.number WHERE conname = 'line_pkey'"
                                        + " AND a.attrelid = conrelid ORDER BY 3"))
                .isEqualTo("line_pkey|1|1|2; line_pkey|2|2|2");
        assertThat(db.rows("SELECT * FROM generate_subscripts('{a,b}'::text[], 1) AS g (i)"))
                .isEqualTo("1; 2");
    }

    @Test
    void defaultsDependOnTheirSequences() throws SQLException {
        db.run("CREATE TABLE numbered (id SERIAL PRIMARY KEY, other INT DEFAULT 1)");
        assertThat(
                        db.rows(
                                "SELECT s.relname, a.attname, d.deptype FROM pg_depend d"
                                        + " JOIN pg_class s ON s.oid = d.refobjid"
                                        + " AND d.refclassid = 'pg_class'::regclass"
                                        + " JOIN pg_attrdef ad ON ad.oid = d.objid"
                                        + " AND d.classid = 'pg_attrdef'::regclass"
                                        + " JOIN pg_attribute a ON a.attrelid = ad.adrelid"
                                        + " AND a.attnum = ad.adnum WHERE s.relname = 'numbered_id_seq'"))
                .isEqualTo("numbered_id_seq|id|n");
        db.run("DROP TABLE numbered");
    }

    /// As jOOQ's generated queries do.
    @Test
    void columnsAreNamedWithTableAndSchema() throws SQLException {
        assertThat(
                        db.rows(
                                "SELECT pg_catalog.pg_class.relname, public.line.code FROM pg_catalog.pg_class"
                                        + " LEFT JOIN public.line ON public.line.orders = 1"
                                        + " WHERE pg_catalog.pg_class.relname = 'customer'"))
                .isEqualTo("customer|null");
    }

    @Test
    void functionsThatDriversCall() throws SQLException {
        assertThat(
                        db.rows(
                                "SELECT quote_literal('it''s'), quote_literal('a\\b'),"
                                        + " pg_advisory_unlock_all() = ''"))
                .isEqualTo("'it''s'|E'a\\\\b'|t");
    }
}
