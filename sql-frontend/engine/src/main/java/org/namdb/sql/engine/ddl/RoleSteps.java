package org.namdb.sql.engine.ddl;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.RoleTable;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.SqlView;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.role.Acl;
import org.namdb.sql.engine.role.Authority;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.engine.role.Role;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.engine.role.ScramVerifier;
import org.namdb.sql.engine.role.Securable;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.RoleStatement;
import org.namdb.sql.language.ast.RoleStatement.AlterRole;
import org.namdb.sql.language.ast.RoleStatement.CreateRole;
import org.namdb.sql.language.ast.RoleStatement.DropRole;
import org.namdb.sql.language.ast.RoleStatement.Grant;
import org.namdb.sql.language.ast.RoleStatement.GrantRole;
import org.namdb.sql.language.ast.RoleStatement.ObjectKind;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextParser;

/// CREATE, ALTER and DROP ROLE; GRANT and REVOKE. The rights needed are those of PostgreSQL 15.
final class RoleSteps {
    private static final int MAX_ROLES = 1_000;
    private static final Set<String> RESERVED =
            Set.of(Acl.PUBLIC, "none", "current_user", "current_role", "session_user");
    private static final String SYSTEM_PREFIX = "pg_";

    private final DdlContext context;
    private final boolean isCheck;
    private final Authority authority;
    private final Roles roles;

    RoleSteps(DdlContext context) {
        this(context, false);
    }

    private RoleSteps(DdlContext context, boolean isCheck) {
        this.context = context;
        this.isCheck = isCheck;
        this.authority = context.authority();
        this.roles = context.catalog().roles();
    }

    /// Does all that the statement does, except that it changes nothing.
    static RoleSteps check(DdlContext context) {
        return new RoleSteps(context, true);
    }

    /// Runs one.
    ///
    /// @return the statement's tag
    String run(RoleStatement statement) {
        return switch (statement) {
            case CreateRole create -> {
                create(create);
                yield "CREATE ROLE";
            }
            case AlterRole alter -> {
                alter(alter);
                yield "ALTER ROLE";
            }
            case DropRole drop -> {
                drop(drop);
                yield "DROP ROLE";
            }
            case Grant grant -> {
                grant(grant);
                yield grant.isRevoke() ? "REVOKE" : "GRANT";
            }
            case GrantRole grant -> {
                grantRoles(grant);
                yield grant.isRevoke() ? "REVOKE ROLE" : "GRANT ROLE";
            }
        };
    }

    /// The role that is named; `current_user` and its kin are the session's.
    ///
    /// @throws SqlException 42704 if there is none
    static Role named(DdlContext context, Name name) {
        String text =
                switch (name.text()) {
                    case "current_user", "current_role" -> context.authority().role();
                    case "session_user" -> context.sessionUser();
                    default -> name.text();
                };
        try {
            return context.catalog().roles().required(text);
        } catch (SqlException e) {
            throw e.at(name.position());
        }
    }

    /// The new owner of an object.
    ///
    /// @param old the owner that it has
    /// @throws SqlException 42501 if the session's role may not give it away to that one
    static String newOwner(DdlContext context, Name name, String old) {
        Role role = named(context, name);
        Authority authority = context.authority();
        if (!authority.isSuperuser() && !authority.memberships().contains(role.name())) {
            throw denied("must be member of role \"" + role.name() + "\"");
        }
        if (!authority.isSuperuser() && !role.name().equals(old)) {
            RightsChecks.requireCreate(
                    authority.roles().authority(role.name(), role.id(), authority.version()));
        }
        return role.name();
    }

    private void store(Roles changed) {
        if (!isCheck) {
            RoleTable.store(context.db(), changed);
        }
    }

    private void notice(String text) {
        if (!isCheck) {
            context.notice(text);
        }
    }

    // ------------------------------------------------------------------------------------- Roles

    private boolean mayCreateRoles() {
        return authority.canCreateRoles();
    }

    private static SqlException denied(String message) {
        return new SqlException(SqlState.INSUFFICIENT_PRIVILEGE, message);
    }

