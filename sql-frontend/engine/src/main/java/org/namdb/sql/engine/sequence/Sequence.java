package org.namdb.sql.engine.sequence;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.language.type.SqlType;

/// A sequence as it is defined; immutable, of one version of the schema.
///
/// @param id another sequence of the name has another one
/// @param storage the key of its row; a change of the sequence gives it another row, so that no
///     compute server uses what it has reserved of the old one
/// @param type SMALLINT, INTEGER or BIGINT
/// @param start its first value, and that of RESTART
/// @param cache how many values are reserved at least at a time
/// @param owner the column whose table it is dropped with; null if there is none
public record Sequence(
        String name,
        long id,
        long storage,
        SqlType type,
        long increment,
        long min,
        long max,
        long start,
        long cache,
        boolean isCycle,
        @Nullable Owner owner,
        Ownership ownership) {
    /// A column of a table.
    ///
    /// @param isIdentity whether it is the sequence of an identity column, which is not dropped
    ///     without it
    public record Owner(String table, String column, boolean isIdentity) {}

    /// The same with another row.
    public Sequence withStorage(long newStorage) {
        return new Sequence(
                name,
                id,
                newStorage,
                type,
                increment,
                min,
                max,
                start,
                cache,
                isCycle,
                owner,
                ownership);
    }

    /// The same under another name.
    public Sequence named(String newName) {
        return new Sequence(
                newName, id, storage, type, increment, min, max, start, cache, isCycle, owner,
                ownership);
    }

    /// The same of another column.
    public Sequence ownedBy(@Nullable Owner newOwner) {
        return new Sequence(
                name, id, storage, type, increment, min, max, start, cache, isCycle, newOwner,
                ownership);
    }

    /// The same with another owner or other privileges.
    public Sequence with(Ownership newOwnership) {
        return new Sequence(
                name,
                id,
                storage,
                type,
                increment,
                min,
                max,
                start,
                cache,
                isCycle,
                owner,
                newOwnership);
    }
}
