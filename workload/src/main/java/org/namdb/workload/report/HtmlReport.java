package org.namdb.workload.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.namdb.cluster.config.ByteSize;
import org.namdb.workload.Benchmark;
import org.namdb.workload.TransactionKind;
import org.namdb.workload.statistics.RunEnd;
import org.namdb.workload.statistics.RunStatistics;
import org.namdb.workload.statistics.TypeStatistics;

/// A result as one page of HTML: its style, its plots and its numbers are all in it.
final class HtmlReport {
    private final RunResult result;
    private final StringBuilder page = new StringBuilder();

    private HtmlReport(RunResult result) {
        this.result = result;
    }

    static String of(RunResult result) {
        return new HtmlReport(result).build();
    }

    private String build() {
        page.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        page.append("<title>").append(title()).append("</title>\n<style>\n").append(style());
        page.append("</style>\n</head>\n<body>\n<main>\n");
        appendHead();
        appendTiles();
        section("Throughput", ResultPlots.throughput(result));
        section("Latency", ResultPlots.latencies(result));
        section("Transactions", ResultGrids.transactions(result).html());
        section(
                "Cost and aborts",
                "<p>Verbs, bytes and round trips are averages of a transaction, with those of attempts"
                        + " that came to nothing.</p>\n"
                        + ResultGrids.verbsAndAborts(result).html());
        section("Memory", memory() + ResultPlots.oldVersions(result));
        section("Consistency", conditions());
        page.append("<div class=\"pair\">\n");
        section("Options", ResultGrids.facts("option", OptionFacts.of(result.options())).html());
        section("Machine", ResultGrids.facts("machine", OptionFacts.of(result.machine())).html());
        page.append("</div>\n");
        return page.append("</main>\n</body>\n</html>\n").toString();
    }

    private String title() {
        return result.benchmark().name() + " on NamDB";
    }

    private void appendHead() {
        page.append("<header>\n<h1>").append(title()).append("</h1>\n<p>");
        page.append(
                Html.escape(
                        "%s, %s, %s, %s UTC"
                                .formatted(
                                        Plural.of(result.load().size(), result.load().unit()),
                                        Plural.of(result.options().threads(), "thread"),
                                        Plural.of(
                                                result.database().memoryServers(), "memory server"),
                                        result.machine().time())));
        page.append("</p>\n");
        if (result.end() != RunEnd.DURATION && !result.end().notice().isEmpty()) {
            page.append("<p class=\"notice\">").append(Html.escape(result.end().notice()));
            page.append("</p>\n");
        }
        page.append("</header>\n");
    }

    private void appendTiles() {
        RunStatistics statistics = result.statistics();
        page.append("<div class=\"tiles\">\n");
        Benchmark.Measure measure = result.benchmark().measure();
        if (measure != null) {
            tile(Figures.measure(statistics.of(measure)), measure.caption());
        }
        tile(Figures.measure(statistics.tps()), "transactions/s");
        TransactionKind kind = measure == null ? null : measure.kind();
        TypeStatistics measured = kind == null ? statistics.total() : statistics.type(kind);
        tile(
                Axis.microsText(measured.latency().percentileMicros(99)),
                (kind == null ? "" : kind.label() + " ") + "p99");
        tile(
                ByteSize.describe(Math.round(result.load().regionBytesPerUnit())),
                "of region per " + result.load().unit());
        tile(
                ByteSize.describe(Math.round(result.memory().growthBytesPerTransaction())),
                "growth per " + result.benchmark().growthUnit());
        long held = result.conditions().stream().filter(CheckedCondition::holds).count();
        tile(held + " / " + result.conditions().size(), "conditions hold");
        page.append("</div>\n");
    }

    private void tile(String figure, String label) {
        page.append("<div><b>").append(Html.escape(figure)).append("</b><span>");
        page.append(Html.escape(label)).append("</span></div>\n");
    }

    private String memory() {
        MemoryFacts memory = result.memory();
        return "<p>The regions held %s after loading and %s at the end. The process allocated %s bytes of heap for a transaction.</p>\n"
                .formatted(
                        ByteSize.describe(memory.loadedBytes()),
                        ByteSize.describe(memory.endBytes()),
                        Figures.measure(memory.allocatedBytesPerTransaction()));
    }

    private String conditions() {
        StringBuilder html = new StringBuilder("<ul class=\"conditions\">\n");
        for (CheckedCondition condition : result.conditions()) {
            html.append(condition.holds() ? "<li class=\"yes\">✓ " : "<li class=\"no\">✗ ");
            html.append("<span>").append(condition.clause()).append("</span> ");
            html.append(Html.escape(condition.formula()));
            condition
                    .examples()
                    .forEach(example ->
                            html.append("<br><small>")
                                    .append(Html.escape(example))
                                    .append("</small>"));
            html.append("</li>\n");
        }
        return html.append("</ul>\n").toString();
    }

    private void section(String title, String content) {
        page.append("<section>\n<h2>").append(title).append("</h2>\n").append(content);
        page.append("</section>\n");
    }

    private static String style() {
        try (InputStream style = HtmlReport.class.getResourceAsStream("report.css")) {
            return new String(
                    Objects.requireNonNull(style, "report.css").readAllBytes(),
                    StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
