package org.namdb.mvcc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RecordSchemaTest {
    private final RecordSchema schema =
            new RecordSchema(
                    TableDefinition.named("t")
                            .column("id", ColumnType.INT64)
                            .column("small", ColumnType.INT16)
                            .nullable("text", ColumnType.varchar(10))
                            .column("fixed", ColumnType.character(4))
                            .nullable("money", ColumnType.decimal(12, 2))
                            .primaryKey("id")
                            .build());

    @Test
    void columnsHaveTheirPlacesBehindTheNullBits() {
        assertThat(schema.nullBytes()).isEqualTo(8);
        assertThat(schema.column("id").inKey()).isTrue();
        assertThat(schema.column("small").offset()).isEqualTo(8);
        assertThat(schema.column("text").offset()).isEqualTo(10);
        assertThat(schema.column("fixed").offset()).isEqualTo(22);
        assertThat(schema.column("money").offset()).isEqualTo(26);
        assertThat(schema.payloadBytes()).isEqualTo(40);
    }

    @Test
    void valuesComeBack() {
        try (Arena arena = Arena.ofConfined()) {
            long payload = arena.allocate(40, 8).address();
            Payload.putIntegral(schema.column("small"), payload, -7);
            Payload.putIntegral(schema.column("money"), payload, 123_456);
            byte[] text = "grüße".getBytes(StandardCharsets.UTF_8);
            Payload.putBytes(schema.column("text"), payload, text, 0, text.length);
            Payload.putBytes(schema.column("fixed"), payload, new byte[] {'a', 'b'}, 0, 2);
            Payload.putNull(schema.column("money"), payload, true);
            byte[] copy = new byte[10];
            assertThat(Payload.integral(schema.column("small"), payload)).isEqualTo(-7);
            assertThat(Payload.copyBytes(schema.column("text"), payload, copy, 0))
                    .isEqualTo(text.length);
            assertThat(copy).startsWith(text);
            assertThat(Payload.length(schema.column("fixed"), payload)).isEqualTo(2);
            assertThat(Payload.isNull(schema.column("money"), payload)).isTrue();
            assertThat(Payload.isNull(schema.column("text"), payload)).isFalse();
        }
    }

    @Test
    void valuesOfEveryKindComeBack() {
        RecordSchema kinds =
                new RecordSchema(
                        TableDefinition.named("kinds")
                                .column("id", ColumnType.INT8)
                                .column("float", ColumnType.FLOAT32)
                                .column("double", ColumnType.FLOAT64)
                                .column("date", ColumnType.DATE)
                                .column("uuid", ColumnType.UUID)
                                .column("time", ColumnType.TIME)
                                .primaryKey("id")
                                .build());
        try (Arena arena = Arena.ofConfined()) {
            long payload = arena.allocate(kinds.payloadBytes(), 8).address();
            Payload.putFloat64(kinds.column("float"), payload, -0.1);
            Payload.putFloat64(kinds.column("double"), payload, -0.1);
            Payload.putIntegral(kinds.column("date"), payload, -719_162);
            Payload.putUuid(kinds.column("uuid"), payload, -1, 7);
            Payload.putIntegral(kinds.column("time"), payload, 86_399_999_999L);
            assertThat(Payload.float64(kinds.column("float"), payload)).isEqualTo(-0.1f);
            assertThat(Payload.float64(kinds.column("double"), payload)).isEqualTo(-0.1);
            assertThat(Payload.integral(kinds.column("date"), payload)).isEqualTo(-719_162);
            assertThat(Payload.uuidHigh(kinds.column("uuid"), payload)).isEqualTo(-1);
            assertThat(Payload.uuidLow(kinds.column("uuid"), payload)).isEqualTo(7);
            assertThat(Payload.integral(kinds.column("time"), payload)).isEqualTo(86_399_999_999L);
            assertThatThrownBy(() -> Payload.float64(kinds.column("date"), payload))
                    .hasMessage("date is not a floating-point number");
        }
    }

    @Test
    void aCopyOfADefinitionIsTheSameButForWhatChanges() {
        TableDefinition definition =
                TableDefinition.named("t")
                        .column("a", ColumnType.INT8)
                        .primaryKey("a")
                        .property("z", "1")
                        .property("a", "2")
                        .build();
        assertThat(definition.copy("t").build()).isEqualTo(definition);
        assertThat(definition.properties().keySet()).containsExactly("z", "a");
        assertThat(definition.copy("u").property("a", "3").build().properties())
                .containsEntry("a", "3");
    }

    @Test
    void aProjectionIsTheWordsOfItsColumnsInFewRuns() {
        Projection some = schema.project("small", "money");
        assertThat(some.runs()).isEqualTo(2);
        assertThat(some.offset(0)).isZero();
        assertThat(some.length(0)).isEqualTo(16);
        assertThat(some.offset(1)).isEqualTo(24);
        assertThat(some.length(1)).isEqualTo(16);
        assertThat(schema.all().runs()).isEqualTo(1);
    }

    @Test
    void valuesThatDontFitAreRefusedByName() {
        try (Arena arena = Arena.ofConfined()) {
            long payload = arena.allocate(40, 8).address();
            assertThatThrownBy(() -> Payload.putIntegral(schema.column("small"), payload, 40_000))
                    .hasMessage("small: 40000 is outside of INT16");
            assertThatThrownBy(() ->
                            Payload.putBytes(schema.column("fixed"), payload, new byte[5], 0, 5))
                    .hasMessage("fixed: 5 bytes don't fit in CHAR(4)");
            assertThatThrownBy(() -> Payload.putNull(schema.column("small"), payload, true))
                    .hasMessage("small can't be NULL");
        }
    }

    @Test
    void senselessDefinitionsAreRefused() {
        assertThatThrownBy(() -> TableDefinition.named("t").column("a", ColumnType.INT8).build())
                .hasMessage("t: a primary key is needed");
        assertThatThrownBy(() ->
                        TableDefinition.named("t")
                                .nullable("a", ColumnType.INT8)
                                .primaryKey("a")
                                .build())
                .hasMessage("t.a: a key column can't be NULL");
        assertThatThrownBy(() -> ColumnType.decimal(19, 2)).hasMessageContaining("1 to 18 digits");
        assertThatThrownBy(() -> schema.column("nope"))
                .hasMessageStartingWith("table t has no column nope; it has [");
    }
}
