package org.namdb.simulation;

import java.util.ArrayList;
import java.util.List;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;

/// One value in all registers of a database, written by one transaction.
final class RegisterValues {
    private RegisterValues() {}

    /// Writes it to the first `keys` registers, in a session that is closed then.
    static void write(NamDb db, long value, int keys) {
        write(db, () -> {}, value, keys);
    }

    /// The same; `opened` runs when the session is there, before the transaction.
    static void write(NamDb db, Runnable opened, long value, int keys) {
        Registers registers = Registers.of(db);
        try (Session session = db.session()) {
            opened.run();
            session.transact(transaction -> {
                for (int key = 0; key < keys; key++) {
                    registers.write(transaction, key, value);
                }
                return true;
            });
        }
    }

    /// What the first `keys` registers hold.
    static List<Long> read(NamDb db, int keys) {
        Registers registers = Registers.of(db);
        List<Long> values = new ArrayList<>();
        db.transact(transaction -> {
            for (int key = 0; key < keys; key++) {
                values.add(registers.read(transaction, key));
            }
            return true;
        });
        return values;
    }
}
