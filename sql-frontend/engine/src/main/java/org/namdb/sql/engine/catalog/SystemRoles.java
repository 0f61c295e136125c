package org.namdb.sql.engine.catalog;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.role.Acl;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.engine.role.Role;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.engine.role.Securable;
import org.namdb.sql.engine.sequence.Sequence;

/// The relations of the system's catalog about roles and privileges, and the roles' numbers.
public final class SystemRoles {
    /// The number of the first role.
    static final long BOOTSTRAP_OID = 10;

    private static final String ATTRIBUTES =
            "oid oid, rolname text, rolsuper bool, rolinherit bool, rolcreaterole bool, rolcreatedb bool, rolcanlogin bool,"
                    + " rolreplication bool, rolbypassrls bool, rolconnlimit int4, rolpassword text, rolvaliduntil text,"
                    + " rolconfig text";

    private final SystemCatalog catalog;
    private final Roles roles;
    private final Map<Long, String> names = new TreeMap<>();
    private final Map<String, Long> oids = new HashMap<>();

    SystemRoles(SystemCatalog catalog, Roles roles) {
        this.catalog = catalog;
        this.roles = roles;
    }

    /// All roles.
    public Roles all() {
        return roles;
    }

    /// The names of roles by their numbers.
    public Map<Long, String> names() {
        return names;
    }

    /// The number of a role; 0 if there is none of this name.
    long oid(String role) {
        return oids.getOrDefault(role, 0L);
    }

    /// The ACL of an object of a table's kind, as PostgreSQL shows it; null for the usual one.
    static @Nullable String shown(Ownership ownership) {
        return ownership.acl() == null ? null : ownership.acl().shown(ownership.owner());
    }

    /// The ACL of the schema that all tables are in; null for the usual one.
    @Nullable String schemaAcl() {
        return shown(roles.of(Securable.SCHEMA, Roles.SCHEMA));
    }

    void fill(List<SqlTable> tables, List<Sequence> sequences, List<SqlView> views) {
        for (Role role : roles.all()) {
            boolean isFirst = role.name().equals(Role.BOOTSTRAP.name());
            long oid = isFirst ? BOOTSTRAP_OID : catalog.newOid("role " + role.name());
            names.put(oid, role.name());
            oids.put(role.name(), oid);
        }
        attributes(catalog.add("pg_roles", ATTRIBUTES), false);
        attributes(catalog.add("pg_authid", ATTRIBUTES).secret(), true);
        String user =
                "usename text, usesysid oid, usecreatedb bool, usesuper bool, userepl bool, usebypassrls bool, passwd text,"
                        + " valuntil text, useconfig text";
        users(catalog.add("pg_user", user), false);
        users(catalog.add("pg_shadow", user).secret(), true);
        members();
        privileges(tables, views);
        usages(sequences);
    }

    private static @Nullable String password(Role role, boolean isShown) {
        if (role.password() == null) {
            return null;
        }
        return isShown ? role.password().toString() : "********";
    }

    private static @Nullable String end(Role role) {
        return role.validUntil() == null ? null : role.validUntil().toString();
    }

    private void attributes(SystemRelation relation, boolean showsPasswords) {
        for (Role role : roles.all()) {
            relation.row(
                    oid(role.name()),
                    role.name(),
                    role.isSuperuser(),
                    true,
                    role.isSuperuser() || role.canCreateRoles(),
                    role.isSuperuser() || role.canCreateDatabases(),
                    role.canLogin(),
                    false,
                    role.isSuperuser(),
                    -1,
                    password(role, showsPasswords),
                    end(role),
                    null);
        }
    }

    private void users(SystemRelation relation, boolean showsPasswords) {
        for (Role role : roles.all()) {
            if (role.canLogin()) {
                relation.row(
                        role.name(),
                        oid(role.name()),
                        role.isSuperuser() || role.canCreateDatabases(),
                        role.isSuperuser(),
                        false,
                        role.isSuperuser(),
                        password(role, showsPasswords),
                        end(role),
                        null);
            }
        }
    }

    private void members() {
        SystemRelation members =
                catalog.add(
                        "pg_auth_members",
                        "roleid oid, member oid, grantor oid, admin_option bool");
        for (Role role : roles.all()) {
            for (String of : role.memberOf()) {
                members.row(oid(of), oid(role.name()), BOOTSTRAP_OID, false);
            }
        }
    }

    private void privileges(List<SqlTable> tables, List<SqlView> views) {
        String columns =
                "grantor text, grantee text, table_catalog text, table_schema text, table_name text, privilege_type text,"
                        + " is_grantable text, with_hierarchy text";
        for (String name :
                List.of(
                        "information_schema.table_privileges",
                        "information_schema.role_table_grants")) {
            SystemRelation relation = catalog.add(name, columns);
            for (SqlTable table : tables) {
                Acl acl = table.ownership().acl(Securable.TABLE);
                acl.privileges()
                        .forEach((role, bits) ->
                                grants(relation, table.name(), table.ownership(), role, bits));
            }
            for (SqlView view : views) {
                Acl acl = view.ownership().acl(Securable.TABLE);
                acl.privileges()
                        .forEach((role, bits) ->
                                grants(relation, view.name(), view.ownership(), role, bits));
            }
        }
    }

    private void usages(List<Sequence> sequences) {
        String columns =
                "grantor text, grantee text, object_catalog text, object_schema text, object_name text, object_type text,"
                        + " privilege_type text, is_grantable text";
        for (String name :
                List.of(
                        "information_schema.usage_privileges",
                        "information_schema.role_usage_grants")) {
            SystemRelation relation = catalog.add(name, columns);
            for (Sequence sequence : sequences) {
                String owner = sequence.ownership().owner();
                Acl acl = sequence.ownership().acl(Securable.SEQUENCE);
                acl.privileges()
                        .forEach((role, bits) -> {
                            if ((bits & Privilege.USAGE.bit()) != 0) {
                                relation.row(
                                        owner,
                                        role.equals(Acl.PUBLIC) ? "PUBLIC" : role,
                                        "namdb",
                                        "public",
                                        sequence.name(),
                                        "SEQUENCE",
                                        "USAGE",
                                        role.equals(owner) ? "YES" : "NO");
                            }
                        });
            }
        }
    }

    private static void grants(
            SystemRelation relation, String name, Ownership of, String role, int bits) {
        String owner = of.owner();
        for (Privilege each : Privilege.values()) {
            if ((bits & each.bit()) != 0) {
                relation.row(
                        owner,
                        role.equals(Acl.PUBLIC) ? "PUBLIC" : role,
                        "namdb",
                        "public",
                        name,
                        each.name(),
                        role.equals(owner) ? "YES" : "NO",
                        each == Privilege.SELECT ? "YES" : "NO");
            }
        }
    }
}
