package org.namdb.sql.language.ast;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A statement. DDL statements are [DdlStatement]s.
public sealed interface Statement permits DdlStatement, Statement.Plain {
    /// Where it stands in the text that was parsed.
    Position position();

    /// What is not DDL.
    sealed interface Plain extends Statement {}

    /// A query as a statement.
    record Select(Query query, Position position) implements Plain {}

    /// `CREATE TABLE [IF NOT EXISTS] table [(columns)] [WITH (options)] AS query [WITH [NO] DATA]`.
    ///
    /// @param temporary null if the table is permanent
    /// @param columns the names of its columns, as far as they are given
    /// @param options names in lower case with their values
    record CreateTableAs(
            Name table,
            boolean ifNotExists,
            DdlStatement.@Nullable OnCommit temporary,
            List<Name> columns,
            Map<String, DdlStatement.TableOption> options,
            Query query,
            boolean withData,
            Position position)
            implements Plain {
        public CreateTableAs {
            columns = List.copyOf(columns);
            options = Map.copyOf(options);
        }
    }

    /// `INSERT INTO table [AS alias] (columns) [OVERRIDING ..] query | DEFAULT VALUES
    /// [ON CONFLICT ..] [RETURNING ..]`.
    ///
    /// @param columns empty if none were named
    /// @param overriding what becomes of values that are given for identity columns; null without
    /// @param source null for DEFAULT VALUES; for VALUES a query of [Query.Values]
    /// @param returning empty without RETURNING
    record Insert(
            Name table,
            @Nullable Name alias,
            List<Name> columns,
            @Nullable Overriding overriding,
            @Nullable Query source,
            @Nullable OnConflict onConflict,
            List<Query.Item> returning,
            Position position)
            implements Plain {
        public Insert {
            columns = List.copyOf(columns);
            returning = List.copyOf(returning);
        }
    }

    /// `OVERRIDING SYSTEM VALUE`: values that are given for columns that are always generated are
    /// taken; `OVERRIDING USER VALUE`: those for identity columns are not.
    enum Overriding {
        SYSTEM,
        USER
    }

    /// `ON CONFLICT [(columns) | ON CONSTRAINT name] DO NOTHING | DO UPDATE SET .. [WHERE ..]`.
    ///
    /// @param columns empty if none were named
    /// @param sets empty for DO NOTHING
    record OnConflict(
            List<Name> columns,
            @Nullable Name constraint,
            List<Assignment> sets,
            @Nullable Expression where,
            Position position) {
        public OnConflict {
            columns = List.copyOf(columns);
            sets = List.copyOf(sets);
        }
    }

    /// `column = value` in SET. `(a, b) = (1, 2)` is two of them, and so is `(a, b) = (SELECT ..)`,
    /// both with that query as their value.
    ///
    /// @param field which column of the query is assigned, from 0; -1 if the value is
    record Assignment(Name column, Expression value, int field, Position position) {
        /// One of a value.
        public Assignment(Name column, Expression value, Position position) {
            this(column, value, -1, position);
        }
    }

    /// `UPDATE table [AS alias] SET .. [FROM ..] [WHERE ..] [RETURNING ..]`.
    record Update(
            Name table,
            @Nullable Name alias,
            List<Assignment> sets,
            List<Query.Source> from,
            @Nullable Expression where,
            List<Query.Item> returning,
            Position position)
            implements Plain {
        public Update {
            sets = List.copyOf(sets);
            from = List.copyOf(from);
            returning = List.copyOf(returning);
        }
    }

    /// `DELETE FROM table [AS alias] [USING ..] [WHERE ..] [RETURNING ..]`.
    record Delete(
            Name table,
            @Nullable Name alias,
            List<Query.Source> using,
            @Nullable Expression where,
            List<Query.Item> returning,
            Position position)
            implements Plain {
        public Delete {
            using = List.copyOf(using);
            returning = List.copyOf(returning);
        }
    }

    /// A statement with changes in its WITH, which run one after the other before it.
    ///
    /// @param changes their queries are of [Query.Returned]
    /// @param statement a query or a change, which may read what they return
    record With(List<Query.CommonTable> changes, Plain statement, Position position)
            implements Plain {
        public With {
            changes = List.copyOf(changes);
        }
    }

    /// `BEGIN` or `START TRANSACTION`, or `SET TRANSACTION`, with its modes.
    ///
    /// @param isStart whether a transaction is begun; else the modes are for the current one
    /// @param tag what the answer is called: `BEGIN`, `START TRANSACTION` or `SET`
    /// @param isolation in lower case, as `repeatable read`; null if none was named
    /// @param isReadOnly null if nothing was said
    record Begin(
            boolean isStart,
            String tag,
            @Nullable String isolation,
            @Nullable Boolean isReadOnly,
            Position position)
            implements Plain {
        /// `BEGIN` or `SET TRANSACTION`.
        public Begin(
                boolean isStart,
                @Nullable String isolation,
                @Nullable Boolean isReadOnly,
                Position position) {
            this(isStart, isStart ? "BEGIN" : "SET", isolation, isReadOnly, position);
        }
    }

    /// `COMMIT` or `END`, `[AND CHAIN]`.
    ///
    /// @param isChained whether a block with the same modes begins at once
    record Commit(boolean isChained, Position position) implements Plain {}

    /// `ROLLBACK` or `ABORT`, `[AND CHAIN]`.
    ///
    /// @param isChained whether a block with the same modes begins at once
    record Rollback(boolean isChained, Position position) implements Plain {}

    /// `SAVEPOINT name`.
    record Savepoint(Name name, Position position) implements Plain {}

