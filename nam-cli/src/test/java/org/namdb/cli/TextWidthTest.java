package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Texts for people fit beside something else on a screen. The formatter takes care of code.
class TextWidthTest {
    private static final int COMMENT_COLUMNS = 100;
    private static final int MARKDOWN_COLUMNS = 120;
    private static final String TEXT_BLOCK = "\"\"\"";
    private static final Set<String> NOT_OURS = Set.of("target", "node_modules", ".git");

    @Test
    void noCommentIsTooWide() throws IOException {
        List<String> tooWide = new ArrayList<>();
        for (Path file : files(".java")) {
            boolean isText = false;
            int number = 0;
            for (String line : Files.readAllLines(file)) {
                number++;
                if (!isText && isComment(line) && isWider(line, COMMENT_COLUMNS)) {
                    tooWide.add(file + ":" + number);
                }
                isText ^= (line.split(TEXT_BLOCK, -1).length - 1) % 2 == 1;
            }
        }
        assertThat(tooWide).as("comments of more than %d columns", COMMENT_COLUMNS).isEmpty();
    }

    /// Tables and code are as wide as they have to be.
    @Test
    void noMarkdownIsTooWide() throws IOException {
        List<String> tooWide = new ArrayList<>();
        for (Path file : files(".md")) {
            boolean isCode = false;
            int number = 0;
            for (String line : Files.readAllLines(file)) {
                number++;
                isCode ^= line.strip().startsWith("```");
                boolean isFree = isCode || line.startsWith("    ") || line.startsWith("|");
                if (!isFree && isWider(line, MARKDOWN_COLUMNS)) {
                    tooWide.add(file + ":" + number);
                }
            }
        }
        assertThat(tooWide)
                .as("lines of Markdown of more than %d columns", MARKDOWN_COLUMNS)
                .isEmpty();
    }

    /// Whole lines of comments, but for tables in them.
    private static boolean isComment(String line) {
        String text = line.strip();
        return (text.startsWith("//") || text.startsWith("*") || text.startsWith("/*"))
                && !text.startsWith("/// |");
    }

    private static boolean isWider(String line, int columns) {
        return line.codePointCount(0, line.length()) > columns;
    }

    /// The files of the project with a suffix, without what is built or downloaded.
    static List<Path> files(String suffix) throws IOException {
        List<Path> found = new ArrayList<>();
        Path root = ArchitectureTest.projectRoot();
        Files.walkFileTree(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path directory, BasicFileAttributes attributes) {
                        return !directory.equals(root)
                                        && NOT_OURS.contains(directory.getFileName().toString())
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        if (file.toString().endsWith(suffix)) {
                            found.add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        return found;
    }
}
