package org.namdb.sql.language.ast;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A statement that makes, changes or drops functions and procedures: *routines*, as the SQL
/// standard calls both.
public sealed interface RoutineStatement extends DdlStatement {
    /// What a statement says that the routine is.
    enum Kind {
        FUNCTION,
        PROCEDURE,
        /// Either, in DROP and ALTER.
        ROUTINE
    }

    /// What a parameter is for.
    enum Mode {
        IN,
        OUT,
        INOUT,
        /// A column of `RETURNS TABLE (..)`.
        TABLE
    }

    /// A type as routines and their variables name it.
    ///
    /// @param type its name; of `%TYPE` and `%ROWTYPE` what stands before that
    record TypeReference(TypeName type, Form form) {
        /// What stands behind the name.
        public enum Form {
            PLAIN,
            /// `%TYPE`
            TYPE_OF,
            /// `%ROWTYPE`
            ROW_TYPE
        }
    }

    /// A parameter, or a column of `RETURNS TABLE`.
    ///
    /// @param name null if it has none
    /// @param defaultText the expression behind DEFAULT as written; null if there is none
    record Parameter(
            @Nullable Name name,
            Mode mode,
            TypeReference type,
            @Nullable String defaultText,
            Position position) {}

    /// `CREATE [OR REPLACE] FUNCTION | PROCEDURE name (parameters) [RETURNS ..] options AS 'body'`.
    ///
    /// @param returns null of a procedure, and if the OUT parameters alone say it
    /// @param isSet whether it returns any number of rows
    /// @param language in lower case
    /// @param volatility `volatile`, `stable` or `immutable`
    /// @param isStrict whether it is not called if an argument is NULL
    /// @param bodyPosition where the body's characters stand; [Position#NONE] if not one by one
    record CreateRoutine(
            Kind kind,
            boolean isReplace,
            Name name,
            List<Parameter> parameters,
            @Nullable TypeReference returns,
            boolean isSet,
            String language,
            String volatility,
            boolean isStrict,
            String body,
            Position bodyPosition,
            Position position)
            implements RoutineStatement {
        public CreateRoutine {
            parameters = List.copyOf(parameters);
        }
    }

    /// A routine as DROP and ALTER name it.
    ///
    /// @param types those of its parameters; null if they were not given
    record Signature(Name name, @Nullable List<TypeReference> types) {}

    /// `DROP FUNCTION | PROCEDURE | ROUTINE [IF EXISTS] signatures [CASCADE | RESTRICT]`.
    record DropRoutine(
            Kind kind,
            List<Signature> routines,
            boolean ifExists,
            boolean isCascade,
            Position position)
            implements RoutineStatement {
        public DropRoutine {
            routines = List.copyOf(routines);
        }
    }

    /// `ALTER FUNCTION | PROCEDURE | ROUTINE signature OWNER TO role`.
    record AlterRoutine(Kind kind, Signature routine, Name owner, Position position)
            implements RoutineStatement {}
}
