package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.RoutineScalar;
import org.namdb.sql.engine.catalog.RoleTable;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.catalog.RoutineTable;
import org.namdb.sql.engine.plpgsql.ProgramBuilder;
import org.namdb.sql.engine.plpgsql.VariableTypes;
import org.namdb.sql.engine.role.Authority;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.engine.role.Securable;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.RoutineStatement;
import org.namdb.sql.language.ast.RoutineStatement.AlterRoutine;
import org.namdb.sql.language.ast.RoutineStatement.CreateRoutine;
import org.namdb.sql.language.ast.RoutineStatement.DropRoutine;
import org.namdb.sql.language.ast.RoutineStatement.Kind;
import org.namdb.sql.language.ast.RoutineStatement.Mode;
import org.namdb.sql.language.ast.RoutineStatement.Parameter;
import org.namdb.sql.language.ast.RoutineStatement.Signature;
import org.namdb.sql.language.ast.RoutineStatement.TypeReference;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// CREATE, ALTER and DROP of functions and procedures. There is one of a name.
final class RoutineSteps {
    private static final String VOID = "void";

    private final DdlContext context;

    RoutineSteps(DdlContext context) {
        this.context = context;
    }

    /// Runs one.
    ///
    /// @return the statement's tag
    String run(RoutineStatement statement) {
        return switch (statement) {
            case CreateRoutine create -> {
                create(create);
                yield "CREATE " + create.kind();
            }
            case DropRoutine drop -> {
                drop(drop);
                yield "DROP " + drop.kind();
            }
            case AlterRoutine alter -> {
                Routine routine =
                        Objects.requireNonNull(found(alter.kind(), alter.routine(), false));
                requireOwner(routine, context);
                changeOwner(routine, RoleSteps.newOwner(context, alter.owner(), routine.owner()));
                yield "ALTER " + alter.kind();
            }
        };
    }

    private void changeOwner(Routine routine, String owner) {
        RoutineTable.store(context.db(), routine.ofOwner(owner));
        Roles roles = context.catalog().roles();
        String key = Roles.key(Securable.PROCEDURE, routine.name());
        Ownership of = roles.objects().get(key);
        if (of != null && of.acl() != null) {
            Ownership changed = new Ownership(of.owner(), of.acl().ofOwner(routine.owner(), owner));
            RoleTable.store(context.db(), roles.with(key, changed));
        }
    }

    /// Refuses what the session's role may not do; missing routines are reported by the step
    /// itself.
    ///
    /// @throws SqlException 42501 if it may not
    static void requireRights(RoutineStatement statement, DdlContext context) {
        switch (statement) {
            case CreateRoutine create -> {
                RightsChecks.requireCreate(context.authority());
                requireOwner(context.catalog().routine(create.name().text()), context);
            }
            case DropRoutine drop ->
                    drop.routines()
                            .forEach(each ->
                                    requireOwner(
                                            context.catalog().routine(each.name().text()),
                                            context));
            case AlterRoutine alter ->
                    requireOwner(context.catalog().routine(alter.routine().name().text()), context);
        }
    }

    static void requireOwner(@Nullable Routine routine, DdlContext context) {
        if (routine != null) {
            context.authority()
                    .requireOwner(
                            kind(routine.kind()),
                            routine.name(),
                            new Ownership(routine.owner(), null));
        }
    }

