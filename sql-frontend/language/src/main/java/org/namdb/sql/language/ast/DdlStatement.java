package org.namdb.sql.language.ast;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A statement that makes, changes or drops tables and indexes, sequences ([SequenceStatement]),
/// views ([ViewStatement]), roles ([RoleStatement]), or functions and procedures
/// ([RoutineStatement]), or comments on one of them.
public sealed interface DdlStatement extends Statement
        permits DdlStatement.CreateTable,
                DdlStatement.DropTable,
                DdlStatement.CreateIndex,
                DdlStatement.DropIndex,
                DdlStatement.AlterIndex,
                DdlStatement.AlterTable,
                DdlStatement.Truncate,
                DdlStatement.Comment,
                SequenceStatement,
                ViewStatement,
                RoleStatement,
                RoutineStatement {
    /// `COMMENT ON kind object IS 'text' | NULL`.
    ///
    /// @param object the relation, or the routine; of a column or constraint, its table
    /// @param part the column or constraint; null for other objects
    /// @param text null for none
    record Comment(
            CommentKind kind,
            Name object,
            @Nullable Name part,
            @Nullable String text,
            Position position)
            implements DdlStatement {}

    /// What may have a comment.
    enum CommentKind {
        TABLE,
        INDEX,
        VIEW,
        SEQUENCE,
        COLUMN,
        CONSTRAINT,
        FUNCTION,
        PROCEDURE,
        ROUTINE,
        SCHEMA
    }

    /// What becomes of a temporary table when a transaction commits.
    enum OnCommit {
        PRESERVE_ROWS,
        DELETE_ROWS,
        DROP
    }

    /// `CREATE [TEMP] TABLE [IF NOT EXISTS] name (elements) [WITH (options)] [ON COMMIT ..]`.
    ///
    /// @param temporary null if the table is permanent
    /// @param likes the tables whose columns it gets, too
    /// @param options names in lower case with their values
    record CreateTable(
            Name table,
            boolean ifNotExists,
            @Nullable OnCommit temporary,
            List<ColumnDefinition> columns,
            List<Constraint> constraints,
            List<TableLike> likes,
            Map<String, TableOption> options,
            Position position)
            implements DdlStatement {
        public CreateTable {
            columns = List.copyOf(columns);
            constraints = List.copyOf(constraints);
            likes = List.copyOf(likes);
            options = Map.copyOf(options);
        }
    }

    /// `LIKE table [INCLUDING | EXCLUDING what]..` among the elements of CREATE TABLE.
    ///
    /// @param place how many columns are defined before it
    /// @param including what is copied in addition to the columns
    record TableLike(Name source, int place, Set<LikeOption> including, Position position) {
        public TableLike {
            Set<LikeOption> inOrder = EnumSet.noneOf(LikeOption.class);
            inOrder.addAll(including);
            including = Collections.unmodifiableSet(inOrder);
        }
    }

    /// What LIKE may copy. Compression, statistics and storage are nothing here.
    enum LikeOption {
        COMMENTS,
        COMPRESSION,
        CONSTRAINTS,
        DEFAULTS,
        GENERATED,
        IDENTITY,
        INDEXES,
        STATISTICS,
        STORAGE
    }

    /// The value of an option of CREATE TABLE.
    ///
    /// @param value as text
    /// @param position where the option stands
    record TableOption(String value, Position position) {}

    /// A column of CREATE TABLE or ADD COLUMN; its constraints refer to it alone.
    ///
    /// @param isNotNull whether NOT NULL was written
    /// @param defaultValue null if there is none
    /// @param identity null if it is no identity column
    /// @param generated what its values are made of, `GENERATED ALWAYS AS (expression) STORED`;
    ///     null if it is no generated column
    record ColumnDefinition(
            Name name,
            TypeName type,
            boolean isNotNull,
            @Nullable Expression defaultValue,
            @Nullable Identity identity,
            @Nullable Expression generated,
            List<Constraint> constraints,
            Position position) {
        public ColumnDefinition {
            constraints = List.copyOf(constraints);
        }
    }

    /// `GENERATED ALWAYS | BY DEFAULT AS IDENTITY [(options)]`.
    record Identity(boolean isAlways, List<SequenceStatement.Option> options, Position position) {
        public Identity {
            options = List.copyOf(options);
        }
    }

    /// A constraint, of a table or of a column; one of a column names that column.
    sealed interface Constraint {
        @Nullable Name name();

        Position position();
    }

    /// `PRIMARY KEY (columns)`.
    record PrimaryKey(@Nullable Name name, List<Name> columns, Position position)
            implements Constraint {
        public PrimaryKey {
            columns = List.copyOf(columns);
        }
    }

    /// `UNIQUE (columns)`.
    record Unique(@Nullable Name name, List<Name> columns, Position position)
            implements Constraint {
        public Unique {
            columns = List.copyOf(columns);
        }
    }

    /// `CHECK (condition)`.
    ///
    /// @param text the condition as written
    record Check(@Nullable Name name, Expression condition, String text, Position position)
            implements Constraint {}

    /// `FOREIGN KEY (columns) REFERENCES table [(columns)] [ON DELETE ..] [ON UPDATE ..]`.
    ///
    /// @param referencedColumns empty for the primary key
    record ForeignKey(
            @Nullable Name name,
            List<Name> columns,
            Name referencedTable,
            List<Name> referencedColumns,
            Action onDelete,
            Action onUpdate,
            Position position)
            implements Constraint {
        public ForeignKey {
            columns = List.copyOf(columns);
            referencedColumns = List.copyOf(referencedColumns);
        }

        /// What happens to the referencing rows.
        public enum Action {
            NO_ACTION,
            RESTRICT,
            CASCADE,
            SET_NULL,
            SET_DEFAULT
        }
    }

    /// `DROP TABLE [IF EXISTS] names [CASCADE | RESTRICT]`.
    record DropTable(List<Name> tables, boolean ifExists, boolean isCascade, Position position)
            implements DdlStatement {
        public DropTable {
            tables = List.copyOf(tables);
        }
    }

    /// `CREATE [UNIQUE] INDEX [IF NOT EXISTS] [name] ON table [USING HASH | BTREE] (columns)
    /// [WITH (options)]`.
    ///
    /// @param name null if it is to be chosen
    /// @param method `hash` or `btree`, or as written; null if nothing was
    /// @param options by name
    record CreateIndex(
            @Nullable Name name,
            Name table,
            List<Name> columns,
            boolean isUnique,
            boolean ifNotExists,
            @Nullable Name method,
            Map<String, TableOption> options,
            Position position)
            implements DdlStatement {
        public CreateIndex {
            columns = List.copyOf(columns);
            options = Map.copyOf(options);
        }
    }

    /// `DROP INDEX [IF EXISTS] names [CASCADE | RESTRICT]`.
    record DropIndex(List<Name> indexes, boolean ifExists, Position position)
            implements DdlStatement {
        public DropIndex {
            indexes = List.copyOf(indexes);
        }
    }

    /// `ALTER INDEX [IF EXISTS] index RENAME TO name`.
    record AlterIndex(Name index, boolean ifExists, Name newName, Position position)
            implements DdlStatement {}

    /// `ALTER TABLE [IF EXISTS] table change, ..`.
    record AlterTable(Name table, boolean ifExists, List<Change> changes, Position position)
            implements DdlStatement {
        public AlterTable {
            changes = List.copyOf(changes);
        }

        /// One change.
        public sealed interface Change {
            Position position();
        }

        /// `ADD [COLUMN] [IF NOT EXISTS] definition`.
        public record AddColumn(ColumnDefinition column, boolean ifNotExists, Position position)
                implements Change {}

        /// `DROP [COLUMN] [IF EXISTS] name [CASCADE]`.
        public record DropColumn(
                Name column, boolean ifExists, boolean isCascade, Position position)
                implements Change {}

        /// `RENAME [COLUMN] name TO name`.
        public record RenameColumn(Name column, Name newName, Position position)
                implements Change {}

        /// `RENAME TO name`.
        public record RenameTable(Name newName, Position position) implements Change {}

        /// `RENAME CONSTRAINT name TO name`.
        public record RenameConstraint(Name constraint, Name newName, Position position)
                implements Change {}

        /// `ADD constraint [NOT VALID]`.
        ///
        /// @param isNotValid whether rows that are there already are not checked
        public record AddConstraint(Constraint constraint, boolean isNotValid, Position position)
                implements Change {}

        /// `VALIDATE CONSTRAINT name`.
        public record ValidateConstraint(Name name, Position position) implements Change {}

        /// `DROP CONSTRAINT [IF EXISTS] name [CASCADE]`.
        public record DropConstraint(
                Name name, boolean ifExists, boolean isCascade, Position position)
                implements Change {}

        /// `ALTER [COLUMN] name SET DEFAULT value | DROP DEFAULT`.
        ///
        /// @param value null to drop it
        public record SetDefault(Name column, @Nullable Expression value, Position position)
                implements Change {}

        /// `ALTER [COLUMN] name [SET DATA] TYPE type [USING expression]`.
        ///
        /// @param using null for the column itself
        public record ChangeType(
                Name column, TypeName type, @Nullable Expression using, Position position)
                implements Change {}

        /// `ALTER [COLUMN] name SET | DROP NOT NULL`.
        public record SetNotNull(Name column, boolean isNotNull, Position position)
                implements Change {}

        /// `ALTER [COLUMN] name ADD GENERATED .. AS IDENTITY [(options)]`.
        public record AddIdentity(Name column, Identity identity, Position position)
                implements Change {}

        /// `ALTER [COLUMN] name SET GENERATED ALWAYS | BY DEFAULT`, `SET option` and `RESTART`.
        ///
        /// @param isAlways null if GENERATED was not written
        public record ChangeIdentity(
                Name column,
                @Nullable Boolean isAlways,
                List<SequenceStatement.Option> options,
                Position position)
                implements Change {
            public ChangeIdentity {
                options = List.copyOf(options);
            }
        }

        /// `ALTER [COLUMN] name DROP IDENTITY [IF EXISTS]`.
        public record DropIdentity(Name column, boolean ifExists, Position position)
                implements Change {}

        /// `OWNER TO role`.
        public record ChangeOwner(Name owner, Position position) implements Change {}

        /// `SET (option = value, ..)`.
        public record SetOptions(Map<String, TableOption> options, Position position)
                implements Change {
            public SetOptions {
                options = Map.copyOf(options);
            }
        }
    }

    /// `TRUNCATE [TABLE] names [RESTART | CONTINUE IDENTITY] [CASCADE | RESTRICT]`.
    ///
    /// @param restartsIdentity whether the sequences of the tables' columns start again
    record Truncate(
            List<Name> tables, boolean restartsIdentity, boolean isCascade, Position position)
            implements DdlStatement {
        public Truncate {
            tables = List.copyOf(tables);
        }
    }
}
