package org.namdb.sql.engine.ddl;

import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The errors of statements that have a routine's body in them.
public final class RoutineErrors {
    private RoutineErrors() {}

    /// An error in a body as one of the statement, at its place there.
    ///
    /// @param name of the routine
    /// @param body where the body's characters stand; [Position#NONE] if not one by one
    /// @param otherwise the place of an error that has none
    public static SqlException inBody(
            SqlException e, String name, Position body, Position otherwise) {
        Position place = e.position();
        SqlException moved =
                e.within(
                        "compilation of PL/pgSQL function \"%s\"%s"
                                .formatted(name, e.line() == 0 ? "" : " near line " + e.line()));
        return place == null || body.equals(Position.NONE)
                ? moved.at(otherwise)
                : moved.at(new Position(body.offset() + place.offset(), place.length()));
    }

    /// Refuses languages that there are not.
    ///
    /// @param statement as messages name it
    /// @throws SqlException 42704, or 0A000 if the statement can't have it
    public static void requireLanguage(String language, String statement, Position place) {
        switch (language) {
            case "plpgsql" -> {}
            case "sql" -> {
                if (statement.equals("DO")) {
                    throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "language \"sql\" does not support inline code execution",
                            place);
                }
            }
            case "java" ->
                    throw new SqlException(
                                    SqlState.FEATURE_NOT_SUPPORTED,
                                    statement + " is not supported for Java",
                                    place)
                            .withHint("Submit a jar: nam procedure add FILE.jar.");
            default ->
                    throw new SqlException(
                                    SqlState.UNDEFINED_OBJECT,
                                    "language \"" + language + "\" does not exist",
                                    place)
                            .withHint("There are plpgsql and sql, and Java by jars.");
        }
    }
}
