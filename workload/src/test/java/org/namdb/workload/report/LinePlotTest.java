package org.namdb.workload.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class LinePlotTest {
    private final String svg =
            new LinePlot(Axis.logOf("slots", List.of(1, 8, 64)), Axis.logMicros("time", 0.03, 3))
                    .line("one", 1, List.of(point(1, 0.03), point(8, 0.3), point(64, 3)))
                    .line("other", 2, List.of(point(1, 0.3), point(64, 0.4)))
                    .file("A & B");

    private static LinePlot.Point point(double x, double y) {
        return new LinePlot.Point(x, y, x + ", " + y);
    }

    @Test
    void itIsAFileThatStandsAlone() throws Exception {
        Document document =
                DocumentBuilderFactory.newDefaultNSInstance()
                        .newDocumentBuilder()
                        .parse(new InputSource(new StringReader(svg)));
        assertThat(document.getDocumentElement().getLocalName()).isEqualTo("svg");
        assertThat(document.getElementsByTagName("style").getLength()).isEqualTo(1);
        assertThat(document.getElementsByTagName("title").getLength()).isEqualTo(5);
        assertThat(svg).contains(">A &amp; B</text>", ">one</text>", ">other</text>");
    }

    @Test
    void ticksEncloseTheValues() {
        assertThat(svg).contains(">10 ns</text>", ">1 µs</text>", ">10 µs</text>");
        assertThat(svg).doesNotContain(">1 ns</text>", ">100 µs</text>");
    }

    @Test
    void equalRatiosAreEqualDistances() {
        assertThat(place("cx", "8.0, 0.3") - place("cx", "1.0, 0.03"))
                .isCloseTo(place("cx", "64.0, 3.0") - place("cx", "8.0, 0.3"), within(0.2));
        assertThat(place("cy", "8.0, 0.3") - place("cy", "1.0, 0.03"))
                .isCloseTo(place("cy", "64.0, 3.0") - place("cy", "8.0, 0.3"), within(0.2));
    }

    private double place(String attribute, String title) {
        int end = svg.indexOf("<title>" + title + "<");
        int start = svg.lastIndexOf(attribute + "=\"", end) + attribute.length() + 2;
        return Double.parseDouble(svg.substring(start, svg.indexOf('"', start)));
    }
}
