package org.namdb.sql.engine.role;

import org.jspecify.annotations.Nullable;

/// The owner of an object, and the privileges of others.
///
/// @param owner a role
/// @param acl null if nothing was granted or revoked yet
public record Ownership(String owner, @Nullable Acl acl) {
    /// Of what was made before there were other roles, or by a program.
    public static final Ownership BOOTSTRAP = new Ownership(Role.BOOTSTRAP.name(), null);

    /// The ACL, the usual one if none is kept.
    public Acl acl(Securable kind) {
        return acl == null ? kind.usual(owner) : acl;
    }

    /// The same of another owner.
    public Ownership ofOwner(String other) {
        return new Ownership(other, acl == null ? null : acl.ofOwner(owner, other));
    }

    /// Whether a role is named in it.
    public boolean mentions(String role) {
        return owner.equals(role) || acl != null && acl.of(role) != 0;
    }
}
