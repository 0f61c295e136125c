package org.namdb.sql.language.ast;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A statement that makes, changes or drops sequences.
public sealed interface SequenceStatement extends DdlStatement {
    /// `CREATE SEQUENCE [IF NOT EXISTS] name options`.
    record CreateSequence(
            Name sequence, boolean ifNotExists, List<Option> options, Position position)
            implements SequenceStatement {
        public CreateSequence {
            options = List.copyOf(options);
        }
    }

    /// `ALTER SEQUENCE [IF EXISTS] name options | RENAME TO name | OWNER TO role`.
    ///
    /// @param options empty for the other forms
    /// @param newName null for the other forms
    /// @param owner null for the other forms
    record AlterSequence(
            Name sequence,
            boolean ifExists,
            List<Option> options,
            @Nullable Name newName,
            @Nullable Name owner,
            Position position)
            implements SequenceStatement {
        public AlterSequence {
            options = List.copyOf(options);
        }
    }

    /// `DROP SEQUENCE [IF EXISTS] names [CASCADE | RESTRICT]`.
    record DropSequence(
            List<Name> sequences, boolean ifExists, boolean isCascade, Position position)
            implements SequenceStatement {
        public DropSequence {
            sequences = List.copyOf(sequences);
        }
    }

    /// One option; each comes once.
    sealed interface Option {
        Position position();
    }

    /// `AS type`.
    record OfType(TypeName type, Position position) implements Option {}

    /// An option that is a number.
    ///
    /// @param value null for `NO MINVALUE`, `NO MAXVALUE`, and RESTART without a number
    record OfNumber(Kind kind, @Nullable Long value, Position position) implements Option {
        /// Which.
        public enum Kind {
            INCREMENT,
            MINVALUE,
            MAXVALUE,
            START,
            RESTART,
            CACHE
        }
    }

    /// `[NO] CYCLE`.
    record Cycle(boolean isCycle, Position position) implements Option {}

    /// `SEQUENCE NAME name`, of an identity column.
    record Named(Name name, Position position) implements Option {}

    /// `OWNED BY table.column | NONE`.
    ///
    /// @param table null for NONE
    /// @param column null for NONE
    record OwnedBy(@Nullable Name table, @Nullable Name column, Position position)
            implements Option {}
}
