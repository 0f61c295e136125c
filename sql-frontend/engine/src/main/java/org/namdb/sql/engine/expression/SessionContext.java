package org.namdb.sql.engine.expression;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.AdvisoryLocks;
import org.namdb.sql.engine.sequence.SessionSequences;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// What functions read and change of the session that runs them.
public interface SessionContext {
    /// Of expressions that no session runs, as those of DDL.
    SessionContext NONE =
            new SessionContext() {
                @Override
                public String setting(String name) {
                    throw none();
                }

                @Override
                public void set(String name, String value, boolean isLocal) {
                    throw none();
                }

                @Override
                public String currentUser() {
                    throw none();
                }

                @Override
                public String sessionUser() {
                    throw none();
                }

                @Override
                public int number() {
                    throw none();
                }

                @Override
                public SessionSequences sequences() {
                    throw none();
                }

                @Override
                public boolean lock(
                        AdvisoryLocks.Key key,
                        boolean isExclusive,
                        boolean isOfTransaction,
                        boolean waits) {
                    throw none();
                }

                @Override
                public boolean unlock(AdvisoryLocks.Key key, boolean isExclusive) {
                    throw none();
                }

                @Override
                public void unlockAll() {
                    throw none();
                }

                @Override
                public @Nullable Object call(String routine, @Nullable Object[] arguments) {
                    throw none();
                }

                @Override
                public List<@Nullable Object[]> rows(String routine, @Nullable Object[] arguments) {
                    throw none();
                }

                @Override
                public List<@Nullable Object[]> relation(String name) {
                    throw none();
                }

                private static SqlException none() {
                    return new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "functions of the session can't be called here");
                }
            };

    /// The value of a setting.
    ///
    /// @throws SqlException 42704 if there is none of this name
    String setting(String name);

    /// Sets a setting.
    ///
    /// @param isLocal whether only until the transaction ends
    void set(String name, String value, boolean isLocal);

    /// The role whose privileges apply.
    String currentUser();

    /// The role that the session was opened as, or has taken by SET SESSION AUTHORIZATION.
    String sessionUser();

    /// The session's number, which PostgreSQL's clients take for that of a process.
    int number();

    /// What it does with sequences.
    SessionSequences sequences();

    /// Takes an advisory lock.
    ///
    /// @param isOfTransaction whether until the transaction ends, or until it is unlocked
    /// @param waits whether to wait for it
    /// @return whether the session has it
    /// @throws SqlException 40P01, 53200, 55P03
    boolean lock(
            AdvisoryLocks.Key key, boolean isExclusive, boolean isOfTransaction, boolean waits);

    /// Releases an advisory lock that is not the transaction's.
    ///
    /// @return whether the session had it
    boolean unlock(AdvisoryLocks.Key key, boolean isExclusive);

    /// Releases all advisory locks but the transaction's.
    void unlockAll();

    /// Calls a function that users have made, in the transaction that is open.
    ///
    /// @param arguments of its parameters' types
    /// @return its value; a row as its text
    @Nullable Object call(String routine, @Nullable Object[] arguments);

    /// The same of a function that gives rows.
    List<@Nullable Object[]> rows(String routine, @Nullable Object[] arguments);

    /// The rows of a relation of the system's catalog that shows what the session has.
    List<@Nullable Object[]> relation(String name);
}
