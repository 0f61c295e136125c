package org.namdb.mvcc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class ChangedRunsTest {
    private static final int COLUMNS = 9;

    private final ChangedRuns runs = new ChangedRuns();

    @Test
    void areTheWordsOfTheChangedColumnsInAsFewPiecesAsTheyHave() {
        for (int nullable = 0; nullable < 2; nullable++) {
            RecordSchema schema = schema(nullable == 1);
            for (int dirty = 0; dirty < 1 << COLUMNS; dirty++) {
                long mask = 0;
                BitSet words = new BitSet();
                for (Column column : schema.payloadColumns()) {
                    int number = Integer.parseInt(column.name().substring(1));
                    if ((dirty >> number & 1) != 0) {
                        mask |= column.mask();
                        int end = column.offset() + column.type().payloadBytes();
                        words.set(column.offset() >> 3, end + 7 >> 3);
                    }
                }
                if ((mask & schema.nullableMask()) != 0) {
                    words.set(0, schema.nullBytes() >> 3);
                }
                runs.start(schema, mask);
                int from = words.nextSetBit(0);
                while (from >= 0) {
                    int to = words.nextClearBit(from);
                    assertThat(runs.next()).as("columns %s", mask).isTrue();
                    assertThat(runs.from()).isEqualTo(8 * from);
                    assertThat(runs.to()).isEqualTo(8 * to);
                    from = words.nextSetBit(to);
                }
                assertThat(runs.next()).isFalse();
            }
        }
    }

    private static RecordSchema schema(boolean isNullable) {
        TableDefinition.Builder definition =
                TableDefinition.named("t").column("id", ColumnType.INT64).primaryKey("id");
        ColumnType[] types = {
            ColumnType.INT64, ColumnType.INT16, ColumnType.varchar(5), ColumnType.varchar(20)
        };
        for (int i = 0; i < COLUMNS; i++) {
            ColumnType type = types[i % types.length];
            if (isNullable && i % 2 == 0) {
                definition.nullable("c" + i, type);
            } else {
                definition.column("c" + i, type);
            }
        }
        return new RecordSchema(definition.build());
    }
}