    private void create(CreateRole create) {
        String name = Names.checked(create.role());
        if (RESERVED.contains(name) || name.startsWith(SYSTEM_PREFIX)) {
            throw new SqlException(
                    SqlState.RESERVED_NAME,
                    "role name \"" + name + "\" is reserved",
                    create.role().position());
        }
        Role added =
                new Role(
                        name,
                        roles.lastId() + 1,
                        false,
                        false,
                        false,
                        create.isUser(),
                        null,
                        null,
                        Set.of());
        added = with(added, create.options());
        if (added.isSuperuser() && !authority.isSuperuser()) {
            throw denied("must be superuser to create superusers");
        }
        if (!mayCreateRoles()) {
            throw denied("permission denied to create role");
        }
        if (roles.find(name) != null) {
            throw new SqlException(
                    SqlState.DUPLICATE_OBJECT,
                    "role \"" + name + "\" already exists",
                    create.role().position());
        }
        if (roles.stored().size() >= MAX_ROLES) {
            throw new SqlException(
                    SqlState.PROGRAM_LIMIT_EXCEEDED,
                    "there are %,d roles, and there can't be more".formatted(MAX_ROLES));
        }
        store(roles.with(added));
    }

    private void alter(AlterRole alter) {
        Role old = named(context, alter.role());
        Role changed = with(old, alter.options());
        boolean ofSuperuser = old.isSuperuser() || changed.isSuperuser();
        boolean isOwnPassword =
                authority.isRole(old)
                        && alter.options().stream().allMatch(o -> o.name().equals("password"));
        if (ofSuperuser && !authority.isSuperuser()) {
            throw denied(
                    "must be superuser to alter superuser roles or change superuser attribute");
        }
        if (!mayCreateRoles() && !isOwnPassword) {
            throw denied("permission denied");
        }
        if (old.name().equals(Role.BOOTSTRAP.name()) && !changed.isSuperuser()) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "role \"" + old.name() + "\" must be a superuser",
                    alter.role().position());
        }
        store(roles.with(changed));
    }

    /// A role with its options.
    private Role with(Role role, List<RoleStatement.Option> options) {
        Map<String, RoleStatement.Option> given = new LinkedHashMap<>();
        for (RoleStatement.Option option : options) {
            String of = option.name().startsWith("no") ? option.name().substring(2) : option.name();
            if (given.put(of, option) != null) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR,
                        "conflicting or redundant options",
                        option.position());
            }
        }
        RoleStatement.Option password = given.get("password");
        RoleStatement.Option until = given.get("valid until");
        return new Role(
                role.name(),
                role.id(),
                flag(given, "superuser", role.isSuperuser()),
                flag(given, "createrole", role.canCreateRoles()),
                flag(given, "createdb", role.canCreateDatabases()),
                flag(given, "login", role.canLogin()),
                password == null ? role.password() : verifier(password),
                until == null ? role.validUntil() : end(until),
                role.memberOf());
    }

    private static boolean flag(
            Map<String, RoleStatement.Option> given, String name, boolean unless) {
        RoleStatement.Option option = given.get(name);
        return option == null ? unless : option.name().equals(name);
    }

    private @Nullable ScramVerifier verifier(RoleStatement.Option option) {
        String password = option.value();
        if (password == null) {
            return null;
        }
        if (password.isEmpty()) {
            notice("empty string is not a valid password, clearing password");
            return null;
        }
        try {
            return ScramVerifier.of(password);
        } catch (IllegalArgumentException e) {
            throw new SqlException(
                            SqlState.INVALID_PARAMETER_VALUE,
                            "malformed verifier of a password: " + e.getMessage(),
                            option.position())
                    .causedBy(e);
        }
    }

    private static @Nullable Instant end(RoleStatement.Option option) {
        String text = String.valueOf(option.value());
        if (text.equals("infinity")) {
            return null;
        }
        try {
            return (Instant) TextParser.parse(text, SqlType.TIMESTAMPTZ);
        } catch (SqlException e) {
            throw e.at(option.position());
        }
    }

    private void drop(DropRole drop) {
        Roles left = roles;
        if (!mayCreateRoles()) {
            throw denied("permission denied to drop role");
        }
        for (Name each : drop.roles()) {
            Role role = left.find(each.text());
            if (role == null) {
                String text = "role \"" + each.text() + "\" does not exist";
                if (!drop.ifExists()) {
                    throw new SqlException(SqlState.UNDEFINED_OBJECT, text, each.position());
                }
                notice(text + ", skipping");
                continue;
            }
            requireUnused(role);
            left = left.without(role.name());
        }
        store(left);
    }

    private void requireUnused(Role role) {
        String name = role.name();
        if (name.equals(authority.role()) || name.equals(context.sessionUser())) {
            throw new SqlException(
                    SqlState.OBJECT_IN_USE,
                    (name.equals(authority.role()) ? "current" : "session")
                            + " user cannot be dropped");
        }
        if (role.isSuperuser() && !authority.isSuperuser()) {
            throw denied("must be superuser to drop superusers");
        }
        if (name.equals(Role.BOOTSTRAP.name())) {
            throw new SqlException(
                    SqlState.DEPENDENT_OBJECTS,
                    "cannot drop role " + name + " because it is required by the database system");
        }
        List<String> dependents = new ArrayList<>();
        for (SqlTable table : context.catalog().allTables()) {
            addDependent(
                    dependents,
                    "table " + TemporaryNames.bare(table.name()),
                    table.ownership(),
                    name);
        }
        context.catalog()
                .views()
                .values()
                .forEach(view ->
                        addDependent(dependents, "view " + view.name(), view.ownership(), name));
        context.catalog()
                .sequences()
                .values()
                .forEach(sequence ->
                        addDependent(
                                dependents,
                                "sequence " + sequence.name(),
                                sequence.ownership(),
                                name));
        for (Routine routine : context.catalog().routines()) {
            addDependent(
                    dependents,
                    "function " + routine.signature(),
                    new Ownership(routine.owner(), null),
                    name);
        }
        roles.objects().forEach((object, of) -> addDependent(dependents, object, of, name));
        if (!dependents.isEmpty()) {
            throw new SqlException(
                            SqlState.DEPENDENT_OBJECTS,
                            "role \"%s\" cannot be dropped because some objects depend on it"
                                    .formatted(name))
                    .withDetail(String.join("\n", dependents))
                    .withHint(
                            "Give its tables away by ALTER TABLE .. OWNER TO, drop its jars, and"
                                    + " REVOKE its privileges.");
        }
    }

    private static void addDependent(
            List<String> dependents, String object, Ownership of, String role) {
        if (of.owner().equals(role)) {
            dependents.add("owner of " + object);
        } else if (of.mentions(role)) {
            dependents.add("privileges for " + object);
        }
    }

    private void grantRoles(GrantRole grant) {
        Roles changed = roles;
        for (Name each : grant.roles()) {
            Role role = named(context, each);
            if (!authority.isSuperuser() && (role.isSuperuser() || !mayCreateRoles())) {
                throw denied("must have admin option on role \"" + role.name() + "\"");
            }
            for (Name member : grant.members()) {
                changed = member(changed, role, named(context, member), grant.isRevoke());
            }
        }
        store(changed);
    }

    private Roles member(Roles before, Role role, Role member, boolean isRevoke) {
        Role known = before.required(member.name());
        if (isRevoke == known.memberOf().contains(role.name())) {
            if (!isRevoke && before.effective(role.name()).contains(member.name())) {
                throw new SqlException(
                        SqlState.INVALID_GRANT,
                        "role \"%s\" is a member of role \"%s\""
                                .formatted(role.name(), member.name()));
            }
            return before.with(known.withMembership(role.name(), !isRevoke));
        }
        notice(
                "role \"%s\" is %s a member of role \"%s\""
                        .formatted(member.name(), isRevoke ? "not" : "already", role.name()));
        return before;
    }

    // -------------------------------------------------------------------------------- Privileges

    private void grant(Grant grant) {
        List<String> grantees = new ArrayList<>();
        for (Name role : grant.roles()) {
            grantees.add(role.text().equals(Acl.PUBLIC) ? Acl.PUBLIC : named(context, role).name());
        }
        boolean isOnSequences =
                grant.kind() == ObjectKind.SEQUENCE
                        || grant.kind() == ObjectKind.ALL_SEQUENCES
                        || grant.kind() == ObjectKind.TABLE && areSequences(grant.objects());
        if (isOnSequences) {
            grantOnSequences(grant, grantees);
            return;
        }
        if (grant.kind() == ObjectKind.TABLE || grant.kind() == ObjectKind.ALL_TABLES) {
            grantOnTables(grant, grantees);
            return;
        }
        Securable kind = Securable.valueOf(grant.kind().name());
        int bits = bits(grant, kind);
        Roles changed = roles;
        for (Name object : grant.objects()) {
            Ownership of = object(kind, object);
            authority.requireOwner(kind.toString(), object.text(), of);
            changed =
                    changed.with(
                            Roles.key(kind, object.text()),
                            new Ownership(
                                    Ownership.BOOTSTRAP.owner(),
                                    changed(of.acl(kind), grantees, bits, grant.isRevoke())));
        }
        store(changed);
    }

    private Ownership object(Securable kind, Name name) {
        Ownership found =
                switch (kind) {
                    case PROCEDURE -> context.procedure(name.text());
                    case SCHEMA ->
                            name.text().equals(Roles.SCHEMA) ? roles.of(kind, Roles.SCHEMA) : null;
                    case LANGUAGE ->
                            name.text().equals(Roles.LANGUAGE)
                                    ? roles.of(kind, Roles.LANGUAGE)
                                    : null;
                    case TABLE, SEQUENCE ->
                            throw new IllegalStateException(kind + " is known by its name");
                };
        if (found == null) {
            throw new SqlException(
                    switch (kind) {
                        case PROCEDURE -> SqlState.UNDEFINED_FUNCTION;
                        case SCHEMA -> SqlState.UNDEFINED_SCHEMA;
                        default -> SqlState.UNDEFINED_OBJECT;
                    },
                    "%s \"%s\" does not exist".formatted(kind, name.text()),
                    name.position());
        }
        return found;
    }

    private void grantOnTables(Grant grant, List<String> grantees) {
        List<SqlTable> tables = new ArrayList<>();
        List<SqlView> views = new ArrayList<>();
        if (grant.kind() == ObjectKind.ALL_TABLES) {
            for (Name schema : grant.objects()) {
                Ownership _ = object(Securable.SCHEMA, schema);
            }
            tables.addAll(context.catalog().tables());
            views.addAll(context.catalog().views().values());
        } else {
            for (Name name : grant.objects()) {
                SqlView view = context.catalog().findView(name.text());
                if (view == null) {
                    tables.add(Indexes.table(context, name));
                } else {
                    views.add(view);
                }
            }
        }
        int bits = bits(grant, Securable.TABLE);
        for (SqlTable table : tables) {
            if (!authority.isOwner(table.ownership())) {
                throw Authority.denied("table", table.name());
            }
        }
        for (SqlView view : views) {
            if (!authority.isOwner(view.ownership())) {
                throw Authority.denied("view", view.name());
            }
        }
        for (SqlView view : views) {
            Ownership old = view.ownership();
            Acl acl = changed(old.acl(Securable.TABLE), grantees, bits, grant.isRevoke());
            if (!isCheck && !acl.equals(old.acl())) {
                new ViewSteps(context).put(view.with(new Ownership(old.owner(), acl)));
            }
        }
        for (SqlTable table : tables) {
            Ownership old = table.ownership();
            Acl acl = changed(old.acl(Securable.TABLE), grantees, bits, grant.isRevoke());
            if (!isCheck && !acl.equals(old.acl())) {
                TableDraft draft = TableDraft.of(table);
                draft.ownership = new Ownership(old.owner(), acl);
                context.db()
                        .redefine(
                                table.name(), AlterTableStep.redefined(table, draft, table.name()));
            }
        }
    }

    /// Sequences may be called tables, as in PostgreSQL.
    private boolean areSequences(List<Name> objects) {
        return objects.stream()
                .allMatch(name -> context.catalog().findSequence(name.text()) != null);
    }

    private void grantOnSequences(Grant grant, List<String> grantees) {
        List<Sequence> sequences = new ArrayList<>();
        if (grant.kind() == ObjectKind.ALL_SEQUENCES) {
            for (Name schema : grant.objects()) {
                Ownership _ = object(Securable.SCHEMA, schema);
            }
            sequences.addAll(context.catalog().sequences().values());
        } else {
            for (Name name : grant.objects()) {
                try {
                    sequences.add(context.catalog().sequence(name.text()));
                } catch (SqlException e) {
                    throw e.at(name.position());
                }
            }
        }
        int bits = bits(grant, Securable.SEQUENCE);
        SequenceChanges changes = new SequenceChanges(context);
        for (Sequence sequence : sequences) {
            Ownership old = sequence.ownership();
            if (!authority.isOwner(old)) {
                throw Authority.denied("sequence", sequence.name());
            }
            Acl acl = changed(old.acl(Securable.SEQUENCE), grantees, bits, grant.isRevoke());
            changes.put(sequence.with(new Ownership(old.owner(), acl)));
        }
        if (!isCheck) {
            changes.run(() -> {});
        }
    }

    private static Acl changed(Acl acl, List<String> grantees, int bits, boolean isRevoke) {
        Acl changed = acl;
        for (String grantee : grantees) {
            changed = isRevoke ? changed.without(grantee, bits) : changed.with(grantee, bits);
        }
        return changed;
    }

    private static int bits(Grant grant, Securable kind) {
        int bits = grant.privileges().isEmpty() ? kind.all() : 0;
        for (Name name : grant.privileges()) {
            Privilege privilege = Privilege.named(name.text());
            if (privilege == null) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR,
                        "unrecognized privilege type \"" + name.text() + "\"",
                        name.position());
            }
            if ((kind.all() & privilege.bit()) == 0) {
                throw new SqlException(
                        SqlState.INVALID_GRANT,
                        "invalid privilege type %s for %s".formatted(privilege, kind),
                        name.position());
            }
            bits |= privilege.bit();
        }
        return bits;
    }
}