    /// `ROLLBACK TO [SAVEPOINT] name`.
    record RollbackTo(Name name, Position position) implements Plain {}

    /// `RELEASE [SAVEPOINT] name`.
    record Release(Name name, Position position) implements Plain {}

    /// `SET [SESSION | LOCAL] name = | TO value`;
    /// `SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL ..` as the setting
    /// `default_transaction_isolation`.
    ///
    /// @param value null for DEFAULT, and for RESET
    /// @param isReset whether it is RESET
    record SetVariable(
            Name name, @Nullable String value, boolean isLocal, boolean isReset, Position position)
            implements Plain {
        /// SET to a value, or RESET.
        public SetVariable(Name name, @Nullable String value, boolean isLocal, Position position) {
            this(name, value, isLocal, value == null && !isLocal, position);
        }
    }

    /// `SHOW name`, or `SHOW ALL` with the name `all`; `SHOW TRANSACTION ISOLATION LEVEL` as
    /// `transaction_isolation`.
    record Show(Name name, Position position) implements Plain {}

    /// `PREPARE name [(types)] AS statement`.
    record Prepare(Name name, List<TypeName> parameterTypes, Statement statement, Position position)
            implements Plain {
        public Prepare {
            parameterTypes = List.copyOf(parameterTypes);
        }
    }

    /// `EXECUTE name [(values)]`.
    record Execute(Name name, List<Expression> arguments, Position position) implements Plain {
        public Execute {
            arguments = List.copyOf(arguments);
        }
    }

    /// `CALL procedure(arguments)`; also `SELECT procedure(arguments)` and
    /// `SELECT * FROM procedure(arguments)`, once it is known that there is such a procedure.
    record Call(Name procedure, List<Expression> arguments, Position position) implements Plain {
        public Call {
            arguments = List.copyOf(arguments);
        }
    }

    /// `DO [LANGUAGE name] 'body'`: a routine without a name, which runs once.
    ///
    /// @param language in lower case
    /// @param bodyPosition where the body's characters stand; [Position#NONE] if not one by one
    record Do(String language, String body, Position bodyPosition, Position position)
            implements Plain {}

    /// `DEALLOCATE [PREPARE] name | ALL`.
    ///
    /// @param name null for ALL
    record Deallocate(@Nullable Name name, Position position) implements Plain {}

    /// `SET CONSTRAINTS .. DEFERRED | IMMEDIATE`, which changes nothing: constraints are checked at
    /// the end of each statement.
    record SetConstraints(Position position) implements Plain {}

    /// `DISCARD ALL | PLANS | SEQUENCES | TEMP`.
    ///
    /// @param what in lower case
    record Discard(String what, Position position) implements Plain {}

    /// `DECLARE name [SCROLL] CURSOR [WITH HOLD] FOR query`.
    ///
    /// @param isForwardOnly whether it is NO SCROLL
    /// @param isHeld whether it is WITH HOLD: it outlives its transaction
    record DeclareCursor(
            Name name, boolean isForwardOnly, boolean isHeld, Query query, Position position)
            implements Plain {}

    /// `FETCH` or `MOVE [direction] [FROM] name`. NEXT is FORWARD 1, LAST is ABSOLUTE -1.
    ///
    /// @param count how many rows, or to which one; [Long#MAX_VALUE] for ALL
    /// @param isMove whether it is MOVE, which gives no rows
    record FetchCursor(
            Name name, FetchDirection direction, long count, boolean isMove, Position position)
            implements Plain {}

    /// Where FETCH goes.
    enum FetchDirection {
        FORWARD,
        BACKWARD,
        ABSOLUTE,
        RELATIVE
    }

    /// `CLOSE name | ALL`.
    ///
    /// @param name null for ALL
    record CloseCursor(@Nullable Name name, Position position) implements Plain {}

    /// `UNLISTEN`, which has nothing to do.
    record Unlisten(Position position) implements Plain {}

    /// `ANALYZE [VERBOSE] [table [(columns)], ..]`, or `VACUUM [ANALYZE] ..`.
    ///
    /// @param isVacuum whether it is VACUUM
    /// @param isAnalyze whether statistics are made
    /// @param targets empty for all tables
    record Analyze(
            boolean isVacuum,
            boolean isAnalyze,
            boolean isVerbose,
            List<AnalyzedTable> targets,
            Position position)
            implements Plain {
        public Analyze {
            targets = List.copyOf(targets);
        }
    }

    /// A table of ANALYZE.
    ///
    /// @param columns empty for all columns
    record AnalyzedTable(Name table, List<Name> columns) {
        public AnalyzedTable {
            columns = List.copyOf(columns);
        }
    }

    /// `BACKUP TO 'directory'`.
    record Backup(String directory, Position position) implements Plain {}

    /// `COPY table [(columns)] | (query) FROM | TO 'file' | STDIN | STDOUT [[WITH] (options)]`.
    ///
    /// @param table null if a query is copied
    /// @param query null if a table is copied
    /// @param isFrom whether rows come in
    /// @param file null for STDIN and STDOUT
    /// @param options names in lower case: format, delimiter, null, header, quote, escape
    record Copy(
            @Nullable Name table,
            List<Name> columns,
            @Nullable Query query,
            boolean isFrom,
            @Nullable String file,
            Map<String, String> options,
            Position position)
            implements Plain {
        public Copy {
            columns = List.copyOf(columns);
            options = Map.copyOf(options);
        }
    }

    /// `EXPLAIN [ANALYZE] [VERBS] statement`, or with the options in parentheses.
    record Explain(boolean isAnalyze, boolean showsVerbs, Statement statement, Position position)
            implements Plain {}
}
