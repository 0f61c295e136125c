package org.namdb.examples;

import java.nio.file.Path;
import org.namdb.cache.selcc.LineGuard;
import org.namdb.cache.selcc.LineSession;
import org.namdb.compute.NamDb;

/// Counts together with other processes. The first one prints the counter's address, and the others
/// are given it.
public final class SharedCounter {
    private SharedCounter() {}

    /// Counts to a thousand.
    ///
    /// @param arguments the cluster's file, and the address of a counter; without that, a new one
    public static void main(String[] arguments) {
        try (NamDb db = NamDb.connect(Path.of(arguments[0]));
                LineSession lines = db.lines()) {
            long counter = arguments.length > 1 ? Long.parseLong(arguments[1]) : lines.allocate();
            System.out.println("the counter is at " + counter);
            long count = 0;
            for (int i = 0; i < 1_000; i++) {
                try (LineGuard guard = lines.exclusive(counter)) {
                    count = guard.longAt(0) + 1;
                    guard.putLong(0, count);
                }
            }
            System.out.println("the last one here was " + count);
        }
    }
}
