package org.namdb.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.openjdk.jcstress.JCStress;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.runners.TestList;

/// Runs jcstress in about the time that it is given, and fails if an outcome is seen that is
/// forbidden.
///
/// Each test runs in a JVM of its own, which starts interpreted, with wide gaps between two words,
/// and goes on through C1 to C2, whose choices are randomized. To start another JVM for each of
/// these costs more time than is left to run in it.
class ConcurrencyTests {
    /// How long all tests are meant to take together, on two processors.
    private static final long SECONDS = Long.getLong("jcstress.seconds", 120);

    /// Which tests: a regular expression that is found in their names.
    private static final String TESTS = System.getProperty("jcstress.tests", ".");

    /// What C2's choices are drawn from.
    private static final long SEED =
            Long.getLong("namdb.seed", ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE));

    private static final int ITERATIONS = 5;
    private static final long PROBING_MILLIS = 7_000;
    private static final long JVM_MILLIS = 500;
    private static final long MIN_MILLIS = 50;

    /// States of one stride, and strides: few, as each state has a place in a [StressRegion], and
    /// each JVM is warmed up with many times their number.
    private static final int STRIDE_SIZE = 64;

    private static final int STRIDES = 4;

    /// How many states are alive at a time.
    static final int STATES = STRIDE_SIZE * STRIDES;

    @Test
    void noForbiddenOutcomeIsSeen() throws Exception {
        System.out.println("To repeat C2's choices: -Dnamdb.seed=" + SEED);
        List<String> tests =
                TestList.tests().stream().filter(Pattern.compile(TESTS).asPredicate()).toList();
        assertThat(tests).as("tests whose names match %s", TESTS).isNotEmpty();
        Options options = new Options(options(iterationMillis(tests.size())));
        assertThat(options.parse()).as("jcstress understands its options").isTrue();
        // Throws an AssertionError that names the tests which have failed.
        new JCStress(options).run();
        assertThat(testsRun(options))
                .as("tests that were run: with one processor, or without C2, jcstress runs none")
                .containsAll(tests);
    }

    private static Set<String> testsRun(Options options) throws Exception {
        InProcessCollector results = new InProcessCollector();
        DiskReadCollector file = new DiskReadCollector(options.getResultFile(), results);
        file.dump();
        file.close();
        return results.getTestResults().stream()
                .map(TestResult::getName)
                .collect(Collectors.toSet());
    }

    private static long iterationMillis(long tests) {
        long left = 1000 * SECONDS - PROBING_MILLIS - tests * JVM_MILLIS;
        return Math.max(MIN_MILLIS, left / (tests * ITERATIONS));
    }

    private static String[] options(long iterationMillis) {
        return new String[] {
            "-t",
            TESTS,
            "-r", // a directory for the report in HTML
            "jcstress",
            "-f",
            "1",
            "-iters",
            Integer.toString(ITERATIONS),
            "-time",
            Long.toString(iterationMillis),
            "-strideSize",
            Integer.toString(STRIDE_SIZE),
            "-strideCount",
            Integer.toString(STRIDES),
            "-hs", // MiB of heap, not touched before
            "128",
            "-pth",
            "false",
            "-sc", // one compilation for both actors
            "false",
            "-jvmArgs",
            "-XX:+StressLCM -XX:+StressGCM -XX:+StressIGVN -XX:+StressCCP -XX:StressSeed=" + SEED
        };
    }
}
