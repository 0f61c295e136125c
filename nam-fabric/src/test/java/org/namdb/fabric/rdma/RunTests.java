package org.namdb.fabric.rdma;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.PrintWriter;
import java.util.Arrays;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/// Runs test classes, or methods (`class#method`), without Maven: where it would take minutes.
/// Fails unless every one of them has run and passed.
final class RunTests implements TestExecutionListener {
    private long start;

    private RunTests() {}

    public static void main(String[] arguments) {
        LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(Arrays.stream(arguments).map(RunTests::select).toList())
                        .configurationParameter("junit.jupiter.execution.timeout.default", "5 m")
                        .build();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, summary, new RunTests());
        PrintWriter out = new PrintWriter(System.out, true, UTF_8);
        summary.getSummary().printTo(out);
        summary.getSummary().printFailuresTo(out, 30);
        System.exit(hasPassed(summary.getSummary()) ? 0 : 1);
    }

    private static boolean hasPassed(TestExecutionSummary summary) {
        return summary.getTestsFoundCount() > 0
                && summary.getTestsSucceededCount() == summary.getTestsFoundCount()
                && summary.getTotalFailureCount() == 0;
    }

    private static DiscoverySelector select(String name) {
        return name.contains("#") ? selectMethod(name) : selectClass(name);
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        start = System.nanoTime();
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (test.isTest()) {
            System.out.printf(
                    "%6d ms %s %s%n",
                    (System.nanoTime() - start) / 1_000_000,
                    result.getStatus(),
                    test.getDisplayName());
        }
    }
}
