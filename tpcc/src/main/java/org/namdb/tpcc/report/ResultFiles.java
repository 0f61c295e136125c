package org.namdb.tpcc.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.namdb.tpcc.InvalidOptionException;
import org.namdb.tpcc.statistics.DeliveryLog;

/// The files of `--out`: `result.json`, `timeline.csv`, `latency.csv`, `deliveries.csv`,
/// `report.html`.
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

    /// Writes the files; those of an earlier run are replaced.
    ///
    /// @param deliveries what the deferred deliveries of each thread did
    /// @param runStartNanos when the run began, on the clock of the deliveries
    public void write(TpccResult result, List<DeliveryLog> deliveries, long runStartNanos)
            throws IOException {
        ResultCsv.writeTimeline(directory.resolve("timeline.csv"), result.statistics());
        ResultCsv.writeLatencies(directory.resolve("latency.csv"), result.statistics());
        ResultCsv.writeDeliveries(directory.resolve("deliveries.csv"), deliveries, runStartNanos);
        Files.writeString(directory.resolve("report.html"), HtmlReport.of(result));
        Files.writeString(directory.resolve("result.json"), ResultJson.of(result));
    }
}
