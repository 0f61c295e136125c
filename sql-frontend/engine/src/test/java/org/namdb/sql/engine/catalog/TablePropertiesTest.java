package org.namdb.sql.engine.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.engine.role.Acl;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.language.ast.DdlStatement.ForeignKey.Action;
import org.namdb.sql.language.type.SqlType;

class TablePropertiesTest {
    @Test
    void propertiesComeBackAsTheyWere() {
        TableProperties properties =
                new TableProperties(
                        true,
                        "a|b\\c_pkey",
                        Map.of(
                                0,
                                SqlType.TEXT,
                                1,
                                SqlType.decimal(12, 2),
                                2,
                                SqlType.varcharBytes(7)),
                        Map.of(1, "(1 | 2) || '\\'"),
                        Map.of(0, true, 2, false),
                        Set.of(1),
                        List.of(
                                new CheckConstraint("c|1", "a <> '|\\'"),
                                new CheckConstraint("c2", "b", false)),
                        List.of(
                                new UniqueKey("u1", List.of("a|x", "b"), true, null),
                                new UniqueKey("u2", List.of("c"), false, "u2")),
                        List.of(
                                new ForeignKeyConstraint(
                                        "f",
                                        "t",
                                        List.of("a", "b\\"),
                                        "p",
                                        List.of("x", "y"),
                                        Action.CASCADE,
                                        Action.SET_NULL,
                                        true),
                                new ForeignKeyConstraint(
                                        "g",
                                        "t",
                                        List.of("a"),
                                        "p",
                                        List.of("x"),
                                        Action.NO_ACTION,
                                        Action.NO_ACTION,
                                        false)),
                        "nam:long:t",
                        new Ownership(
                                "a|da",
                                Acl.NONE
                                        .with("a|da", Privilege.INSERT.bit())
                                        .with(Acl.PUBLIC, Privilege.SELECT.bit())));
        assertThat(TableProperties.decode("t", properties.encode())).isEqualTo(properties);
    }

    @Test
    void othersPropertiesAreLeftAlone() {
        assertThat(TableProperties.others(Map.of("sql.pkey", "x", "mine", "y")))
                .containsExactly(Map.entry("mine", "y"));
    }

    @Test
    void tablesOfProgramsAreSeen() {
        try (NamDb db = NamDb.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(64L << 20))) {
            db.createTable(
                    TableDefinition.named("customer")
                            .column("w", ColumnType.INT32)
                            .column("id", ColumnType.INT8)
                            .nullable("name", ColumnType.varchar(24))
                            .column("state", ColumnType.character(2))
                            .column("balance", ColumnType.decimal(12, 2))
                            .primaryKey("w", "id")
                            .build());
            db.createIndex(IndexDefinition.ordered("customer_name", "customer", "name"));
            SqlCatalog catalog = new SqlCatalog(db, _ -> null, _ -> List.of());
            SqlTable table = catalog.find("customer");
            assertThat(table).isNotNull();
            assertThat(table.columns().stream().map(c -> c.type().toString()))
                    .containsExactly(
                            "integer",
                            "smallint",
                            SqlType.varcharBytes(24).toString(),
                            table.columns().get(3).type().toString(),
                            "numeric(12,2)");
            assertThat(table.primaryKey()).containsExactly(0, 1);
            assertThat(table.primaryKeyName()).isEqualTo("customer_pkey");
            assertThat(table.indexes()).hasSize(1);
            assertThat(table.indexes().getFirst().isOrdered()).isTrue();
            assertThat(catalog.find("nothing")).isNull();
        }
    }
}
