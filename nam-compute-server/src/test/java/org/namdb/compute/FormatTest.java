package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.namdb.compute.DurableDatabases.id;
import static org.namdb.compute.DurableDatabases.put;
import static org.namdb.compute.DurableDatabases.rows;
import static org.namdb.compute.DurableDatabases.things;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.disk.DiskFile;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.simulated.SimDisk;

/// Data directories that were written by each version of the format are read by this one. They are
/// kept as `format-N.zip`, and what is in them as `format-N.txt`.
///
/// A new version gets a new pair: run [#write] with `-Dnamdb.fixture=DIRECTORY` once, and leave the
/// old ones as they are.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FormatTest {
    private static final int FORMAT_OFFSET = 3;

    /// More than a checkpoint reads between two looks at the clock.
    private static final int ROWS = 600;

    private static SimDisk fixture(int format) throws IOException {
        SimDisk disk = new SimDisk();
        try (ZipInputStream files = new ZipInputStream(resource("format-" + format + ".zip"))) {
            for (ZipEntry each = files.getNextEntry(); each != null; each = files.getNextEntry()) {
                disk.open(each.getName()).write(0, ByteBuffer.wrap(files.readAllBytes()));
            }
        }
        return disk;
    }

    private static InputStream resource(String name) {
        return Objects.requireNonNull(FormatTest.class.getResourceAsStream(name), name);
    }

    /// Tables, columns and rows.
    private static String text(NamDb db) {
        StringBuilder text = new StringBuilder();
        for (String name : db.tableNames()) {
            Table table = db.table(name);
            text.append(name).append(' ').append(table.definition().properties()).append('\n');
            table.definition()
                    .columns()
                    .forEach(column ->
                            text.append("  ")
                                    .append(column.name())
                                    .append(' ')
                                    .append(column.type())
                                    .append(column.nullable() ? "\n" : " NOT NULL\n"));
            rows(db, table).values().forEach(row -> text.append(row.strip()).append('\n'));
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void anEarlierFormatIsRead(int format) throws IOException {
        String expected;
        try (InputStream text = resource("format-" + format + ".txt")) {
            expected = new String(text.readAllBytes(), StandardCharsets.UTF_8);
        }
        SimDisk disk = fixture(format);
        for (int time = 0; time < 2; time++) {
            try (NamDb db = DurableDatabases.open(disk)) {
                assertThat(text(db)).isEqualTo(expected);
                assertThat(db.indexNames()).containsExactly("kept_amount", "kept_text");
                put(db, db.table("kept"), 1, 100);
                put(db, db.table("kept"), 1, 1); // as it was
            }
        }
    }

    @Test
    void theSecondOneHasPartsOfTables() throws IOException {
        assertThat(CheckpointRecoveryTest.partsOfTables(fixture(1))).isZero();
        assertThat(CheckpointRecoveryTest.partsOfTables(fixture(2))).isGreaterThan(1);
    }

    /// Of a file, as of the directory.
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aNewerFormatOfAFileIsRefused(int format) throws IOException {
        for (String name : fixture(format).list()) {
            if (name.equals("namdb")) {
                continue;
            }
            SimDisk disk = fixture(format);
            try (DiskFile file = disk.open(name)) {
                ByteBuffer first = ByteBuffer.allocate(1);
                assertThat(file.read(0, first)).isEqualTo(1);
                if (first.get(0) == 0) {
                    continue; // made ahead, and not used
                }
                file.write(FORMAT_OFFSET, ByteBuffer.wrap(new byte[] {3}));
            }
            assertThatThrownBy(() -> DurableDatabases.open(disk))
                    .isInstanceOf(JournalException.class)
                    .hasMessageContaining(name + " has format 3, and this version of NamDB knows");
        }
    }

    /// Writes the pair of the present version: a checkpoint, which has a table in parts, and a
    /// journal of three generations, of which the last one was killed.
    @Test
    @EnabledIfSystemProperty(named = "namdb.fixture", matches = ".+")
    void write() throws IOException, InterruptedException {
        SimDisk disk = new SimDisk();
        JournalOptions journal = DurableDatabases.journal(disk);
        try (NamDb db = DurableDatabases.open(journal)) {
            Table kept = db.createTable(things("first").property("color", "blue").build());
            db.createIndex(IndexDefinition.ordered("kept_amount", "first", "amount"));
            db.createIndex(IndexDefinition.hash("kept_text", "first", "text"));
            put(db, db.createTable(things("dropped").build()), 1, 1);
            for (int id = 0; id < ROWS; id++) {
                put(db, kept, id, id);
            }
        }
        CheckpointRecoveryTest.FastClock clock = new CheckpointRecoveryTest.FastClock();
        clock.stepNanos = Duration.ofSeconds(16).toNanos();
        try (NamDb db =
                NamDb.embedded(
                        EmbeddedOptions.DEFAULT
                                .withMemoryBytes(64 << 20)
                                .withHost(clock)
                                .withMaxTransactionTime(Duration.ofSeconds(60))
                                .withJournal(
                                        journal.withBytes(DurableDatabases.SEGMENT_BYTES, 1)))) {
            Table kept = db.renameTable("first", "kept");
            while (disk.list().contains("journal-00000001")
                    || disk.list().stream().noneMatch(name -> name.startsWith("checkpoint"))) {
                put(db, kept, 2, 22);
                long _ = clock.ended.incrementAndGet();
                Thread.sleep(20);
            }
            clock.stepNanos = 0;
        }
        String text;
        SimDisk left;
        try (NamDb db = DurableDatabases.open(journal)) {
            Table kept = db.table("kept");
            db.transact(tx -> {
                tx.delete(tx.read(kept, id(kept, 3)));
                return tx.read(kept, id(kept, 4)).setString(kept.column("note"), "four");
            });
            boolean _ =
                    db.changeSchema(
                            Duration.ofSeconds(5),
                            () -> {
                                db.dropTable("dropped");
                                put(db, db.createTable(things("made").build()), 7, 7);
                                return true;
                            });
            put(db, db.truncate("made"), 8, 8);
            text = text(db);
            left = disk.killed();
        }
        Path directory = Path.of(System.getProperty("namdb.fixture"));
        Files.writeString(directory.resolve("format-2.txt"), text);
        try (OutputStream out = Files.newOutputStream(directory.resolve("format-2.zip"));
                ZipOutputStream files = new ZipOutputStream(out)) {
            for (String name : left.list()) {
                files.putNextEntry(new ZipEntry(name));
                try (DiskFile file = left.open(name)) {
                    ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
                    int _ = file.read(0, bytes);
                    files.write(bytes.array());
                }
            }
        }
    }
}
