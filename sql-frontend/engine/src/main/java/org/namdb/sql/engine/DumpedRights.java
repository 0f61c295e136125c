package org.namdb.sql.engine;

import java.util.ArrayList;
import java.util.List;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.role.Acl;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.engine.role.Role;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.engine.role.Securable;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.language.parser.Keywords;

/// The statements of a dump that make roles, owners and privileges again. Those on procedures of
/// jars are left out, as the jars are. Passwords are there as their verifiers.
final class DumpedRights {
    private final Roles roles;

    DumpedRights(Roles roles) {
        this.roles = roles;
    }

    /// Makes the roles; nothing where there is but the first one, as it always is.
    String roles() {
        StringBuilder text = new StringBuilder();
        for (Role role : roles.all()) {
            boolean isFirst = role.name().equals(Role.BOOTSTRAP.name());
            if (!role.equals(Role.BOOTSTRAP)) {
                text.append(isFirst ? "ALTER ROLE " : "CREATE ROLE ")
                        .append(Keywords.quoted(role.name()))
                        .append(attributes(role))
                        .append(";\n");
            }
        }
        for (Role role : roles.all()) {
            for (String of : role.memberOf()) {
                text.append(
                        "GRANT %s TO %s;\n"
                                .formatted(Keywords.quoted(of), Keywords.quoted(role.name())));
            }
        }
        return text.isEmpty() ? "" : "\n" + text;
    }

    private static String attributes(Role role) {
        String text = role.canLogin() ? " LOGIN" : " NOLOGIN";
        text += role.isSuperuser() ? " SUPERUSER" : "";
        text += role.canCreateRoles() ? " CREATEROLE" : "";
        text += role.canCreateDatabases() ? " CREATEDB" : "";
        text += role.password() == null ? "" : " PASSWORD '" + role.password() + "'";
        return role.validUntil() == null
                ? text
                : text
                        + " VALID UNTIL '"
                        + role.validUntil().toString().replaceAll("[TZ]", " ").strip()
                        + "'";
    }

    String ofSchema() {
        return privileges(Securable.SCHEMA, Roles.SCHEMA, roles.of(Securable.SCHEMA, Roles.SCHEMA))
                + privileges(
                        Securable.LANGUAGE,
                        Roles.LANGUAGE,
                        roles.of(Securable.LANGUAGE, Roles.LANGUAGE));
    }

    /// Gives a table to its owner, and grants what others may do.
    String ofTable(String name, Ownership ownership) {
        return of("TABLE", name, ownership);
    }

    /// The same of a view.
    String ofView(String name, Ownership ownership) {
        return of("VIEW", name, ownership);
    }

    private static String of(String kind, String name, Ownership ownership) {
        String owner =
                ownership.owner().equals(Role.BOOTSTRAP.name())
                        ? ""
                        : "ALTER %s %s OWNER TO %s;\n"
                                .formatted(
                                        kind,
                                        Keywords.quoted(name),
                                        Keywords.quoted(ownership.owner()));
        return owner + privileges(Securable.TABLE, name, ownership);
    }

    /// Gives a sequence to its owner, unless its column's table was, and grants what others may do.
    String ofSequence(Sequence sequence) {
        String owner = sequence.ownership().owner();
        boolean isGiven =
                !owner.equals(Role.BOOTSTRAP.name())
                        && (sequence.owner() == null || !sequence.owner().isIdentity());
        String name = sequence.name();
        return (isGiven
                        ? "ALTER SEQUENCE %s OWNER TO %s;\n"
                                .formatted(Keywords.quoted(name), Keywords.quoted(owner))
                        : "")
                + privileges(Securable.SEQUENCE, name, sequence.ownership());
    }

    /// Gives a routine to its owner, and grants who may execute it.
    String ofRoutine(Routine routine) {
        String owner =
                routine.owner().equals(Role.BOOTSTRAP.name())
                        ? ""
                        : "ALTER ROUTINE %s OWNER TO %s;\n"
                                .formatted(
                                        Keywords.quoted(routine.name()),
                                        Keywords.quoted(routine.owner()));
        Ownership of =
                new Ownership(routine.owner(), roles.of(Securable.PROCEDURE, routine.name()).acl());
        return owner + privileges(Securable.PROCEDURE, routine.name(), of);
    }

    /// What makes the usual ACL the one that there is.
    private static String privileges(Securable kind, String name, Ownership ownership) {
        Acl usual = kind.usual(ownership.owner());
        Acl acl = ownership.acl(kind);
        StringBuilder text = new StringBuilder();
        usual.privileges()
                .forEach((role, bits) -> {
                    int missing = bits & ~acl.of(role);
                    if (missing != 0) {
                        text.append(statement("REVOKE", missing, kind, name, " FROM ", role));
                    }
                });
        acl.privileges()
                .forEach((role, bits) -> {
                    int more = bits & ~usual.of(role);
                    if (more != 0) {
                        text.append(statement("GRANT", more, kind, name, " TO ", role));
                    }
                });
        return text.toString();
    }

    private static String statement(
            String verb, int bits, Securable kind, String name, String word, String role) {
        List<String> privileges = new ArrayList<>();
        for (Privilege each : Privilege.values()) {
            if ((bits & each.bit()) != 0) {
                privileges.add(each.name());
            }
        }
        return "%s %s ON %s %s%s%s;\n"
                .formatted(
                        verb,
                        bits == kind.all() ? "ALL" : String.join(", ", privileges),
                        kind.name(),
                        Keywords.quoted(name),
                        word,
                        role.equals(Acl.PUBLIC) ? "PUBLIC" : Keywords.quoted(role));
    }
}
