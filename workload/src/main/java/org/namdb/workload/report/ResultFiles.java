package org.namdb.workload.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.namdb.workload.InvalidOptionException;

/// The files of `--out`: `result.json`, `timeline.csv`, `latency.csv`, `report.html`, and what a
/// benchmark adds.
public final class ResultFiles {
    private final Path directory;

    private ResultFiles(Path directory) {
        this.directory = directory;
    }

    /// Makes sure, before any work, that files can be written there.
    ///
    /// @throws InvalidOptionException if they can't
    public static ResultFiles in(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new InvalidOptionException(
                    "--out " + directory + " can't be made a directory: " + reason(e));
        }
        if (!Files.isWritable(directory)) {
            throw new InvalidOptionException("--out " + directory + " can't be written to");
        }
        return new ResultFiles(directory);
    }

    private static String reason(IOException e) {
        return e instanceof java.nio.file.FileAlreadyExistsException
                ? "a file is in its place"
                : e.getClass().getSimpleName();
    }

    /// Where a file of this name is.
    public Path file(String name) {
        return directory.resolve(name);
    }

    /// Writes the files; those of an earlier run are replaced.
    public void write(RunResult result) throws IOException {
        ResultCsv.writeTimeline(directory.resolve("timeline.csv"), result);
        ResultCsv.writeLatencies(directory.resolve("latency.csv"), result);
        Files.writeString(directory.resolve("report.html"), HtmlReport.of(result));
        Files.writeString(directory.resolve("result.json"), ResultJson.of(result));
    }
}
