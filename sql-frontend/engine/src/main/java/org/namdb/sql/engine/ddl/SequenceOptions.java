package org.namdb.sql.engine.ddl;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.language.ast.SequenceStatement;
import org.namdb.sql.language.ast.SequenceStatement.OfNumber;
import org.namdb.sql.language.ast.SequenceStatement.OfNumber.Kind;
import org.namdb.sql.language.ast.SequenceStatement.Option;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// The options of a sequence: what they make of a new one, and of one that there is. The rules and
/// messages are PostgreSQL's.
final class SequenceOptions {
    private final DdlContext context;
    private final List<Option> options;

    SequenceOptions(DdlContext context, List<Option> options) {
        this.context = context;
        this.options = options;
    }

    /// The first option of a kind; null if there is none.
    <T extends Option> @Nullable T find(Class<T> kind) {
        return options.stream().filter(kind::isInstance).map(kind::cast).findFirst().orElse(null);
    }

    private @Nullable OfNumber number(Kind kind) {
        for (Option option : options) {
            if (option instanceof OfNumber number && number.kind() == kind) {
                return number;
            }
        }
        return null;
    }

    /// A new sequence.
    ///
    /// @param type its type, unless an option says another
    Sequence create(String name, SqlType type, Ownership ownership) {
        long number = context.db().uniqueNumber();
        Sequence none =
                new Sequence(name, number, number, type, 1, 1, 0, 0, 1, false, null, ownership);
        return changed(none, true);
    }

    /// A sequence with the options, in another row. Where it goes on is not changed by them, except
    /// for RESTART: see [#restart].
    Sequence alter(Sequence sequence) {
        return changed(sequence, false).withStorage(context.db().uniqueNumber());
    }

    /// The value that it restarts with; null if it goes on.
    @Nullable Long restart(Sequence changed) {
        OfNumber restart = number(Kind.RESTART);
        return restart == null
                ? null
                : restart.value() == null ? Long.valueOf(changed.start()) : restart.value();
    }

    private Sequence changed(Sequence old, boolean isNew) {
        SqlType type = old.type();
        SequenceStatement.OfType named = find(SequenceStatement.OfType.class);
        if (named != null) {
            type = context.type(named.type());
            if (!type.isInteger()) {
                throw refused("sequence type must be smallint, integer, or bigint", named);
            }
        }
        long increment = value(Kind.INCREMENT, old.increment());
        if (increment == 0) {
            throw refused("INCREMENT must not be zero", number(Kind.INCREMENT));
        }
        boolean isUp = increment > 0;
        boolean isTyped = named != null;
        boolean resetsMax = isNew || isTyped && old.max() == greatest(old.type());
        boolean resetsMin = isNew || isTyped && old.min() == least(old.type());
        long max = bound(Kind.MAXVALUE, old.max(), resetsMax, isUp ? greatest(type) : -1);
        long min = bound(Kind.MINVALUE, old.min(), resetsMin, isUp ? 1 : least(type));
        requireInRange(Kind.MAXVALUE, max, type);
        requireInRange(Kind.MINVALUE, min, type);
        if (min >= max) {
            throw refused(
                    "MINVALUE (%d) must be less than MAXVALUE (%d)".formatted(min, max), null);
        }
        long start = value(Kind.START, isNew ? isUp ? min : max : old.start());
        requireBetween("START", start, min, max);
        long cache = value(Kind.CACHE, old.cache());
        if (cache <= 0) {
            throw refused("CACHE (%d) must be greater than zero".formatted(cache), null);
        }
        SequenceStatement.Cycle cycle = find(SequenceStatement.Cycle.class);
        return new Sequence(
                old.name(),
                old.id(),
                old.storage(),
                type,
                increment,
                min,
                max,
                start,
                cache,
                cycle == null ? old.isCycle() : cycle.isCycle(),
                old.owner(),
                old.ownership());
    }

    private long value(Kind kind, long otherwise) {
        OfNumber number = number(kind);
        Long value = number == null ? null : number.value();
        return value == null ? otherwise : value;
    }

    private long bound(Kind kind, long old, boolean isReset, long usual) {
        OfNumber number = number(kind);
        if (number != null && number.value() != null) {
            return number.value();
        }
        return number != null || isReset ? usual : old;
    }

    private static void requireInRange(Kind kind, long value, SqlType type) {
        if (value < least(type) || value > greatest(type)) {
            throw refused(
                    "%s (%d) is out of range for sequence data type %s"
                            .formatted(kind, value, type),
                    null);
        }
    }

    /// @throws SqlException 22023 if a value can't be the sequence's
    static void requireBetween(String what, long value, long min, long max) {
        if (value < min) {
            throw refused(
                    "%s value (%d) cannot be less than MINVALUE (%d)".formatted(what, value, min),
                    null);
        }
        if (value > max) {
            throw refused(
                    "%s value (%d) cannot be greater than MAXVALUE (%d)"
                            .formatted(what, value, max),
                    null);
        }
    }

    private static long greatest(SqlType type) {
        return switch (type.kind()) {
            case SMALLINT -> Short.MAX_VALUE;
            case INTEGER -> Integer.MAX_VALUE;
            default -> Long.MAX_VALUE;
        };
    }

    private static long least(SqlType type) {
        return switch (type.kind()) {
            case SMALLINT -> Short.MIN_VALUE;
            case INTEGER -> Integer.MIN_VALUE;
            default -> Long.MIN_VALUE;
        };
    }

    private static SqlException refused(String message, @Nullable Option option) {
        SqlException error = new SqlException(SqlState.INVALID_PARAMETER_VALUE, message);
        return option == null ? error : error.at(option.position());
    }
}
