package org.namdb.compute.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.history.HistoryWriter.Status;

/// The lines, byte for byte, and what becomes of them.
class HistoryWriterTest {
    @TempDir private Path directory;

    private Path path() {
        return directory.resolve("history.jsonl");
    }

    @Test
    void theLineIsThatOfTheForm() throws IOException {
        try (HistoryFile file = HistoryFile.create(path())) {
            HistoryWriter writer = file.writer();
            Operations ops = new Operations().read(17, 5).write(17, 8);
            writer.add(12, "c0-t3", Status.OK, 3, 57, 1000, 1400, new long[] {9, 4, 7, 56}, ops);
            ops.clear();
            writer.add(13, "", Status.FAIL, -1, -1, -5, 0, new long[0], ops);
            writer.add(14, "s", Status.INFO, 0, 1, 1, 2, new long[1], ops.read(-1, 0));
            assertThat(file.transactions()).isEqualTo(3);
        }
        assertThat(Files.readString(path()))
                .isEqualTo(
                        """
                        {"tid":12,"sid":"c0-t3","status":"ok","i":3,"t":57,"b":1000,"e":1400,"snap":[9,4,7,56],"ops":[["r",17,5],["w",17,8]]}
                        {"tid":13,"sid":"","status":"fail","i":-1,"t":-1,"b":-5,"e":0,"snap":[],"ops":[]}
                        {"tid":14,"sid":"s","status":"info","i":0,"t":1,"b":1,"e":2,"snap":[0],"ops":[["r",-1,0]]}
                        """);
    }

    @Test
    void everyNumberIsWrittenWhole() throws IOException {
        List<Long> numbers = new ArrayList<>(List.of(0L, Long.MAX_VALUE, Long.MIN_VALUE));
        for (long power = 1; power <= 1_000_000_000_000_000_000L / 10; power *= 10) {
            numbers.addAll(List.of(power, power - 1, -power, 1 - power, 10 * power));
        }
        long[] snap = numbers.stream().mapToLong(Long::longValue).toArray();
        try (HistoryFile file = HistoryFile.create(path())) {
            file.writer().add(1, "s", Status.OK, -1, -1, 0, 0, snap, new Operations());
        }
        String line = Files.readString(path());
        String written = line.substring(line.indexOf('[') + 1, line.indexOf(']'));
        assertThat(written.split(","))
                .containsExactlyElementsOf(numbers.stream().map(String::valueOf).toList());
    }

    @Test
    void noSessionNameBreaksTheLine() throws IOException {
        try (HistoryFile file = HistoryFile.create(path())) {
            file.writer()
                    .add(1, "a\"b\\c\n\té", Status.OK, -1, -1, 0, 0, new long[0], new Operations());
        }
        assertThat(Files.readString(path()))
                .startsWith(
                        "{\"tid\":1,\"sid\":\"a\\u0022b\\u005cc\\u000a\\u0009\\u00e9\",\"status\"");
    }

    @Test
    void linesOfManyThreadsAreMixedAndNoneIsLostOrTorn() throws Exception {
        int threads = 4;
        int each = 20_000;
        try (HistoryFile file = HistoryFile.create(path())) {
            List<Thread> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                HistoryWriter writer = file.writer();
                running.add(
                        Thread.ofPlatform()
                                .start(() -> {
                                    Operations ops = new Operations();
                                    for (int i = 0; i < each; i++) {
                                        ops.clear();
                                        ops.read(i, i).write(i, i + 1L);
                                        writer.add(
                                                (long) number * each + i,
                                                "s" + number,
                                                Status.OK,
                                                number,
                                                i + 1,
                                                i,
                                                i,
                                                new long[threads],
                                                ops);
                                    }
                                }));
            }
            for (Thread thread : running) {
                thread.join();
            }
            assertThat(file.transactions()).isEqualTo((long) threads * each);
        }
        Set<String> tids = new HashSet<>();
        for (String line : Files.readAllLines(path())) {
            assertThat(line).startsWith("{\"tid\":").endsWith("]]}");
            assertThat(line.indexOf('{', 1)).isNegative();
            tids.add(line.substring(7, line.indexOf(',')));
        }
        assertThat(tids).hasSize(threads * each);
    }

    @Test
    void aLineMayBeLongerThanTheBuffer() throws IOException {
        try (HistoryFile file = HistoryFile.create(path())) {
            Operations ops = new Operations();
            for (int key = 0; key < 50_000; key++) {
                ops.read(key, Long.MIN_VALUE);
            }
            file.writer().add(1, "s", Status.OK, -1, -1, 0, 0, new long[1 << 14], ops);
        }
        assertThat(Files.readAllLines(path()))
                .singleElement()
                .asString()
                .endsWith("[\"r\",49999,-9223372036854775808]]}");
    }

    @Test
    void whatIsKeptBackIsBounded() throws IOException {
        try (HistoryFile file = HistoryFile.create(path())) {
            HistoryWriter writer = file.writer();
            long added = 0;
            for (int i = 0; i < 5_000; i++) {
                writer.add(i, "s", Status.OK, -1, -1, 0, 0, new long[16], new Operations());
                added +=
                        ("{\"tid\":"
                                        + i
                                        + ",\"sid\":\"s\",\"status\":\"ok\",\"i\":-1,\"t\":-1,\"b\":0,\"e\":0,\"snap\":["
                                        + "0,".repeat(15)
                                        + "0],\"ops\":[]}\n")
                                .length();
                assertThat(added - Files.size(path())).isBetween(0L, 64L << 10);
            }
            file.flush();
            assertThat(Files.size(path())).isEqualTo(added);
        }
    }

    @Test
    void aFailureIsKeptAndTheRunGoesOn() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full), "needs a device that is always full");
        HistoryFile file = HistoryFile.create(full);
        HistoryWriter writer = file.writer();
        for (int i = 0; i < 10_000; i++) {
            writer.add(i, "s", Status.OK, -1, -1, 0, 0, new long[16], new Operations());
        }
        assertThatThrownBy(file::close)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("space");
        file.close(); // once is enough
    }

    @Test
    void aPlaceThatCannotBeWrittenIsRefusedAtOnce() {
        assertThatThrownBy(() -> HistoryFile.create(directory)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> HistoryFile.create(directory.resolve("no/such/place")))
                .isInstanceOf(IOException.class);
    }
}
