package org.namdb.compute.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Host;
import org.namdb.fabric.disk.DiskException;
import org.namdb.mvcc.hash.TablePart;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.simulated.SimDisk;

class CheckpointFileTest {
    private static final CheckpointFile.Head HEAD = new CheckpointFile.Head(7, 1, 1);

    private final SimDisk disk = new SimDisk();

    /// A full disk gets the space of a checkpoint back that does not fit, be it the first block.
    @Test
    void whatDoesNotFitIsRemoved() {
        disk.open("other").write(0, ByteBuffer.allocate(1 << 16));
        disk.limit(disk.bytes() + JournalBlock.ALIGNMENT - 1);
        assertThatThrownBy(() -> new CheckpointFile.Writer(disk, HEAD))
                .isInstanceOf(DiskException.class);
        assertThat(disk.list()).containsExactly("other");
        disk.limit(disk.bytes() + 2 * JournalBlock.ALIGNMENT - 1);
        try (CheckpointFile.Writer writer = new CheckpointFile.Writer(disk, HEAD)) {
            assertThatThrownBy(() -> writer.table(table(1), TablePart.ALL, new long[3]))
                    .isInstanceOf(DiskException.class);
        }
        assertThat(disk.list()).containsExactly("other");
    }

    /// The process before was killed while it wrote a checkpoint.
    @Test
    void aRestartRemovesWhatIsIncomplete() {
        JournalOptions options = JournalOptions.in(Path.of("unused")).on(() -> disk, "the disk");
        try (DataDirectory directory = DataDirectory.open(options, 7)) {
            assertThat(directory.examine(RecoveryProgress.UNSEEN)).isEmpty();
            directory.begin(Host.MACHINE, options).close();
        }
        CheckpointFile.Writer incomplete = new CheckpointFile.Writer(disk, HEAD);
        incomplete.table(table(1), TablePart.ALL, new long[3]);
        assertThat(disk.list()).contains("checkpoint-00000001");
        try (DataDirectory directory = DataDirectory.open(options, 7)) {
            assertThat(directory.examine(RecoveryProgress.UNSEEN)).isEmpty();
            assertThat(disk.list()).contains("checkpoint-00000001");
            directory.begin(Host.MACHINE, options).close();
        }
        assertThat(disk.list()).doesNotContain("checkpoint-00000001");
    }

    private static DefinedTable table(int number) {
        return new DefinedTable(
                number,
                TableDefinition.named("things")
                        .column("id", ColumnType.INT64)
                        .primaryKey("id")
                        .build(),
                List.of());
    }
}
