package org.namdb.checker.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The file format: what is read, and what is said about everything else.
class HistoryReaderTest {
    private static final String FIRST =
            """
            {"tid":1,"sid":"a","status":"ok","i":0,"t":1,"b":1,"e":2,"snap":[0],"ops":[["w",7,70]]}
            """;

    private static History read(String text) throws IOException {
        return HistoryReader.read(
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "h");
    }

    @Test
    void aLineIsATransaction() throws IOException {
        History history =
                read(
                        """
                        {"tid":12,"sid":"c0-t3","status":"ok","i":3,"t":57,"b":1000,"e":1400,"snap":[9,4,7,56],"ops":[["r",17,5],["w",17,8]]}
                        """);
        Transaction transaction = history.transactions().getFirst();
        assertThat(history.transactions()).hasSize(1);
        assertThat(transaction.tid()).isEqualTo(12);
        assertThat(transaction.session()).isEqualTo("c0-t3");
        assertThat(transaction.status()).isEqualTo(Status.OK);
        assertThat(transaction.commitTimestamp()).isEqualTo("<3, 57>");
        assertThat(transaction.beginNanos()).isEqualTo(1000);
        assertThat(transaction.endNanos()).isEqualTo(1400);
        assertThat(transaction.snapshot()).hasToString("[9, 4, 7, 56]");
        assertThat(transaction.operations())
                .containsExactly(Operation.read(17, 5), Operation.write(17, 8));
        assertThat(history.slots()).isEqualTo(4);
        assertThat(history.keys()).isEqualTo(1);
    }

    @Test
    void fieldsStandInAnyOrderAndUnknownOnesAreIgnored() throws IOException {
        History history =
                read(
                        """

                          {"ops":[],"note":{"deep":[1,{"x":null}]},"snap":[],"e":2,"b":-5,"t":-1,"i":-1,"status":"info","sid":"","tid":-9223372036854775808}\r

                        """);
        Transaction transaction = history.transactions().getFirst();
        assertThat(transaction.tid()).isEqualTo(Long.MIN_VALUE);
        assertThat(transaction.status()).isEqualTo(Status.INFO);
        assertThat(transaction.hasTimestamp()).isFalse();
        assertThat(transaction.usedSnapshot()).isFalse();
        assertThat(history.slots()).isZero();
    }

    @Test
    void theLastLineNeedsNoEnd() throws IOException {
        assertThat(read(FIRST.strip()).transactions()).hasSize(1);
    }

