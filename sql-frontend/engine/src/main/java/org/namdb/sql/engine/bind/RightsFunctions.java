package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SystemCatalog;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.function.Functions;
import org.namdb.sql.engine.role.Authority;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.engine.role.Role;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.engine.role.Securable;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.engine.sequence.SessionSequences;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// `has_table_privilege` and its kin: what a role may do. Objects are given by name or by number;
/// without a role it is the current one.
final class RightsFunctions {
    private static final Set<String> NAMES =
            Set.of(
                    "has_table_privilege",
                    "has_any_column_privilege",
                    "has_sequence_privilege",
                    "has_schema_privilege",
                    "has_language_privilege",
                    "has_function_privilege",
                    "pg_has_role");
    private static final String GRANT_OPTION = " WITH GRANT OPTION";

    private RightsFunctions() {}

    /// A call of one of them; null if the name is another one's.
    static @Nullable Scalar call(String name, List<Scalar> arguments, BindContext context) {
        if (!NAMES.contains(name) || arguments.size() < 2 || arguments.size() > 3) {
            return null;
        }
        List<Scalar> all = new ArrayList<>();
        if (arguments.size() == 2) {
            all.add(Functions.call("current_user", List.of()));
        }
        for (Scalar each : arguments) {
            all.add(
                    each.type().isNumeric()
                            ? Casts.explicit(each, SqlType.BIGINT)
                            : Casts.implicit(each, SqlType.TEXT));
        }
        SystemCatalog system = context.system();
        return Functions.of(name, SqlType.BOOLEAN, a -> has(name, a, system), all);
    }

    private static @Nullable Boolean has(String name, Object[] arguments, SystemCatalog system) {
        Authority authority = authority(arguments[0], system);
        Object object = arguments[1];
        String wanted = (String) arguments[2];
        return switch (name) {
            case "has_table_privilege", "has_any_column_privilege" -> {
                Ownership of = system.ownership(oid(object, system));
                yield of == null ? null : any(authority, Securable.TABLE, of, wanted);
            }
            case "has_sequence_privilege" -> {
                Sequence sequence = sequence(object, system);
                yield sequence == null
                        ? null
                        : any(authority, Securable.SEQUENCE, sequence.ownership(), wanted);
            }
            case "pg_has_role" ->
                    authority.isSuperuser()
                            || authority.memberships().contains(known(object, system).name());
            case "has_schema_privilege" ->
                    other(authority, Securable.SCHEMA, Roles.SCHEMA, object, wanted, system);
            case "has_language_privilege" ->
                    other(authority, Securable.LANGUAGE, Roles.LANGUAGE, object, wanted, system);
            default -> {
                String procedure = String.valueOf(object).replaceAll("\\(.*", "").strip();
                yield any(
                        authority,
                        Securable.PROCEDURE,
                        system.roles().all().of(Securable.PROCEDURE, procedure),
                        wanted);
            }
        };
    }

    /// Of the schema, or the language, that there is; of the system's schemas all may read.
    private static Boolean other(
            Authority authority,
            Securable kind,
            String known,
            Object object,
            String wanted,
            SystemCatalog system) {
        String name =
                object instanceof Long oid
                        ? system.namespaces().getOrDefault(oid, String.valueOf(oid))
                        : (String) object;
        if (name.equals(known)) {
            return any(authority, kind, system.roles().all().of(kind, known), wanted);
        }
        if (kind == Securable.SCHEMA && system.namespaces().containsValue(name)) {
            return authority.isSuperuser() || wanted.strip().equalsIgnoreCase("usage");
        }
        throw new SqlException(
                kind == Securable.SCHEMA ? SqlState.UNDEFINED_SCHEMA : SqlState.UNDEFINED_OBJECT,
                "%s \"%s\" does not exist".formatted(kind, name));
    }

    private static Authority authority(Object role, SystemCatalog system) {
        Role known = known(role, system);
        return system.roles().all().authority(known.name(), known.id(), 0);
    }

    private static Role known(Object role, SystemCatalog system) {
        String name =
                role instanceof Long oid
                        ? system.roles().names().getOrDefault(oid, String.valueOf(oid))
                        : (String) role;
        return system.roles().all().required(name);
    }

    private static @Nullable Sequence sequence(Object sequence, SystemCatalog system) {
        if (sequence instanceof Long oid) {
            return system.sequence(system.relationNames().get(oid));
        }
        String name = SessionSequences.name((String) sequence);
        Sequence found = system.sequence(name);
        if (found == null) {
            boolean isOther = system.relationOid(name) != null;
            throw isOther
                    ? new SqlException(
                            SqlState.WRONG_OBJECT_TYPE, "\"" + name + "\" is not a sequence")
                    : new SqlException(
                            SqlState.UNDEFINED_TABLE,
                            "relation \"" + sequence + "\" does not exist");
        }
        return found;
    }

    private static long oid(Object relation, SystemCatalog system) {
        if (relation instanceof Long oid) {
            return oid;
        }
        Long oid = system.relationOid(((String) relation).replace("\"", ""));
        if (oid == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_TABLE, "relation \"" + relation + "\" does not exist");
        }
        return oid;
    }

    /// Whether it has one of the privileges that are separated by commas.
    private static boolean any(
            Authority authority, Securable kind, Ownership ownership, String wanted) {
        boolean isFound = false;
        for (String each : wanted.split(",", -1)) {
            String upper = each.strip().toUpperCase(Locale.ROOT);
            boolean isGranting = upper.endsWith(GRANT_OPTION);
            Privilege privilege = Privilege.named(upper.replace(GRANT_OPTION, ""));
            if (privilege == null || (kind.all() & privilege.bit()) == 0) {
                throw new SqlException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "unrecognized privilege type: \"" + each.strip() + "\"");
            }
            isFound |=
                    authority.may(kind, ownership, privilege.bit())
                            && (!isGranting || authority.isOwner(ownership));
        }
        return isFound;
    }
}
