package org.namdb.sql.engine.ddl;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Schema;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.role.Authority;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.sequence.SequenceValues;
import org.namdb.sql.engine.statistics.StatisticsTable;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.type.SqlType;

/// What DDL needs of the session that runs it.
public interface DdlContext {
    /// What is changed: the database, in which no transaction runs now, or the schema of the
    /// [transaction][#transaction].
    Schema db();

    /// The transaction that DDL is a part of; null if it takes effect at once.
    @Nullable Transaction transaction();

    /// A session of the database, for what is done in transactions of its own: users may have all
    /// others.
    Session reservedSession();

    /// A table is going to be read so often, for an index or a check.
    void expect(SqlTable table, int times);

    /// More rows of a table were read: counts them.
    ///
    /// @throws org.namdb.mvcc.owner.CancelledException if the statement was cancelled
    void read(long rows);

    /// A constraint was checked of a table's rows: no other session changes them before it takes
    /// effect.
    void requireUnchanged(String table);

    /// Changes what is known of tables' rows, when the schema change takes effect.
    void changeStatistics(Consumer<StatisticsTable> change);

    /// The tables.
    SqlCatalog catalog();

    /// What the session's role may do.
    Authority authority();

    /// The role that the session was opened as, or has taken by SET SESSION AUTHORIZATION.
    String sessionUser();

    /// The owner of a stored procedure; null if there is none of this name.
    @Nullable Ownership procedure(String name);

    /// The type that is meant by a name.
    SqlType type(TypeName name);

    /// Refuses a DEFAULT expression that does not give values of the column's type.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 42804 if it gives others
    void checkDefault(Expression expression, String column, SqlType type);

    /// Refuses a CHECK condition that can not be evaluated on rows of a table.
    ///
    /// @param columns the columns that it may use
    /// @throws org.namdb.sql.language.error.SqlException as 42703, 42804
    void checkCondition(Expression condition, String table, List<ColumnScalar> columns);

    /// Refuses what a generated column can not be made of.
    ///
    /// @param columns those of the table
    /// @throws org.namdb.sql.language.error.SqlException as 42P17, 42703, 42804
    void checkGenerated(
            Expression value,
            String table,
            List<ColumnScalar> columns,
            String column,
            SqlType type);

    /// Gives the values of a generated column, from the values of a row.
    Function<@Nullable Object[], @Nullable Object> generatedValues(
            String text, String table, List<ColumnScalar> columns, SqlType type);

    /// An expression that was kept as text.
    Expression parse(String text);

    /// Gives the values of a DEFAULT, one for each row.
    Supplier<@Nullable Object> defaultValues(String text, SqlType type);

    /// Gives the values of a column that gets another type.
    ///
    /// @param expression over the columns of the table as it is
    /// @return what a row's values become
    /// @throws org.namdb.sql.language.error.SqlException 42804 if it gives values of another type
    Function<@Nullable Object[], @Nullable Object> conversion(
            Expression expression, SqlTable table, String column, SqlType type);

    /// Gives the values of an identity column, one for each row.
    ///
    /// @param sequence the name of its sequence
    Supplier<@Nullable Object> identityValues(String sequence, SqlType type);

    /// The values of sequences.
    SequenceValues sequences();

    /// A new hidden row id.
    long nextRowId();

    /// The first row that a query gives; null if it gives none.
    @Nullable Object @Nullable [] first(String query);

    /// Sends the user a notice.
    void notice(String text);
}
