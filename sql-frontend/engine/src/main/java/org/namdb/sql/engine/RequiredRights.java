package org.namdb.sql.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.bind.BindContext.NeededPrivileges;
import org.namdb.sql.engine.role.Authority;
import org.namdb.sql.engine.role.Role;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.engine.role.Securable;

/// What a role needs to run a plan. Plans are shared by all sessions, so it is checked whenever one
/// runs; of one version of the schema, as the plan and the [Authority] are, so that one comparison
/// is enough when the same role runs it again.
final class RequiredRights {
    private final List<NeededPrivileges> needed;
    private final @Nullable String secret;

    /// Whether something is read with the rights of a view's owner, and not of the user who runs
    /// the plan.
    private final boolean isOfOwners;

    /// The authority that was found to be enough last. Threads may overwrite each other's; what
    /// each sees is whole, as an authority never changes.
    private @Nullable Authority allowed;

    /// What a statement needs that was bound.
    RequiredRights(BindContext context) {
        this.needed = List.copyOf(context.neededPrivileges());
        this.isOfOwners = needed.stream().anyMatch(each -> each.role() != null);
        this.secret = context.secretRelation();
    }

    /// @throws org.namdb.sql.language.error.SqlException 42501 if a privilege is missing
    void check(Authority authority) {
        if (authority == allowed || authority.isSuperuser() && !isOfOwners) {
            return;
        }
        if (secret != null && !authority.isSuperuser()) {
            throw Authority.denied("table", secret);
        }
        for (NeededPrivileges each : needed) {
            Authority reader = each.role() == null ? authority : ofOwner(each.role(), authority);
            if (!reader.may(Securable.TABLE, each.ownership(), each.privileges())) {
                throw Authority.denied(each.kind(), each.name());
            }
        }
        allowed = authority;
    }

    private static Authority ofOwner(String owner, Authority authority) {
        Roles roles = authority.roles();
        Role role = roles.required(owner);
        return roles.authority(owner, role.id(), authority.version());
    }
}
