package org.namdb.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class LogLogPlotTest {
    private static final List<LogLogPlot.Line> LINES =
            List.of(
                    new LogLogPlot.Line(
                            "one",
                            List.of(new LogLogPlot.Point(1, 0.03), new LogLogPlot.Point(64, 3))),
                    new LogLogPlot.Line(
                            "other",
                            List.of(new LogLogPlot.Point(1, 0.3), new LogLogPlot.Point(64, 0.4))));

    private final String svg =
            new LogLogPlot("slots", "microseconds").panel("a", LINES).panel("b", LINES).svg();

    @Test
    void itIsAFileThatStandsAlone() throws Exception {
        Document document =
                DocumentBuilderFactory.newDefaultNSInstance()
                        .newDocumentBuilder()
                        .parse(new InputSource(new StringReader(svg)));
        assertThat(document.getDocumentElement().getLocalName()).isEqualTo("svg");
        assertThat(document.getElementsByTagName("title").getLength()).isEqualTo(8);
    }

    @Test
    void ticksEncloseTheValues() {
        assertThat(svg).contains(">0.02</text>", ">0.05</text>", ">2</text>", ">5</text>");
        assertThat(svg).doesNotContain(">0.01</text>", ">10</text>");
    }

    @Test
    void equalRatiosAreEqualDistances() {
        double ofTen = (y("one, 1: 0.030") - y("one, 64: 3.000")) / 2;
        double fromThreeTenths = y("other, 1: 0.300") - y("one, 64: 3.000");
        assertThat(fromThreeTenths).isCloseTo(ofTen, within(0.2));
    }

    private double y(String title) {
        int end = svg.indexOf("<title>" + title);
        int start = svg.lastIndexOf("translate(", end) + "translate(".length();
        return Double.parseDouble(svg.substring(start, svg.indexOf(')', start)).split(" ", 2)[1]);
    }
}
