package org.namdb.sql.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.role.Role;
import org.namdb.sql.engine.role.ScramVerifier;

/// The users that may connect, with what their passwords are checked by; in addition to them the
/// database's own roles may.
///
/// A file has a line for each user: `name:password`, or `name:` and what PostgreSQL keeps,
/// `SCRAM-SHA-256$iterations:salt$stored key:server key`. Empty lines and those that begin with `#`
/// don't count.
public final class Passwords {
    private static final int SECRET_BYTES = 32;

    private final Map<String, ScramVerifier> users;

    /// What the salts of unknown users are made of, so that they get the same one each time.
    private final byte[] secret = new byte[SECRET_BYTES];

    private Passwords(Map<String, ScramVerifier> users) {
        this.users = Map.copyOf(users);
        new SecureRandom().nextBytes(secret);
    }

    /// Reads a file of users.
    ///
    /// @throws IOException if it can't be read
    /// @throws IllegalArgumentException if a line is none, with its number
    public static Passwords read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        Map<String, ScramVerifier> users = new HashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            int colon = line.indexOf(':');
            if (colon < 1 || colon == line.length() - 1) {
                throw new IllegalArgumentException(
                        file + ", line " + (i + 1) + ": expected user:password");
            }
            try {
                users.put(line.substring(0, colon), ScramVerifier.of(line.substring(colon + 1)));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        file + ", line " + (i + 1) + ": " + e.getMessage(), e);
            }
        }
        if (users.isEmpty()) {
            throw new IllegalArgumentException(file + " names no user: write user:password");
        }
        return new Passwords(users);
    }

    /// One user.
    public static Passwords of(String user, String password) {
        return new Passwords(Map.of(user, ScramVerifier.of(password)));
    }

    /// Whether the user is one of these: an administrator, whatever roles the database has.
    boolean contains(String user) {
        return users.containsKey(user);
    }

    /// What a user's password is checked by. For an unknown user one that no password passes, so
    /// that users can't be guessed.
    ///
    /// @param role the database's role of the user's name; null if there is none. Its password is
    ///     that of a user who is not among these
    ScramVerifier verifier(String user, @Nullable Role role) {
        ScramVerifier known = users.get(user);
        if (known == null && role != null) {
            Instant end = role.validUntil();
            known = end == null || Instant.now().isBefore(end) ? role.password() : null;
        }
        return known == null ? ScramVerifier.unknown(user, secret) : known;
    }
}