    private static String kind(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    // ------------------------------------------------------------------------------ Definition

    private void create(CreateRoutine create) {
        String name = Names.checked(create.name());
        RoutineErrors.requireLanguage(
                create.language(), "CREATE " + create.kind(), create.name().position());
        Routine old = context.catalog().routine(name);
        Authority authority = context.authority();
        Routine routine = routine(create, name, old == null ? authority.role() : old.owner());
        if (old == null && context.procedure(name) != null) {
            throw exists(routine, create).withDetail("A Java procedure has this name.");
        }
        if (old != null) {
            requireReplaceable(create, routine, old);
        }
        try {
            Object _ = ProgramBuilder.build(routine, context.catalog());
        } catch (SqlException e) {
            throw RoutineErrors.inBody(e, name, create.bodyPosition(), create.name().position());
        }
        RoutineTable.store(context.db(), routine);
    }

    private Routine routine(CreateRoutine create, String name, String owner) {
        VariableTypes types = new VariableTypes(context.catalog());
        List<Routine.Parameter> parameters = new ArrayList<>();
        Set<String> inputNames = new HashSet<>();
        boolean hasDefault = false;
        for (Parameter each : create.parameters()) {
            Routine.Parameter parameter = parameter(each, types);
            if (parameter.name() != null && !inputNames.add(parameter.name())) {
                throw invalid(
                        "parameter name \"" + parameter.name() + "\" used more than once", each);
            }
            if (parameter.isInput()) {
                if (hasDefault && parameter.defaultText() == null) {
                    throw invalid(
                            "input parameters after one with a default value must also have"
                                    + " defaults",
                            each);
                }
                hasDefault |= parameter.defaultText() != null;
            } else if (parameter.defaultText() != null) {
                throw invalid("only input parameters can have default values", each);
            }
            parameters.add(parameter);
        }
        TypeReference returns = create.returns();
        String typeName = returns == null ? VOID : returns.type().name();
        boolean isTable =
                returns != null
                        && (returns.form() == TypeReference.Form.ROW_TYPE
                                || returns.form() == TypeReference.Form.PLAIN
                                        && context.catalog().find(typeName) != null);
        SqlType returned =
                returns == null || isTable || typeName.equals(VOID)
                        ? null
                        : returned(returns, types, parameters);
        Routine routine =
                new Routine(
                        name,
                        create.kind(),
                        parameters,
                        returned,
                        isTable ? typeName : null,
                        create.isSet(),
                        create.language(),
                        create.volatility(),
                        create.isStrict(),
                        create.body(),
                        owner);
        requireResult(create, routine);
        return routine;
    }

    private static Routine.Parameter parameter(Parameter given, VariableTypes types) {
        SqlType type = RoutineTable.unbounded(types.single(given.type()));
        Name name = given.name();
        Routine.Parameter parameter =
                new Routine.Parameter(
                        name == null ? null : name.text(), given.mode(), type, given.defaultText());
        if (given.defaultText() != null) {
            try {
                Object _ = RoutineScalar.defaultValue(given.defaultText(), parameter);
            } catch (SqlException e) {
                throw e.within("DEFAULT of a parameter").at(given.position());
            }
        }
        return parameter;
    }

    private static SqlException invalid(String message, Parameter parameter) {
        return new SqlException(
                SqlState.INVALID_FUNCTION_DEFINITION, message, parameter.position());
    }

    /// The type that RETURNS names; of `record` what the OUT parameters are.
    private static @Nullable SqlType returned(
            TypeReference returns, VariableTypes types, List<Routine.Parameter> parameters) {
        List<Routine.Parameter> outputs =
                parameters.stream().filter(each -> each.mode() != Mode.IN).toList();
        String name = returns.type().name();
        if (name.equals("record")) {
            if (outputs.size() > 1) {
                return null;
            }
            throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "functions that return any record are not supported",
                            returns.type().position())
                    .withHint("Say which columns: RETURNS TABLE (..), or OUT parameters.");
        }
        if (name.equals("trigger")) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "triggers are not supported",
                    returns.type().position());
        }
        SqlType type = RoutineTable.unbounded(types.single(returns));
        String wanted =
                outputs.size() > 1
                        ? "record"
                        : outputs.isEmpty() ? type.name() : outputs.getFirst().type().name();
        if (!wanted.equals(type.name())) {
            throw new SqlException(
                    SqlState.INVALID_FUNCTION_DEFINITION,
                    "function result type must be " + wanted + " because of OUT parameters",
                    returns.type().position());
        }
        return type;
    }

    private static void requireResult(CreateRoutine create, Routine routine) {
        boolean isNamed = create.returns() != null || !routine.outputs().isEmpty();
        if (!routine.isProcedure() && !isNamed) {
            throw new SqlException(
                    SqlState.INVALID_FUNCTION_DEFINITION,
                    "function result type must be specified",
                    create.name().position());
        }
        if (routine.isSet() && routine.isVoid()) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "SETOF void is not supported",
                    create.name().position());
        }
    }

    private static SqlException exists(Routine routine, CreateRoutine create) {
        return new SqlException(
                SqlState.DUPLICATE_FUNCTION,
                "function \"" + routine.name() + "\" already exists with same argument types",
                create.name().position());
    }

    private static void requireReplaceable(CreateRoutine create, Routine routine, Routine old) {
        boolean isSame = routine.signature().equals(old.signature());
        if (!isSame) {
            throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            old.signature() + " exists; functions can't be overloaded",
                            create.name().position())
                    .withHint("Choose another name, or drop the other one.");
        }
        if (!create.isReplace()) {
            throw exists(routine, create);
        }
        if (routine.kind() != old.kind()) {
            throw new SqlException(
                            SqlState.WRONG_OBJECT_TYPE,
                            "cannot change routine kind",
                            create.name().position())
                    .withDetail("\"" + old.name() + "\" is a " + kind(old.kind()) + ".");
        }
        boolean isSameResult =
                Objects.equals(routine.returns(), old.returns())
                        && Objects.equals(routine.rowTable(), old.rowTable())
                        && routine.isSet() == old.isSet()
                        && types(routine.outputs()).equals(types(old.outputs()));
        if (!isSameResult) {
            throw new SqlException(
                            SqlState.INVALID_FUNCTION_DEFINITION,
                            "cannot change return type of existing function",
                            create.name().position())
                    .withHint("Use DROP %s %s first.".formatted(old.kind(), old.signature()));
        }
    }

    private static List<SqlType> types(List<Routine.Parameter> parameters) {
        return parameters.stream().map(Routine.Parameter::type).toList();
    }

    // ------------------------------------------------------------------------------------ Drop

    /// Drops all, or none if one does not exist.
    private void drop(DropRoutine drop) {
        Set<Routine> routines = new LinkedHashSet<>();
        for (Signature each : drop.routines()) {
            Routine routine = found(drop.kind(), each, drop.ifExists());
            if (routine != null) {
                routines.add(routine);
            }
        }
        routines.forEach(each -> drop(drop, each));
    }

    private void drop(DropRoutine drop, Routine routine) {
        ViewSteps views = new ViewSteps(context);
        views.dropUsers(
                names -> names.calls(routine.name()),
                kind(routine.kind()) + " " + routine.signature(),
                drop.isCascade());
        views.keep();
        RoutineTable.drop(context.db(), routine.name());
        Roles roles = context.catalog().roles();
        String key = Roles.key(Securable.PROCEDURE, routine.name());
        if (roles.objects().containsKey(key)) {
            RoleTable.store(context.db(), roles.with(key, Ownership.BOOTSTRAP));
        }
    }

    /// The routine that is named; null if there is none, and that is no error.
    private @Nullable Routine found(Kind kind, Signature signature, boolean ifExists) {
        String name = signature.name().text();
        Routine routine = context.catalog().routine(name);
        List<TypeReference> types = signature.types();
        boolean isKind = routine != null && (kind == Kind.ROUTINE || kind == routine.kind());
        if (types == null && isKind) {
            return routine;
        }
        String given = types == null ? "" : "(" + names(types) + ")";
        if (types != null && routine != null && routine.signature().equals(name + given)) {
            if (isKind) {
                return routine;
            }
            throw new SqlException(
                    SqlState.WRONG_OBJECT_TYPE,
                    routine.signature() + " is not a " + kind(kind),
                    signature.name().position());
        }
        if (!ifExists) {
            throw new SqlException(
                    SqlState.UNDEFINED_FUNCTION,
                    types == null
                            ? "could not find a " + kind(kind) + " named \"" + name + '"'
                            : kind(kind) + " " + name + given + " does not exist",
                    signature.name().position());
        }
        context.notice(kind(kind) + " " + name + given + " does not exist, skipping");
        return null;
    }

    private String names(List<TypeReference> types) {
        VariableTypes known = new VariableTypes(context.catalog());
        List<String> names = new ArrayList<>();
        types.forEach(each -> names.add(known.single(each).name()));
        return String.join(",", names);
    }
}
