package org.namdb.sql.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.role.Authority;
import org.namdb.sql.engine.role.Securable;

/// What a role needs to run a plan. Plans are shared by all sessions, so it is checked whenever one
/// runs; of one version of the schema, as the plan and the [Authority] are, so that one comparison
/// is enough when the same role runs it again.
final class RequiredRights {
    private final List<Needed> tables;
    private final @Nullable String secret;

    /// The authority that was found to be enough last. Threads may overwrite each other's; what
    /// each sees is whole, as an authority never changes.
    private @Nullable Authority allowed;

    /// @param privileges a set of [org.namdb.sql.engine.role.Privilege]s
    private record Needed(SqlTable table, int privileges) {}

    /// What a statement needs that was bound.
    RequiredRights(BindContext context) {
        List<Needed> needed = new ArrayList<>();
        context.neededPrivileges().forEach((table, bits) -> needed.add(new Needed(table, bits)));
        this.tables = List.copyOf(needed);
        this.secret = context.secretRelation();
    }

    /// @throws org.namdb.sql.language.error.SqlException 42501 if a privilege is missing
    void check(Authority authority) {
        if (authority.isSuperuser() || authority == allowed) {
            return;
        }
        if (secret != null) {
            throw Authority.denied("table", secret);
        }
        for (Needed each : tables) {
            authority.require(
                    Securable.TABLE, each.table.name(), each.table.ownership(), each.privileges);
        }
        allowed = authority;
    }
}
