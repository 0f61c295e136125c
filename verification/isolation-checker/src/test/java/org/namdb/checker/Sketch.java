package org.namdb.checker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.namdb.checker.history.History;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;

/// Histories as short text: number, session, status, commit slot and timestamp (or -), begin and
/// end, snapshot, operations.
/// ```
/// 12 c ok 3@57 1000-1400 9,4,7,56 r17=5 w17=8
/// ```
final class Sketch {
    private static final Pattern LINE =
            Pattern.compile(
                    "(\\d+) +(\\w+) +(ok|fail|info) +(?:(\\d+)@(\\d+)|-) +(\\d+)-(\\d+) +([\\d,]+|-)(.*)");
    private static final Pattern OPERATION = Pattern.compile(" +([rw])(-?\\d+)=(-?\\d+)");

    private Sketch() {}

    static History history(String text) {
        return Attempt.history(attempts(text));
    }

    static List<Attempt> attempts(String text) {
        return new ArrayList<>(text.strip().lines().map(Sketch::attempt).toList());
    }

    private static Attempt attempt(String line) {
        Matcher fields = LINE.matcher(line.strip());
        if (!fields.matches()) {
            throw new IllegalArgumentException(line);
        }
        Attempt attempt = new Attempt();
        attempt.tid = Long.parseLong(fields.group(1));
        attempt.session = fields.group(2);
        attempt.status = Status.valueOf(fields.group(3).toUpperCase(Locale.ROOT));
        if (fields.group(4) != null) {
            attempt.slot = Integer.parseInt(fields.group(4));
            attempt.timestamp = Long.parseLong(fields.group(5));
        }
        attempt.begin = Long.parseLong(fields.group(6));
        attempt.end = Long.parseLong(fields.group(7));
        attempt.snapshot =
                fields.group(8).equals("-")
                        ? new long[0]
                        : Arrays.stream(fields.group(8).split(",", -1))
                                .mapToLong(Long::parseLong)
                                .toArray();
        Matcher operation = OPERATION.matcher(fields.group(9));
        while (operation.find()) {
            attempt.operations.add(
                    new Operation(
                            operation.group(1).equals("w"),
                            Long.parseLong(operation.group(2)),
                            Long.parseLong(operation.group(3))));
        }
        return attempt;
    }
}
