package org.namdb.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.namdb.checker.IsolationChecker;
import org.namdb.checker.Verdict;
import org.namdb.checker.history.History;
import org.namdb.checker.history.HistoryBuilder;
import org.namdb.checker.history.HistoryReader;
import org.namdb.checker.history.InvalidHistoryException;
import org.namdb.checker.report.VerdictReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `nam check`: checks a history, of one file or of several that were written at the same time.
///
/// Exit status: 0 if it is one of snapshot isolation, 1 if it isn't, 2 if it can't be checked, most
/// likely because a file is no history.
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Checks whether a recorded history of transactions was one of snapshot isolation, and explains the smallest"
                        + " violation if it wasn't.",
        parameterListHeading = "%nThe history:%n",
        optionListHeading = "%nOptions:%n",
        footer = {
            "",
            "The histories of processes that have used one database at once are one history:",
            "name all their files.",
            "",
            "A history has a JSON object on each line, for each attempted transaction, in any",
            "order (this one is wrapped to fit the screen):",
            "",
            "  {\"tid\":12,\"sid\":\"c0-t3\",\"status\":\"ok\",\"i\":3,\"t\":57,\"b\":1000,\"e\":1400,",
            "   \"snap\":[9,4,7,56],\"ops\":[[\"r\",17,5],[\"w\",17,8]]}",
            "",
            "  tid     number of the transaction",
            "  sid     its session",
            "  status  ok, fail, or info if its outcome is unknown",
            "  i, t    slot and timestamp of its commit; -1 and -1 if there is none",
            "  b, e    when it began and ended, in ns of one monotonic clock",
            "  snap    the snapshot that it used, slot by slot",
            "  ops     reads and writes in program order, with key and value; a read of 0",
            "          found nothing, and no two writes of a key have the same value",
            "",
            "Exit status: 0 if snapshot isolation holds, 1 if it is violated, 2 if the files",
            "can't be checked."
        })
final class CheckCommand implements Callable<Integer> {
    private static final int HOLDS = 0;
    private static final int VIOLATED = 1;
    private static final int NOT_JUDGED = 2;

    @Spec private CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "Files to read together; - is standard input.")
    private List<String> files = List.of();

    /// The one that is being read.
    private String file = "-";

    @Option(
            names = "--allow-stale",
            description =
                    "Leave out the real-time rule: a transaction need not see what other sessions committed before it"
                            + " began. For runs with --staleness.")
    private boolean allowStale;

    @Override
    public Integer call() {
        try {
            return report(checker().check(history()));
        } catch (InvalidHistoryException e) {
            return notJudged(e.sentence());
        } catch (InvalidPathException e) {
            return notJudged("'" + file + "' can't be a file's name");
        } catch (IOException e) {
            return notJudged(file + " can't be read: " + FileErrors.reason(e));
        } catch (OutOfMemoryError e) {
            return notJudged(
                    file + " is too large for the JVM's memory, try it with NAM_JAVA_OPTS=-Xmx8g");
        }
    }

    private IsolationChecker checker() {
        return allowStale ? IsolationChecker.allowingStale() : IsolationChecker.strict();
    }

    private int report(Verdict verdict) {
        PrintWriter output = spec.commandLine().getOut();
        output.print(VerdictReport.of(verdict));
        output.flush();
        return verdict.holds() ? HOLDS : VIOLATED;
    }

    private History history() throws IOException {
        HistoryBuilder history = History.builder();
        for (String name : files) {
            file = name;
            if (name.equals("-")) {
                HistoryReader.add(System.in, "standard input", history);
            } else {
                HistoryReader.add(Path.of(name), history);
            }
        }
        try {
            return history.build();
        } catch (InvalidHistoryException e) {
            String all = files.equals(List.of("-")) ? "standard input" : String.join(", ", files);
            throw new InvalidHistoryException(all + ": " + e.sentence());
        }
    }

    private int notJudged(String sentence) {
        spec.commandLine().getErr().printf("%s: %s%n", spec.qualifiedName(), sentence);
        return NOT_JUDGED;
    }
}
