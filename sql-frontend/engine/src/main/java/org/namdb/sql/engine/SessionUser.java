package org.namdb.sql.engine;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.role.Authority;
import org.namdb.sql.engine.role.Role;
import org.namdb.sql.engine.setting.Settings;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The user of a session: the role that it was opened as, the one that SET SESSION AUTHORIZATION
/// has put in its place, and the one that SET ROLE has. The latter two are settings, so they are
/// rolled back with a transaction.
final class SessionUser {
    private final Supplier<SqlCatalog> catalog;
    private final Settings settings;
    private Role authenticated = Role.BOOTSTRAP;
    private Authority known = Authority.SUPERUSER;

    /// Which roles are meant by the names in the settings: others may have got the names since.
    private final Map<String, Long> ids = new HashMap<>();

    /// @param catalog the tables and roles as the session sees them
    SessionUser(Supplier<SqlCatalog> catalog, Settings settings) {
        this.catalog = catalog;
        this.settings = settings;
        take(authenticated);
    }

    /// The session is another role's from now on.
    void authenticate(Role role) {
        authenticated = role;
        take(role);
        settings.setDefault(Settings.SESSION_AUTHORIZATION, role.name());
    }

    private void take(Role role) {
        ids.put(role.name(), role.id());
        known = Authority.SUPERUSER; // of no version that there is
    }

    /// What its role may do, now.
    Authority authority() {
        Authority last = known;
        if (last.version() == catalog.get().version() && last.role().equals(settings.role())) {
            return last;
        }
        Authority now = authority(settings.role());
        known = now;
        return now;
    }

    private Authority authority(String role) {
        return catalog.get().authority(role, ids.getOrDefault(role, Role.BOOTSTRAP.id()));
    }

    /// The session's user, whatever SET ROLE has said.
    String sessionUser() {
        return settings.show(Settings.SESSION_AUTHORIZATION);
    }

    /// Whether a setting is one of those that determine the session's user.
    static boolean isSetting(String name) {
        return name.equals(Settings.ROLE) || name.equals(Settings.SESSION_AUTHORIZATION);
    }

    /// @param name one of these settings
    /// @throws SqlException 22023 if there is no such role, 42501 if the session can't be its
    void requireAllowed(String name, String role) {
        if (name.equals(Settings.ROLE) && role.equals(Settings.NO_ROLE)) {
            return;
        }
        Role found = catalog.get().latestRoles().find(role);
        if (found == null) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER_VALUE, "role \"" + role + "\" does not exist");
        }
        boolean isRole = name.equals(Settings.ROLE);
        Authority own =
                isRole
                        ? authority(sessionUser())
                        : catalog.get().authority(authenticated.name(), authenticated.id());
        boolean isAllowed =
                own.isSuperuser()
                        || (isRole ? own.memberships().contains(role) : own.isRole(found));
        if (!isAllowed) {
            throw new SqlException(
                    SqlState.INSUFFICIENT_PRIVILEGE,
                    isRole
                            ? "permission denied to set role \"" + role + "\""
                            : "permission denied to set session authorization");
        }
        take(found);
    }
}
