package org.namdb.sql.engine.role;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A privilege on an object; in the order of PostgreSQL, whose letters these are in the text of an
/// ACL.
public enum Privilege {
    INSERT('a'),
    SELECT('r'),
    UPDATE('w'),
    DELETE('d'),
    TRUNCATE('D'),
    REFERENCES('x'),
    TRIGGER('t'),
    EXECUTE('X'),
    USAGE('U'),
    CREATE('C');

    private final char letter;

    Privilege(char letter) {
        this.letter = letter;
    }

    char letter() {
        return letter;
    }

    /// Its bit in a set of privileges.
    public int bit() {
        return 1 << ordinal();
    }

    /// The one of this name, in any case of letters; null if there is none.
    public static @Nullable Privilege named(String name) {
        for (Privilege each : values()) {
            if (each.name().equals(name.strip().toUpperCase(Locale.ROOT))) {
                return each;
            }
        }
        return null;
    }
}
