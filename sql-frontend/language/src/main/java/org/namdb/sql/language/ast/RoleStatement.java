package org.namdb.sql.language.ast;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A statement that makes, changes or drops roles, or their privileges. A user is a role that may
/// log in.
///
/// The names `current_user`, `current_role`, `session_user` and `public` mean what the keywords do:
/// no role is called so.
public sealed interface RoleStatement extends DdlStatement {
    /// `CREATE USER | ROLE name [WITH] options`.
    ///
    /// @param isUser whether it may log in by default
    record CreateRole(Name role, boolean isUser, List<Option> options, Position position)
            implements RoleStatement {
        public CreateRole {
            options = List.copyOf(options);
        }
    }

    /// `ALTER USER | ROLE name [WITH] options`.
    record AlterRole(Name role, List<Option> options, Position position) implements RoleStatement {
        public AlterRole {
            options = List.copyOf(options);
        }
    }

    /// `SUPERUSER`, `NOLOGIN`, `PASSWORD 'secret'`, `VALID UNTIL 'time'`.
    ///
    /// @param name in lower case: `superuser`, `valid until`
    /// @param value null if it has none, and for NULL
    record Option(String name, @Nullable String value, Position position) {}

    /// `DROP USER | ROLE [IF EXISTS] names`.
    record DropRole(List<Name> roles, boolean ifExists, Position position)
            implements RoleStatement {
        public DropRole {
            roles = List.copyOf(roles);
        }
    }

    /// What privileges can be on.
    enum ObjectKind {
        TABLE,
        /// `ALL TABLES IN SCHEMA`.
        ALL_TABLES,
        SEQUENCE,
        /// `ALL SEQUENCES IN SCHEMA`.
        ALL_SEQUENCES,
        PROCEDURE,
        SCHEMA,
        LANGUAGE
    }

    /// `GRANT privileges ON objects TO roles`, or `REVOKE privileges ON objects FROM roles`.
    ///
    /// @param privileges in lower case; empty for ALL
    record Grant(
            boolean isRevoke,
            List<Name> privileges,
            ObjectKind kind,
            List<Name> objects,
            List<Name> roles,
            Position position)
            implements RoleStatement {
        public Grant {
            privileges = List.copyOf(privileges);
            objects = List.copyOf(objects);
            roles = List.copyOf(roles);
        }
    }

    /// `GRANT roles TO members`, or `REVOKE roles FROM members`.
    record GrantRole(boolean isRevoke, List<Name> roles, List<Name> members, Position position)
            implements RoleStatement {
        public GrantRole {
            roles = List.copyOf(roles);
            members = List.copyOf(members);
        }
    }
}
