package org.namdb.mvcc.schema;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// How the columns of a key share its bytes, where they need more than there are: columns of a
/// fixed size take theirs; the text and byte string columns share what is left. One that needs less
/// than an equal share takes what it needs, and the others share what it leaves, equally. So a
/// longer column can be in a key, and only its values must be as short as its share.
///
/// It depends on nothing but the definitions, so that every compute server finds the same shares.
/// Keys that fit as they are stay so.
public final class KeyShares {
    /// The most bytes of a key.
    public static final int MAX_BYTES = KeyLayout.MAX_WORDS * Long.BYTES;

    /// The most bytes of a primary key that was cut: index entries end with the primary key, and
    /// need space for their own columns.
    public static final int MAX_CUT_PRIMARY_KEY_BYTES = MAX_BYTES / 2;

    /// A key that leaves a column less is refused.
    public static final int MIN_SHARE = 16;

    private KeyShares() {}

    /// The layout of a primary key.
    ///
    /// @throws IllegalArgumentException if it does not fit
    public static KeyLayout primaryKey(List<String> names, List<ColumnType> types) {
        boolean fits = bytes(types) <= MAX_BYTES;
        int capacity = fits ? MAX_BYTES : MAX_CUT_PRIMARY_KEY_BYTES;
        return new KeyLayout(names, fitted(names, types, capacity));
    }

    /// The layout of an index's entries: the indexed columns share what the primary key leaves.
    ///
    /// @param nullable whether each of the indexed columns may be NULL
    /// @throws IllegalArgumentException if they do not fit
    public static KeyLayout entry(
            List<String> names,
            List<ColumnType> types,
            List<Boolean> nullable,
            KeyLayout primaryKey) {
        int columns = primaryKey.columns();
        int markers = Collections.frequency(nullable, true);
        int capacity = MAX_BYTES - primaryKey.prefixBytes(columns) - markers;
        List<String> allNames = new ArrayList<>(names);
        List<ColumnType> allTypes = new ArrayList<>(fitted(names, types, capacity));
        List<Boolean> allNullable = new ArrayList<>(nullable);
        for (int i = 0; i < columns; i++) {
            allNames.add(primaryKey.name(i));
            allTypes.add(primaryKey.type(i));
            allNullable.add(false);
        }
        return new KeyLayout(allNames, allTypes, allNullable);
    }

    /// The types of columns that have `capacity` bytes together; those that must be cut have a
    /// shorter length.
    ///
    /// @throws IllegalArgumentException if a column would have less than [#MIN_SHARE] bytes
    public static List<ColumnType> fitted(
            List<String> names, List<ColumnType> types, int capacity) {
        if (bytes(types) <= capacity) {
            return types;
        }
        int share = share(types, capacity);
        if (share < MIN_SHARE) {
            throw new IllegalArgumentException(
                    "the key "
                            + names
                            + " has no space: it takes "
                            + bytes(types)
                            + " bytes, "
                            + Math.max(capacity, 0)
                            + " are left, and a text of it needs at least "
                            + MIN_SHARE);
        }
        return types.stream().map(type -> cut(type, share)).toList();
    }

    /// The most bytes that a column may have; those that want less leave them to the others.
    private static int share(List<ColumnType> types, int capacity) {
        List<Integer> wanted =
                types.stream()
                        .filter(ColumnType::isSized)
                        .map(ColumnType::keyBytes)
                        .sorted()
                        .toList();
        int left = capacity;
        for (ColumnType type : types) {
            left -= type.isSized() ? 0 : type.keyBytes();
        }
        for (int i = 0; i < wanted.size(); i++) {
            int share = Math.floorDiv(left, wanted.size() - i);
            if (wanted.get(i) > share) {
                return share;
            }
            left -= wanted.get(i);
        }
        return 0; // the columns of a fixed size alone are too many
    }

    private static ColumnType cut(ColumnType type, int share) {
        if (!type.isSized() || type.keyBytes() <= share) {
            return type;
        }
        int lengthBytes = type.keyBytes() - type.length();
        return new ColumnType(type.kind(), share - lengthBytes, type.scale());
    }

    private static int bytes(List<ColumnType> types) {
        return types.stream().mapToInt(ColumnType::keyBytes).sum();
    }
}
