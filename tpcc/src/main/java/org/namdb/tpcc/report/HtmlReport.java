package org.namdb.tpcc.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.namdb.cluster.config.ByteSize;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.check.ConditionResult;
import org.namdb.tpcc.statistics.RunEnd;
import org.namdb.tpcc.statistics.RunStatistics;

/// A result as one page of HTML: its style, its plots and its numbers are all in it.
final class HtmlReport {
    private static final double MILLIS_PER_SECOND = 1e3;

    private final TpccResult result;
    private final StringBuilder page = new StringBuilder();

    private HtmlReport(TpccResult result) {
        this.result = result;
    }

    static String of(TpccResult result) {
        return new HtmlReport(result).build();
    }

    private String build() {
        page.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        page.append("<title>TPC-C on NamDB</title>\n<style>\n").append(style());
        page.append("</style>\n</head>\n<body>\n<main>\n");
        appendHead();
        appendTiles();
        RunStatistics statistics = result.statistics();
        double warmupSeconds = result.options().warmup().toMillis() / MILLIS_PER_SECOND;
        section("Throughput", ResultPlots.throughput(statistics, warmupSeconds));
        section("Latency", ResultPlots.latencies(statistics));
        section("Transactions", ResultGrids.transactions(statistics).html());
        section(
                "Cost and aborts",
                "<p>Verbs, bytes and round trips are averages of a transaction, with those of attempts"
                        + " that came to nothing.</p>\n"
                        + ResultGrids.verbsAndAborts(statistics).html());
        section("Memory", memory() + ResultPlots.oldVersions(statistics, warmupSeconds));
        section("Consistency", conditions());
        page.append("<div class=\"pair\">\n");
        section("Options", ResultGrids.facts("option", OptionFacts.of(result.options())).html());
        section("Machine", ResultGrids.facts("machine", OptionFacts.of(result.machine())).html());
        page.append("</div>\n");
        return page.append("</main>\n</body>\n</html>\n").toString();
    }

    private void appendHead() {
        TpccOptions options = result.options();
        page.append("<header>\n<h1>TPC-C on NamDB</h1>\n<p>");
        page.append(
                Html.escape(
                        "%s, %s, %s, %s UTC"
                                .formatted(
                                        Plural.of(options.scale().warehouses(), "warehouse"),
                                        Plural.of(options.threads(), "thread"),
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
        tile(Figures.measure(statistics.tpmC()), "new orders/min (tpmC)");
        tile(Figures.measure(statistics.tps()), "transactions/s");
        tile(
                Axis.microsText(
                        statistics.type(TransactionType.NEW_ORDER).latency().percentileMicros(99)),
                "NewOrder p99");
        tile(
                ByteSize.describe(Math.round(result.load().regionBytesPerWarehouse())),
                "of region per warehouse");
        tile(
                ByteSize.describe(Math.round(result.memory().growthBytesPerNewOrder())),
                "growth per NewOrder");
        long held = result.conditions().stream().filter(ConditionResult::holds).count();
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
        for (ConditionResult condition : result.conditions()) {
            html.append(condition.holds() ? "<li class=\"yes\">✓ " : "<li class=\"no\">✗ ");
            html.append("<span>").append(condition.condition().clause()).append("</span> ");
            html.append(Html.escape(condition.condition().formula()));
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
