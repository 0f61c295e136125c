package org.namdb.sql.engine.role;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// What a role may do, under one version of the schema. Compared by identity: what one was allowed
/// is not checked again.
public final class Authority {
    /// Of a session that has not read the schema yet.
    private static final long NO_VERSION = -1;

    /// Of what no session runs.
    public static final Authority SUPERUSER =
            Roles.NONE.authority(Role.BOOTSTRAP.name(), Role.BOOTSTRAP.id(), NO_VERSION);

    private final String role;
    private final long version;
    private final @Nullable Role known;
    private final boolean isSuperuser;
    private final Set<String> memberships;
    private final Roles roles;

    /// @param version of the schema
    /// @param known the role; null if it was dropped
    /// @param memberships itself and the roles that it is a member of
    /// @param roles all roles
    Authority(
            String role, long version, @Nullable Role known, Set<String> memberships, Roles roles) {
        this.role = role;
        this.version = version;
        this.known = known;
        this.isSuperuser = known != null && known.isSuperuser();
        this.memberships = Set.copyOf(memberships);
        this.roles = roles;
    }

    /// The role's name; it may have been dropped while its sessions go on.
    public String role() {
        return role;
    }

    /// Whether it is this role's.
    public boolean isRole(Role other) {
        return known != null && known.id() == other.id() && role.equals(other.name());
    }

    /// The version of the schema that this is of.
    public long version() {
        return version;
    }

    /// Whether it may do everything.
    public boolean isSuperuser() {
        return isSuperuser;
    }

    /// Whether it may create, alter and drop roles.
    public boolean canCreateRoles() {
        return known != null && (known.isSuperuser() || known.canCreateRoles());
    }

    /// Refuses to make something that the role would own, if it was dropped.
    ///
    /// @throws SqlException 42704 if it was
    public void requireExisting() {
        if (known == null) {
            throw new SqlException(
                            SqlState.UNDEFINED_OBJECT, "role \"" + role + "\" does not exist")
                    .withHint("The session's role was dropped. Connect as another one.");
        }
    }

    /// The role, and those that it is a member of; empty if it was dropped.
    public Set<String> memberships() {
        return memberships;
    }

    /// All roles.
    public Roles roles() {
        return roles;
    }

    /// Whether an object is its own.
    public boolean isOwner(Ownership of) {
        return isSuperuser || memberships.contains(of.owner());
    }

    /// Whether it may do something.
    ///
    /// @param privileges a set of [Privilege]s, all of which are needed
    public boolean may(Securable kind, Ownership of, int privileges) {
        return isSuperuser || (of.acl(kind).of(memberships) & privileges) == privileges;
    }

    /// Refuses what it may not do.
    ///
    /// @param name the object's
    /// @throws SqlException 42501 if it may not
    public void require(Securable kind, String name, Ownership of, int privileges) {
        if (!may(kind, of, privileges)) {
            throw denied(kind.toString(), name);
        }
    }

    /// Refuses what only an owner may do.
    ///
    /// @throws SqlException 42501 if the object is not its own
    public void requireOwner(String kind, String name, Ownership of) {
        if (!isOwner(of)) {
            throw new SqlException(
                    SqlState.INSUFFICIENT_PRIVILEGE, "must be owner of " + kind + " " + name);
        }
    }

    /// Refuses what only a superuser may do.
    ///
    /// @throws SqlException 42501 if it is no superuser
    public void requireSuperuser(String what) {
        if (!isSuperuser) {
            throw new SqlException(SqlState.INSUFFICIENT_PRIVILEGE, "must be superuser to " + what);
        }
    }

    /// The error of a privilege that is missing.
    public static SqlException denied(String kind, String name) {
        return new SqlException(
                SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for " + kind + " " + name);
    }
}
