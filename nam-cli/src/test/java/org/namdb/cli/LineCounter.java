package org.namdb.cli;

import java.nio.file.Path;
import org.namdb.cache.selcc.LineGuard;
import org.namdb.cache.selcc.LineSession;
import org.namdb.compute.NamDb;

/// A program that owns lines of a cluster: it adds one to each repeatedly, and reports each value
/// when the line is released. Tests start it as a process of its own, and kill it.
final class LineCounter {
    private LineCounter() {}

    /// Counts until it is killed.
    ///
    /// @param arguments the cluster's file, and the addresses of the lines
    public static void main(String[] arguments) {
        try (NamDb db = NamDb.connect(Path.of(arguments[0]));
                LineSession lines = db.lines()) {
            while (true) {
                for (int i = 1; i < arguments.length; i++) {
                    long count;
                    try (LineGuard guard = lines.exclusive(Long.parseLong(arguments[i]))) {
                        count = guard.longAt(0) + 1;
                        guard.putLong(0, count);
                    }
                    System.out.println(i - 1 + " " + count);
                }
            }
        }
    }
}
