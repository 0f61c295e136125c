package org.namdb.sql.engine.sequence;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Session;
import org.namdb.sql.engine.role.Authority;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.engine.role.Securable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// What a session does with sequences: `nextval` and its kin, with the privileges that they need.
/// For one thread at a time.
public final class SessionSequences {
    private final Supplier<SequenceValues> values;
    private final Function<String, Sequence> byName;
    private final Supplier<Authority> authority;
    private final Supplier<@Nullable Session> running;
    private final BooleanSupplier isReadOnly;

    /// The last value that the session has got of each sequence, by its id.
    private final Map<Long, Long> last = new HashMap<>();

    /// The sequence of which it has got a value last.
    private @Nullable String lastUsed;

    /// @param values those of the database, or of its transaction
    /// @param byName throws if there is no sequence of the name
    /// @param authority what the session's role may do
    /// @param running the session in which its transaction is open; null for none
    /// @param isReadOnly whether that may not change anything
    public SessionSequences(
            Supplier<SequenceValues> values,
            Function<String, Sequence> byName,
            Supplier<Authority> authority,
            Supplier<@Nullable Session> running,
            BooleanSupplier isReadOnly) {
        this.values = values;
        this.byName = byName;
        this.authority = authority;
        this.running = running;
        this.isReadOnly = isReadOnly;
    }

    /// The next value of a sequence.
    ///
    /// @param text its name as SQL writes it
    /// @throws SqlException 42P01 if there is none, 42501, 25006, 2200H
    public long next(String text) {
        Sequence sequence = sequence(text);
        require(sequence, Privilege.USAGE, Privilege.UPDATE);
        return next(sequence);
    }

    /// The next value of an identity column; who may insert needs no privilege on its sequence.
    ///
    /// @param name of the sequence
    public long nextIdentity(String name) {
        return next(byName.apply(name));
    }

    private long next(Sequence sequence) {
        requireWritable("nextval");
        long value = values.get().next(sequence, running.get());
        last.put(sequence.id(), value);
        lastUsed = sequence.name();
        return value;
    }

    /// The last value that this session has got of a sequence.
    ///
    /// @throws SqlException 55000 if it has got none
    public long current(String text) {
        Sequence sequence = sequence(text);
        require(sequence, Privilege.USAGE, Privilege.SELECT);
        Long value = last.get(sequence.id());
        if (value == null) {
            throw new SqlException(
                    SqlState.NOT_IN_PREREQUISITE_STATE,
                    "currval of sequence \"%s\" is not yet defined in this session"
                            .formatted(sequence.name()));
        }
        return value;
    }

    /// The last value that this session has got of any sequence.
    ///
    /// @throws SqlException 55000 if it has got none, or that sequence was dropped
    public long last() {
        String name = lastUsed;
        Sequence sequence = null;
        if (name != null) {
            try {
                sequence = byName.apply(name);
            } catch (SqlException e) {
                // it was dropped
            }
        }
        Long value = sequence == null ? null : last.get(sequence.id());
        if (sequence == null || value == null) {
            throw new SqlException(
                    SqlState.NOT_IN_PREREQUISITE_STATE,
                    "lastval is not yet defined in this session");
        }
        require(sequence, Privilege.USAGE, Privilege.SELECT);
        return value;
    }

    /// Sets the last value of a sequence.
    ///
    /// @param isCalled whether the next value is the one behind it
    /// @return the value
    /// @throws SqlException 22003 if the sequence can't have it
    public long set(String text, long value, boolean isCalled) {
        Sequence sequence = sequence(text);
        require(sequence, Privilege.UPDATE, Privilege.UPDATE);
        requireWritable("setval");
        if (value < sequence.min() || value > sequence.max()) {
            throw new SqlException(
                    SqlState.NUMERIC_OUT_OF_RANGE,
                    "setval: value %d is out of bounds for sequence \"%s\" (%d..%d)"
                            .formatted(value, sequence.name(), sequence.min(), sequence.max()));
        }
        values.get().set(sequence, value, isCalled, running.get());
        if (isCalled) {
            last.put(sequence.id(), value);
        }
        return value;
    }

    /// How far a sequence is.
    ///
    /// @param name of the sequence
    public SequenceValues.State state(String name) {
        Sequence sequence = byName.apply(name);
        require(sequence, Privilege.SELECT, Privilege.SELECT);
        return values.get().state(sequence, running.get());
    }

    /// The last value that a sequence has given; null if it has given none, or the role may not
    /// know.
    ///
    /// @param name of the sequence
    public @Nullable Long lastGiven(String name) {
        Sequence sequence = byName.apply(name);
        if (!may(sequence, Privilege.SELECT, Privilege.USAGE)) {
            return null;
        }
        SequenceValues.State state = values.get().state(sequence, running.get());
        return state.isCalled() ? Long.valueOf(state.last()) : null;
    }

    /// Forgets what the session has got.
    public void discard() {
        last.clear();
        lastUsed = null;
    }

    private boolean may(Sequence sequence, Privilege one, Privilege other) {
        Authority role = authority.get();
        return role.may(Securable.SEQUENCE, sequence.ownership(), one.bit())
                || role.may(Securable.SEQUENCE, sequence.ownership(), other.bit());
    }

    private void require(Sequence sequence, Privilege one, Privilege other) {
        if (!may(sequence, one, other)) {
            throw Authority.denied("sequence", sequence.name());
        }
    }

    private void requireWritable(String function) {
        if (isReadOnly.getAsBoolean()) {
            throw new SqlException(
                    SqlState.READ_ONLY_TRANSACTION,
                    "cannot execute " + function + "() in a read-only transaction");
        }
    }

    private Sequence sequence(String text) {
        return byName.apply(name(text));
    }

    /// The name that a text means, which is written as in SQL: folded unless quoted, without the
    /// schema of all objects.
    ///
    /// @throws SqlException 42602 if it is no name
    public static String name(String text) {
        List<String> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        boolean isQuoted = false;
        String stripped = text.strip();
        for (int i = 0; i < stripped.length(); i++) {
            char c = stripped.charAt(i);
            boolean isPair = isQuoted && i + 1 < stripped.length() && stripped.charAt(i + 1) == '"';
            if (c == '"' && isPair) {
                part.append(c);
                i++;
            } else if (c == '"') {
                isQuoted = !isQuoted;
            } else if (c == '.' && !isQuoted) {
                parts.add(part.toString());
                part.setLength(0);
            } else {
                part.append(
                        isQuoted ? c : Character.toString(c).toLowerCase(Locale.ROOT).charAt(0));
            }
        }
        parts.add(part.toString());
        if (isQuoted || parts.contains("")) {
            throw new SqlException(SqlState.INVALID_NAME, "invalid name syntax");
        }
        if (parts.size() == 2 && parts.getFirst().equals("public")) {
            return parts.getLast();
        }
        return String.join(".", parts);
    }
}
