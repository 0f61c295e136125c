package org.namdb.sql.engine.spill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.fabric.Seeds;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.type.ByteString;
import org.namdb.sql.language.type.Interval;

/// What is spilled is read back as it was, and leaves nothing.
class TupleFileTest {
    private static final @Nullable Object[][] BORDERS = {
        {},
        {null, true, false},
        {0L, -1L, Long.MAX_VALUE, Long.MIN_VALUE, 63L, 64L, -64L, -65L},
        {Float.NaN, -0.0f, Float.MIN_VALUE, Float.NEGATIVE_INFINITY},
        {Double.NaN, -0.0, Double.MIN_VALUE, Double.NEGATIVE_INFINITY},
        {
            new BigDecimal("0.00"),
            new BigDecimal("-1E+20"),
            BigDecimal.valueOf(Long.MIN_VALUE, -3),
            new BigDecimal(BigInteger.ONE.shiftLeft(63), 40),
            new BigDecimal(BigInteger.TEN.pow(300).negate(), 2)
        },
        {"", "a", "\u00ff", "\u0100", "\ud83d\ude00", "a lone \ud800", "\0"},
        {LocalDate.MIN, LocalDate.MAX, LocalDate.EPOCH},
        {LocalTime.MIN, LocalTime.MAX},
        {LocalDateTime.MIN, LocalDateTime.MAX},
        {new Interval(Integer.MIN_VALUE, Integer.MAX_VALUE, Long.MIN_VALUE), Interval.ZERO},
        {ByteString.EMPTY, ByteString.of((byte) 0, (byte) -1)},
        {new UUID(-1, 1)},
    };

    @TempDir private Path directory;

    private WorkMemory memory(long maxFileBytes) {
        return new WorkMemory(1000, new TemporaryFiles(directory, maxFileBytes), _ -> {});
    }

    private static List<@Nullable Object[]> all(TupleCursor tuples) {
        List<@Nullable Object[]> all = new ArrayList<>();
        for (@Nullable Object[] tuple = tuples.next(); tuple != null; tuple = tuples.next()) {
            all.add(tuple);
        }
        return all;
    }

    @Test
    void valuesOfAllClassesComeBackEqual() {
        try (WorkMemory memory = memory(Long.MAX_VALUE);
                TupleFile file = memory.newFile()) {
            for (@Nullable Object[] tuple : BORDERS) {
                file.add(tuple);
            }
            assertThat(all(file.read())).containsExactly(BORDERS);
            assertThat(file.count()).isEqualTo(BORDERS.length);
        }
    }

    @Test
    void randomTuplesComeBackAsOftenAsTheyAreRead() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        List<@Nullable Object[]> tuples = new ArrayList<>();
        for (int i = random.nextInt(3000); i > 0; i--) {
            @Nullable Object[] tuple = new @Nullable Object[random.nextInt(6)];
            Arrays.setAll(
                    tuple,
                    _ ->
                            switch (random.nextInt(4)) {
                                case 0 -> random.nextLong() >> random.nextInt(64);
                                case 1 -> "x".repeat(1 << random.nextInt(9));
                                case 2 -> BigDecimal.valueOf(random.nextLong(), random.nextInt(9));
                                default -> null;
                            });
            tuples.add(tuple);
        }
        tuples.add(new Object[] {"larger than a block ".repeat(5000)});
        try (WorkMemory memory = memory(Long.MAX_VALUE)) {
            TupleFile file = memory.newFile();
            tuples.forEach(file::add);
            for (int i = 0; i < 2; i++) {
                assertThat(all(file.read()))
                        .usingElementComparator((a, b) -> Arrays.equals(a, b) ? 0 : 1)
                        .containsExactlyElementsOf(tuples);
            }
            assertThat(all(memory.newFile().read())).isEmpty();
        }
    }

    @Test
    void aFileHasNoNameAndItsBytesAreFreedWithIt() throws IOException {
        AtomicLong spilled = new AtomicLong();
        TemporaryFiles files = new TemporaryFiles(directory, 100_000);
        try (WorkMemory memory = new WorkMemory(1000, files, spilled::addAndGet)) {
            // Each takes more than half of what all may take together.
            for (int i = 0; i < 3; i++) {
                TupleFile file = memory.newFile();
                fill(file);
                file.read();
                try (Stream<Path> names = Files.list(directory)) {
                    assertThat(names).isEmpty();
                }
                file.close();
            }
        }
        assertThat(spilled.get()).isBetween(150_000L, 300_000L);
    }

    /// Some 60 kB, as they can't be compressed.
    private static void fill(TupleFile file) {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 6000; i++) {
            file.add(new Object[] {random.nextLong()});
        }
    }

    @Test
    void theLimitIsOfAllFilesTogether() {
        try (WorkMemory memory = memory(100_000)) {
            fill(memory.newFile());
            assertThatThrownBy(
                            () -> {
                                TupleFile second = memory.newFile();
                                fill(second);
                                second.read();
                            })
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            e -> {
                                assertThat(e.state().code()).isEqualTo("53400");
                                assertThat(e)
                                        .hasMessage(
                                                "temporary file size exceeds temp_file_limit (97kB)");
                            });
        }
    }

    @Test
    void aDirectoryThatIsNotThereIsNamed() {
        Path missing = directory.resolve("missing");
        TemporaryFiles files = new TemporaryFiles(missing, Long.MAX_VALUE);
        try (WorkMemory memory = new WorkMemory(1000, files, _ -> {})) {
            assertThatThrownBy(memory::newFile)
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            e -> assertThat(e.state().code()).isEqualTo("58030"))
                    .hasMessageContaining(missing.toString());
        }
    }

    @Test
    void aListKeepsWhatFitsAndSpillsTheRest() {
        AtomicLong spilled = new AtomicLong();
        TemporaryFiles files = new TemporaryFiles(directory, Long.MAX_VALUE);
        try (WorkMemory memory = new WorkMemory(300, files, spilled::addAndGet)) {
            TupleList list = new TupleList(memory);
            for (long i = 0; i < 10; i++) {
                list.add(new Object[] {i});
            }
            for (int i = 0; i < 2; i++) {
                assertThat(all(list.read()))
                        .extracting(tuple -> tuple[0])
                        .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
            }
            assertThat(spilled.get()).isPositive();
        }
    }
}
