package org.namdb.sql.engine;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.procedure.JarStore;
import org.namdb.sql.engine.procedure.LoopCheck;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.ByteString;

/// `CALL sqlj.install_jar(image, jar_name)` and `CALL sqlj.remove_jar(jar_name)`: they change what
/// procedures there are, and are no transactions.
///
/// Source: SQL/JRT (ISO 9075-13), sections 11.1 and 11.3; as in PL/Java, the image of a jar may be
/// given in place of its URL.
final class JarStatements {
    static final String INSTALL = "sqlj.install_jar";
    static final String REMOVE = "sqlj.remove_jar";

    /// The parameters of `sqlj.install_jar`.
    record Install(ByteString image, String jarName) {}

    /// The parameters of `sqlj.remove_jar`.
    record Remove(String jarName) {}

    private JarStatements() {}

    /// Runs one of them.
    ///
    /// @param cancellation throws if the statement is cancelled: what a class does when it is
    ///     loaded may never end
    /// @throws SqlException 22004 if an argument is NULL, and what [JarStore] throws
    static void run(
            String name, JarStore jars, @Nullable Object[] arguments, Runnable cancellation) {
        for (Object argument : arguments) {
            if (argument == null) {
                throw new SqlException(
                        SqlState.NULL_VALUE_NOT_ALLOWED,
                        "the arguments of " + name + " can't be NULL");
            }
        }
        if (name.equals(INSTALL)
                && arguments[0] instanceof ByteString image
                && arguments[1] instanceof String jar) {
            install(jars, jar, image.toByteArray(), cancellation);
        } else if (arguments[0] instanceof String jar) {
            jars.remove(jar);
        }
    }

    private static void install(JarStore jars, String name, byte[] image, Runnable cancellation) {
        try {
            boolean _ =
                    LoopCheck.run(
                            cancellation,
                            () -> {
                                jars.install(name, image);
                                return true;
                            });
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
