package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Links of one document to another lead to a file and to a heading that are there.
class LinksTest {
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s#]*)(?:#([^)\\s]+))?\\)");
    private static final Pattern HEADING = Pattern.compile("#+ (.+)");
    private static final Pattern LINKED = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");

    @Test
    void linksLeadToFilesAndHeadings() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path document : TextWidthTest.files(".md")) {
            Matcher link = LINK.matcher(Files.readString(document));
            while (link.find()) {
                if (!link.group(1).contains(":")) {
                    links++;
                    if (!leadsSomewhere(document, link)) {
                        broken.add(document + ": " + link.group());
                    }
                }
            }
        }
        assertThat(broken).as("links that lead nowhere").isEmpty();
        assertThat(links).as("links that were checked").isGreaterThan(100);
    }

    private static boolean leadsSomewhere(Path document, MatchResult link) throws IOException {
        Path target = link.group(1).isEmpty() ? document : document.resolveSibling(link.group(1));
        boolean isHeading = link.group(2) != null && target.toString().endsWith(".md");
        return Files.exists(target) && (!isHeading || anchors(target).contains(link.group(2)));
    }

    /// The anchors of a document's headings, as GitHub makes them.
    private static Set<String> anchors(Path document) throws IOException {
        Set<String> anchors = new HashSet<>();
        boolean isCode = false;
        for (String line : Files.readAllLines(document)) {
            isCode ^= line.startsWith("```");
            Matcher heading = HEADING.matcher(line);
            if (!isCode && heading.matches()) {
                addAnchor(anchors, heading.group(1));
            }
        }
        return anchors;
    }

    private static void addAnchor(Set<String> anchors, String heading) {
        String text = LINKED.matcher(heading).replaceAll("$1").strip().toLowerCase(Locale.ROOT);
        String anchor = text.replaceAll("[^\\p{IsAlphabetic}\\d_ -]", "").replace(' ', '-');
        String distinct = anchor;
        for (int next = 1; !anchors.add(distinct); next++) {
            distinct = anchor + "-" + next;
        }
    }
}
