package org.namdb.sql.engine;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.RoleTable;
import org.namdb.sql.engine.procedure.LoopCheck;
import org.namdb.sql.engine.procedure.ProcedureVersion;
import org.namdb.sql.engine.role.Authority;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.engine.role.Securable;
import org.namdb.sql.engine.setting.Settings;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.ByteString;

/// `CALL sqlj.install_jar(image, jar_name)` and `CALL sqlj.remove_jar(jar_name)`: they change what
/// procedures there are, and are no transactions.
///
/// Source: SQL/JRT (ISO 9075-13), sections 11.1 and 11.3; as in PL/Java, the image of a jar may be
/// given in place of its URL.
final class JarStatements {
    private static final long LOCK_NANOS = 1_000_000;

    static final String INSTALL = "sqlj.install_jar";
    static final String REMOVE = "sqlj.remove_jar";

    /// The parameters of `sqlj.install_jar`.
    record Install(ByteString image, String jarName) {}

    /// The parameters of `sqlj.remove_jar`.
    record Remove(String jarName) {}

    private final SqlDatabase database;
    private final SessionUser user;

    /// @param user who runs them
    JarStatements(SqlDatabase database, SessionUser user) {
        this.database = database;
        this.user = user;
    }

    /// Runs one of them.
    ///
    /// @param cancellation throws if the statement is cancelled: what a class does when it is
    ///     loaded may never end
    /// @throws SqlException 22004 if an argument is NULL, 42501 if the role may not, and what
    ///     [JarStore] throws
    void run(String name, @Nullable Object[] arguments, Runnable cancellation) {
        for (Object argument : arguments) {
            if (argument == null) {
                throw new SqlException(
                        SqlState.NULL_VALUE_NOT_ALLOWED,
                        "the arguments of " + name + " can't be NULL");
            }
        }
        try {
            boolean _ =
                    LoopCheck.run(
                            cancellation,
                            () -> {
                                database.jars().alone(() -> runAlone(name, arguments));
                                return true;
                            });
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void runAlone(String name, @Nullable Object[] arguments) {
        if (name.equals(INSTALL)
                && arguments[0] instanceof ByteString image
                && arguments[1] instanceof String jar) {
            install(jar, image.toByteArray());
        } else if (arguments[0] instanceof String jar) {
            remove(jar);
        }
    }

    private void install(String jar, byte[] image) {
        Authority authority = user.authority();
        Roles roles = authority.roles();
        authority.require(
                Securable.LANGUAGE,
                Roles.LANGUAGE,
                roles.of(Securable.LANGUAGE, Roles.LANGUAGE),
                Privilege.USAGE.bit());
        claim(jar);
        boolean isDone = false;
        try {
            database.jars().install(jar, image);
            isDone = true;
        } finally {
            if (!isDone) {
                store(now -> unclaimed(now, jar));
            }
        }
    }

    /// Makes the role the owner of a jar that there is not, before it is installed: of two that
    /// install one at a time, one finds that it is the other's; and a role that is dropped
    /// meanwhile is found to own something.
    ///
    /// @throws SqlException 42501 if the jar is another role's, 42704 if the role was dropped
    private void claim(String jar) {
        store(now -> {
            Authority latest = user.authority();
            latest.requireExisting();
            Ownership of = now.ofJar(jar);
            if (of.equals(Ownership.BOOTSTRAP) && !database.jars().isStored(jar)) {
                return now.with(Roles.jarKey(jar), new Ownership(latest.role(), null));
            }
            latest.requireOwner("jar", jar, of);
            return now;
        });
    }

    private Roles unclaimed(Roles now, String jar) {
        return database.jars().isStored(jar)
                ? now
                : now.with(Roles.jarKey(jar), Ownership.BOOTSTRAP);
    }

    private void remove(String jar) {
        Authority authority = user.authority();
        authority.requireOwner("jar", jar, authority.roles().ofJar(jar));
        List<String> procedures =
                database.procedures().all().stream()
                        .filter(each -> each.origin().equals(jar))
                        .map(ProcedureVersion::name)
                        .toList();
        database.jars().remove(jar);
        store(now -> {
            Roles left = now.with(Roles.jarKey(jar), Ownership.BOOTSTRAP);
            for (String each : procedures) {
                left = left.with(Roles.key(Securable.PROCEDURE, each), Ownership.BOOTSTRAP);
            }
            return left;
        });
    }

    /// Stores the owners of jars, if they have changed.
    private void store(UnaryOperator<Roles> change) {
        Roles known = database.catalog().latestRoles();
        if (!change.apply(known).equals(known)) {
            database.changeSchema(
                    Settings.SCHEMA_WAIT_MILLIS,
                    () -> database.host().sleep(LOCK_NANOS),
                    () ->
                            RoleTable.store(
                                    database.engine(), change.apply(database.catalog().roles())));
        }
    }
}