    @Test
    void linesAreFoundHoweverTheStreamIsCut() throws IOException {
        int count = 2_000;
        StringBuilder text = new StringBuilder();
        for (int tid = 1; tid <= count; tid++) {
            text.append(FIRST.replace("\"tid\":1", "\"tid\":" + tid).replace("70]", tid + "]"));
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        for (int most : new int[] {1, 7, 65_536}) {
            InputStream drops =
                    new ByteArrayInputStream(bytes) {
                        @Override
                        public synchronized int read(byte[] into, int offset, int length) {
                            return super.read(into, offset, Math.min(length, most));
                        }
                    };
            List<Transaction> transactions = HistoryReader.read(drops, "h").transactions();
            assertThat(transactions).hasSize(count);
            assertThat(transactions.getLast().tid()).isEqualTo(count);
        }
    }

    @Test
    void aLineMayBeLongerThanTheBuffer() throws IOException {
        String operations = "[\"r\",1,0],".repeat(50_000) + "[\"r\",1,0]";
        History history =
                read(
                        FIRST
                                + FIRST.replace("[\"w\",7,70]", operations)
                                        .replace("tid\":1", "tid\":2"));
        assertThat(history.transactions().getLast().operations()).hasSize(50_001);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    x                                  | malformed JSON at column 1
                    {"tid":1                           | the JSON object has no end
                    {"tid":1,}                         | malformed JSON at column 10
                    {"tid":01}                         | malformed JSON at column 9
                    [1]                                | there must be one JSON object, not an array
                    7                                  | there must be one JSON object, not 7
                    "tid"                              | there must be one JSON object, not "tid"
                    {}                                 | tid is missing
                    {"tid":1,"tid":2}                  | tid is given twice
                    {"tid":"1"}                        | tid must be a whole number, not "1"
                    {"tid":1.5}                        | tid must be a whole number, not 1.5
                    {"tid":null}                       | tid must be a whole number, not null
                    {"tid":{}}                         | tid must be a whole number, not an object
                    {"tid":9223372036854775808}        | tid must be a number of 64 bits, not 9223372036854775808
                    {"sid":5}                          | sid must be a string, not 5
                    {"status":"done"}                  | status must be "ok", "fail" or "info", not "done"
                    {"status":1}                       | status must be "ok", "fail" or "info", not 1
                    {"b":true}                         | b must be a whole number, not true
                    {"snap":7}                         | snap must be an array of whole numbers, not 7
                    {"snap":[1,"2"]}                   | each element of snap must be a whole number, not "2"
                    {"snap":[1                         | the JSON object has no end
                    {"ops":{}}                         | ops must be an array of operations, not an object
                    {"ops":[["r",1,2],3]}              | operation 2 must be ["r", key, value] or ["w", key, value], but there is 3
                    {"ops":[["x",1,2]]}                | operation 1 must be ["r", key, value] or ["w", key, value], but there is "x"
                    {"ops":[["r",1]]}                  | operation 1 must be ["r", key, value] or ["w", key, value], but there is the end
                    {"ops":[["r",1,null]]}             | operation 1 must be ["r", key, value] or ["w", key, value], but there is null
                    {"ops":[["r",1,2,3]]}              | operation 1 must be ["r", key, value] or ["w", key, value], but there is 3
                    {"ops":[[]]}                       | operation 1 must be ["r", key, value] or ["w", key, value], but there is the end
                    """)
    void whatIsNoTransactionIsRefusedWithTheLine(String line, String message) {
        assertRefused(line, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    "tid":2    | "tid":1            | transaction 1 is given a second time
                    "tid":2,   | ``                 | tid is missing
                    "sid":"b", | ``                 | sid is missing
                    "i":-1     | "i":-2             | i must be -1 or 0 to 65535, not -2
                    "i":-1     | "i":65536          | i must be -1 or 0 to 65535, not 65536
                    "i":-1     | "i":4294967296     | i must be -1 or 0 to 65535, not 4294967296
                    "i":-1     | "i":0              | t is -1, but i is 0: both are -1, or neither
                    "t":-1     | "t":5              | i is -1, but t is 5: both are -1, or neither
                    "i":-1,"t":-1 | "i":0,"t":0     | t must be -1 or at least 1, not 0
                    "e":4      | "e":2              | e is 2, which is before b, 3
                    "snap":[1] | "snap":[1,-1]      | slot 1 of snap must be at least 0, not -1
                    ["r",7,70] | ["w",7,71]         | transaction 2 is ok and has written, but its commit timestamp is missing (i and t are -1)
                    ["r",7,70] | ["w",8,0]          | 0 is written to key 8, but 0 stands for absent
                    ["r",7,70] | ["w",7,70]         | value 70 was already written to key 7, by transaction 1
                    ["r",7,70] | ["w",8,1],["w",8,1] | value 1 is written to key 8 twice
                    ]]}        | ]]} {}             | there must be one JSON object, but after it comes an object
                    ]]}        | ]]}}               | malformed JSON at column 90
                    """)
    void whatCanBeNoEvidenceIsRefusedWithTheLine(String part, String instead, String message) {
        String line =
                """
                {"tid":2,"sid":"b","status":"ok","i":-1,"t":-1,"b":3,"e":4,"snap":[1],"ops":[["r",7,70]]}\
                """;
        assertThat(line).contains(part);
        assertRefused(line.replace(part, instead), message);
    }

    private static void assertRefused(String line, String message) {
        assertThatThrownBy(() -> read(FIRST + "\n" + line + "\n" + FIRST))
                .isInstanceOf(InvalidHistoryException.class)
                .hasMessage("h, line 3: " + message);
    }

    @Test
    void anInvalidByteIsMalformed() {
        byte[] bytes = FIRST.replace("\"a\"", "\"\u0001\"").getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> HistoryReader.read(new ByteArrayInputStream(bytes), "h"))
                .hasMessage("h, line 1: malformed JSON at column 17");
        byte[] cut = FIRST.getBytes(StandardCharsets.UTF_8);
        cut[FIRST.indexOf('a', 15)] = (byte) 0xC3;
        assertThatThrownBy(() -> HistoryReader.read(new ByteArrayInputStream(cut), "h"))
                .isInstanceOf(InvalidHistoryException.class)
                .hasMessageStartingWith("h, line 1: malformed JSON");
    }

    @Test
    void anErrorIsOneLine() {
        byte[] bytes = FIRST.replace("\"ok\"", "\"o\\n\\u0085,\"").getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> HistoryReader.read(new ByteArrayInputStream(bytes), "h"))
                .hasMessage("h, line 1: status must be \"ok\", \"fail\" or \"info\", not \"o??,\"");
    }

    @Test
    void damagedBytesAreReadOrRefusedWithTheLine() throws IOException {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        Random random = new Random(seed);
        byte[] bytes = (FIRST + FIRST.replace("1", "2")).getBytes(StandardCharsets.UTF_8);
        int refused = 0;
        for (int count = 0; count < 20_000; count++) {
            byte[] damaged = Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length));
            for (int change = random.nextInt(3); change > 0; change--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            }
            try {
                HistoryReader.read(new ByteArrayInputStream(damaged), "h");
            } catch (InvalidHistoryException e) {
                assertThat(e).message().matches("h, line \\d+: .+|h: there are no transactions");
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(10_000);
    }

    @Test
    void anEndlessLineIsRefusedBeforeMemoryIsFull() {
        InputStream endless =
                new InputStream() {
                    @Override
                    public int read() {
                        return 'x';
                    }

                    @Override
                    public int read(byte[] into, int offset, int length) {
                        Arrays.fill(into, offset, offset + length, (byte) 'x');
                        return length;
                    }
                };
        assertThatThrownBy(() -> HistoryReader.read(endless, "h"))
                .hasMessage("h, line 1: longer than 64 MiB");
    }

    @Test
    void aFileWithoutTransactionsIsNoHistory() {
        for (String text : List.of("", "\n", " \r\n\n")) {
            assertThatThrownBy(() -> read(text))
                    .isInstanceOf(InvalidHistoryException.class)
                    .hasMessage("h: there are no transactions");
        }
    }

    @Test
    void aFileIsReadAndOneThatIsNotThereIsNamed(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("history.jsonl"), FIRST);
        assertThat(HistoryReader.read(file).transactions()).hasSize(1);
        assertThatThrownBy(() -> HistoryReader.read(directory.resolve("none")))
                .isInstanceOf(InvalidHistoryException.class)
                .hasMessage(directory.resolve("none") + ": no such file");
        assertThatThrownBy(() -> HistoryReader.read(directory))
                .isInstanceOf(InvalidHistoryException.class)
                .hasMessage(directory + " is a directory");
    }

    @Test
    void equalSnapshotsAreOneWhateverTheirLength() {
        History history =
                History.builder()
                        .add(1, "a", Status.OK, -1, -1, 1, 2, new long[] {3}, List.of())
                        .add(2, "b", Status.OK, -1, -1, 1, 2, new long[] {3, 0, 0}, List.of())
                        .add(3, "c", Status.OK, -1, -1, 1, 2, new long[] {0, 3}, List.of())
                        .build();
        assertThat(history.snapshots()).hasSize(2);
        assertThat(history.slots()).isEqualTo(3);
        assertThat(history.transactions().get(0).snapshot())
                .isSameAs(history.transactions().get(1).snapshot());
    }
}
