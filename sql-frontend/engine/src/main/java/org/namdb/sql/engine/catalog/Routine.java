package org.namdb.sql.engine.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.RoutineStatement.Kind;
import org.namdb.sql.language.ast.RoutineStatement.Mode;
import org.namdb.sql.language.type.RecordType;
import org.namdb.sql.language.type.SqlType;

/// A function or procedure whose source the database holds, or a procedure in Java as the system's
/// catalog shows it. Immutable: one that replaces it is another object.
///
/// @param parameters those of `RETURNS TABLE` are the last
/// @param returns the type of what it returns; null if that is no single value
/// @param rowTable the table whose rows it returns; null if it is none
/// @param isSet whether it returns any number of rows
/// @param language in lower case
/// @param volatility `volatile`, `stable` or `immutable`
/// @param isStrict whether it is not called if an argument is NULL
/// @param owner a role
public record Routine(
        String name,
        Kind kind,
        List<Parameter> parameters,
        @Nullable SqlType returns,
        @Nullable String rowTable,
        boolean isSet,
        String language,
        String volatility,
        boolean isStrict,
        String body,
        String owner) {
    /// The language of procedures whose source the database does not hold. The body is the name of
    /// their jar; empty if the program has registered them.
    public static final String JAVA = "java";

    /// A parameter, or a column of `RETURNS TABLE`.
    ///
    /// @param name null if it has none
    /// @param defaultText an expression; null if there is none
    public record Parameter(
            @Nullable String name, Mode mode, SqlType type, @Nullable String defaultText) {
        /// Whether a call gives it a value.
        public boolean isInput() {
            return mode == Mode.IN || mode == Mode.INOUT;
        }
    }

    public Routine {
        parameters = List.copyOf(parameters);
    }

    public boolean isProcedure() {
        return kind == Kind.PROCEDURE;
    }

    /// The parameters that a call gives values.
    public List<Parameter> inputs() {
        return parameters.stream().filter(Parameter::isInput).toList();
    }

    /// The parameters that are columns of the result.
    public List<Parameter> outputs() {
        return parameters.stream().filter(each -> each.mode() != Mode.IN).toList();
    }

    /// Whether it returns nothing.
    public boolean isVoid() {
        return returns == null && rowTable == null && outputs().isEmpty();
    }

    /// The columns of its rows, those of a table apart; none if it returns nothing.
    public List<RecordType.Column> columns() {
        List<RecordType.Column> columns = new ArrayList<>();
        List<Parameter> outputs = outputs();
        for (int i = 0; i < outputs.size(); i++) {
            Parameter each = outputs.get(i);
            String column = each.name() == null ? "column" + (i + 1) : each.name();
            columns.add(new RecordType.Column(column, each.type(), true));
        }
        if (columns.isEmpty() && returns != null) {
            columns.add(new RecordType.Column(name, returns, true));
        }
        return columns;
    }

    /// Its name and the types of its parameters, as messages show them: `transfer(integer,text)`.
    public String signature() {
        return inputs().stream()
                .map(each -> each.type().name())
                .collect(Collectors.joining(",", name + "(", ")"));
    }

    /// The same of another owner.
    public Routine ofOwner(String other) {
        return new Routine(
                name,
                kind,
                parameters,
                returns,
                rowTable,
                isSet,
                language,
                volatility,
                isStrict,
                body,
                other);
    }
}
