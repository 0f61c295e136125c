package org.namdb.sql.engine.role;

import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A role. Its [#toString] does not show the verifier.
///
/// @param name its name
/// @param id tells it from roles that had the name before, or get it later; never used again
/// @param isSuperuser whether it may do everything
/// @param canCreateRoles whether it may create, alter and drop roles that are no superusers
/// @param canCreateDatabases kept for clients: there is one database
/// @param canLogin whether clients may connect as this role
/// @param password by what its password is checked; null if it has none
/// @param validUntil when the password ends to be valid; null for never
/// @param memberOf the roles whose privileges it has, too
public record Role(
        String name,
        long id,
        boolean isSuperuser,
        boolean canCreateRoles,
        boolean canCreateDatabases,
        boolean canLogin,
        @Nullable ScramVerifier password,
        @Nullable Instant validUntil,
        Set<String> memberOf) {
    /// The superuser that every database has.
    public static final Role BOOTSTRAP =
            new Role("namdb", 0, true, true, true, true, null, null, Set.of());

    public Role {
        memberOf = Set.copyOf(memberOf);
    }

    /// The same as a member of these roles.
    public Role withMemberships(Set<String> roles) {
        return new Role(
                name,
                id,
                isSuperuser,
                canCreateRoles,
                canCreateDatabases,
                canLogin,
                password,
                validUntil,
                roles);
    }

    /// The same, with or without a membership.
    public Role withMembership(String role, boolean isMember) {
        Set<String> roles = new TreeSet<>(memberOf);
        if (isMember) {
            roles.add(role);
        } else {
            roles.remove(role);
        }
        return withMemberships(roles);
    }

    @Override
    public String toString() {
        return name;
    }
}
