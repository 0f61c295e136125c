package org.namdb.compute.schema;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.coarse.CoarseIndex;
import org.namdb.mvcc.coarse.Partitions;
import org.namdb.mvcc.hash.DueSplits;
import org.namdb.mvcc.hash.HashIndex;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.index.EqualityIndex;
import org.namdb.mvcc.index.IndexContext;
import org.namdb.mvcc.index.OrderedIndex;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.mvcc.schema.KeyShares;
import org.namdb.mvcc.schema.KeyTooLongException;
import org.namdb.mvcc.schema.Payload;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.schema.RangeBounds;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.tree.BLinkTree;
import org.namdb.mvcc.tree.TreeClient;

/// A secondary index of a table; shared by all sessions. An entry is the indexed columns followed
/// by the primary key; or the primary key alone, where that starts with the indexed columns. Text
/// has its share of an entry (see [KeyShares]); a row with a longer one is refused.
public final class Index {
    /// What a hybrid index's separators have behind an entry: a leaf's address.
    private static final int SEPARATOR_WORDS = 1;

    private final IndexDefinition definition;
    private final int number;
    private final RecordSchema schema;
    private final KeyLayout layout;
    private final Column[] columns;

    /// How many columns an entry has before the primary key.
    private final int extraColumns;

    private final long columnMask;
    private final @Nullable HashTable hash;
    private final List<BLinkTree> trees;

    /// What memory servers' workers search: all entries of a coarse index, the separators of a
    /// hybrid one; null of others.
    private final @Nullable Partitions requested;

    /// Whether these are separators.
    private final boolean isHybrid;

    /// Whether all rows are in it, and not only those that were written since it was made.
    private volatile boolean filled;

    /// Set while no transaction runs, so that all that begin later see it.
    private boolean dropped;

    Index(
            IndexDefinition definition,
            int number,
            RecordSchema schema,
            @Nullable HashTable hash,
            List<BLinkTree> trees) {
        this.definition = definition;
        this.number = number;
        this.schema = schema;
        this.layout = layout(definition, schema);
        this.columns = definition.columns().stream().map(schema::column).toArray(Column[]::new);
        this.extraColumns = isKeyPrefix(definition, schema) ? 0 : columns.length;
        this.columnMask = Arrays.stream(columns).mapToLong(Column::mask).reduce(0, (a, b) -> a | b);
        this.hash = hash;
        this.trees = List.copyOf(trees);
        this.isHybrid = definition.distribution().equals(IndexDefinition.HYBRID);
        List<BLinkTree> byRequest = requestedTrees(definition, trees);
        this.requested = byRequest.isEmpty() ? null : partitions(definition, byRequest, layout);
    }

    private static Partitions partitions(
            IndexDefinition definition, List<BLinkTree> trees, KeyLayout layout) {
        RangeBounds bounds = bounds(definition, trees.size(), layout);
        return bounds == null
                ? Partitions.byHash(trees)
                : Partitions.byRange(trees, bounds.least(), bounds.shares());
    }

    /// Where the ranges begin into which an index is divided, which has a part on each of so many
    /// memory servers; null if it is not divided by ranges.
    static @Nullable RangeBounds bounds(IndexDefinition definition, int parts, KeyLayout layout) {
        boolean isHybrid = definition.distribution().equals(IndexDefinition.HYBRID);
        return RangeBounds.of(definition, parts, layout.words(), isHybrid ? SEPARATOR_WORDS : 0);
    }

    /// Whether an index of a table is to be divided by ranges, and has no bounds for as many as
    /// there are memory servers.
    public static boolean lacksBounds(IndexDefinition definition, Table table) {
        int parts = table.records().ranges();
        return definition.isByRange()
                && parts > 1
                && bounds(definition, parts, layout(definition, table.schema())) == null;
    }

    /// An index without memory of its own, to encode the entries that it would have.
    public static Index unplaced(IndexDefinition definition, Table table) {
        IndexDefinition plain =
                new IndexDefinition(
                        definition.name(),
                        definition.table(),
                        definition.columns(),
                        definition.kind());
        return new Index(plain, -1, table.schema(), null, List.of());
    }

    private static List<BLinkTree> requestedTrees(
            IndexDefinition definition, List<BLinkTree> trees) {
        return switch (definition.distribution()) {
            case IndexDefinition.COARSE -> trees;
            case IndexDefinition.HYBRID -> trees.subList(1, trees.size());
            default -> List.of();
        };
    }

    /// The layout of an index's entries.
    ///
    /// @throws IllegalArgumentException if the indexed columns don't fit
    static KeyLayout layout(IndexDefinition definition, RecordSchema schema) {
        List<String> names = new ArrayList<>();
        List<ColumnType> types = new ArrayList<>();
        List<Boolean> nullable = new ArrayList<>();
        boolean keyOnly = isKeyPrefix(definition, schema);
        for (String name : definition.columns()) {
            Column column = schema.column(name);
            if (!keyOnly) {
                names.add(name);
                types.add(column.type());
                nullable.add(column.nullable());
            }
        }
        return KeyShares.entry(names, types, nullable, schema.key());
    }

    private static boolean isKeyPrefix(IndexDefinition definition, RecordSchema schema) {
        boolean prefix = definition.columns().size() <= schema.key().columns();
        for (int i = 0; prefix && i < definition.columns().size(); i++) {
            prefix = schema.key().name(i).equals(definition.columns().get(i));
        }
        return prefix;
    }

    public String name() {
        return definition.name();
    }

    public IndexDefinition definition() {
        return definition;
    }

    /// A new, empty key: set indexed columns to look them up, with fewer for a range that starts
    /// with them. NULL is found as a value is, and sorts behind all of them.
    public Key newKey() {
        return new Key(layout);
    }

    /// The index's number in the catalog.
    public int number() {
        return number;
    }

    public boolean isFilled() {
        return filled || PlantedFault.UNFILLED_INDEX_USED.isPlanted();
    }

    void setFilled() {
        filled = true;
    }

    void drop() {
        dropped = true;
    }

    public boolean isDropped() {
        return dropped;
    }

    /// Refuses a dropped index.
    ///
    /// @throws IllegalStateException if the index was dropped
    public void requireUsable() {
        if (dropped) {
            throw new IllegalStateException("index " + name() + " was dropped");
        }
    }

    /// The indexed columns, as a set of [Column#mask].
    public long columnMask() {
        return columnMask;
    }

    public int columns() {
        return columns.length;
    }

    public KeyLayout layout() {
        return layout;
    }

    /// Lowers the maximum of bytes that values of each column may have to what fits into an entry.
    ///
    /// @param maxBytes by the columns' numbers
    void limit(int[] maxBytes) {
        for (int i = 0; i < extraColumns; i++) {
            int number = columns[i].index();
            int most = layout.type(i).length();
            if (most < columns[i].type().length()) {
                maxBytes[number] = Math.min(maxBytes[number], most);
            }
        }
    }

    /// Refuses a value that is too long for an entry.
    ///
    /// @throws KeyTooLongException if it is
    public void requireFits(Column column, int bytes) {
        for (int i = 0; i < extraColumns; i++) {
            if (columns[i].index() == column.index() && bytes > layout.type(i).length()) {
                throw new KeyTooLongException(
                        name(), column.name(), bytes, layout.type(i).length());
            }
        }
    }

    /// Refuses a record that has no entry as a value is too long.
    ///
    /// @throws KeyTooLongException if it has none
    public void requireFits(long[] key, long payload, byte[] scratch) {
        for (int i = 0; i < extraColumns; i++) {
            Column column = columns[i];
            if (column.type().isSized() && (column.inKey() || !Payload.isNull(column, payload))) {
                requireFits(
                        column,
                        column.inKey()
                                ? schema.key().decode(key, column.keyIndex(), scratch)
                                : Payload.length(column, payload));
            }
        }
    }

    /// Whether it is searched by ranges; else by equality alone.
    public boolean isOrdered() {
        return definition.kind() == IndexDefinition.Kind.ORDERED;
    }

    /// A thread's access to the entries of an ordered index.
    public OrderedIndex openOrdered(IndexContext context) {
        if (trees.isEmpty()) {
            throw new IllegalStateException("index " + name() + " is not ordered");
        }
        QueuePair queuePair = context.queuePair();
        RemoteAllocator allocator = context.allocator();
        LatchOwner owner = context.owner();
        Partitions byRequest = requested;
        if (byRequest == null) {
            return new TreeClient(queuePair, allocator, trees.getFirst(), owner);
        }
        if (!isHybrid) {
            return new CoarseIndex(queuePair, allocator, byRequest, owner);
        }
        // A separator is added when its leaf is split already, and nothing can be taken back.
        OrderedIndex separators =
                new CoarseIndex(queuePair, allocator, byRequest, owner.uncancellable());
        return new TreeClient(queuePair, allocator, trees.getFirst(), owner, separators);
    }

    /// A thread's access to the entries of a hashed index.
    ///
    /// @param splits gets the buckets that inserts have filled
    /// @param nothing a projection of the table on no column
    public EqualityIndex openEquality(IndexContext context, DueSplits splits, Projection nothing) {
        HashTable entries = Objects.requireNonNull(hash, "not a hashed index");
        return new HashIndex(entries, context, splits, nothing);
    }

    /// Where the entries of a hashed index are; null of an ordered one.
    public @Nullable HashTable hash() {
        return hash;
    }

    /// The trees of an ordered index: one; or one on each of its memory servers, if it is coarse;
    /// or that of the leaves and that of their separators, if it is hybrid. None of a hashed one.
    public List<BLinkTree> trees() {
        return trees;
    }

    /// Those of the trees that memory servers' workers know.
    List<BLinkTree> requestedTrees() {
        return requestedTrees(definition, trees);
    }

    /// How many bytes of scratch memory [#encode] needs for a column.
    public int scratchBytes() {
        int most = 0;
        for (Column column : columns) {
            most = Math.max(most, column.type().length());
        }
        return most;
    }

    /// Writes the entry for a record.
    ///
    /// @param entry gets the entry's words
    /// @param key the record's key
    /// @param image native address of its payload
    /// @param changes native address of a payload whose `changed` columns are newer
    /// @param scratch [#scratchBytes] bytes of scratch memory
    /// @return whether there is one: not for a value that is longer than an entry can hold, which
    ///     only records of before the index have
    public boolean encode(
            long[] entry, long[] key, long image, long changes, long changed, byte[] scratch) {
        if (extraColumns == 0) {
            System.arraycopy(key, 0, entry, 0, layout.words());
            return true;
        }
        Arrays.fill(entry, 0, layout.words(), 0);
        boolean fits = true;
        for (int i = 0; fits && i < extraColumns; i++) {
            Column column = columns[i];
            if (column.inKey()) {
                fits = encodeKeyColumn(entry, i, column, key, scratch);
            } else {
                boolean isNewer = (changed & column.mask()) != 0;
                fits = encodeColumn(entry, i, column, isNewer ? changes : image, scratch);
            }
        }
        for (int i = 0; i < schema.key().columns(); i++) {
            layout.copy(entry, extraColumns + i, schema.key(), key, i);
        }
        return fits;
    }

    private boolean encodeKeyColumn(
            long[] entry, int place, Column column, long[] key, byte[] scratch) {
        if (layout.type(place).equals(column.type())) {
            layout.copy(entry, place, schema.key(), key, column.keyIndex());
            return true;
        }
        return encodeText(
                entry, place, scratch, schema.key().decode(key, column.keyIndex(), scratch));
    }

    private boolean encodeText(long[] entry, int place, byte[] text, int length) {
        boolean fits = length <= layout.type(place).length();
        if (fits) {
            layout.encode(entry, place, text, 0, length);
        }
        return fits;
    }

    private boolean encodeColumn(
            long[] entry, int place, Column column, long payload, byte[] scratch) {
        if (Payload.isNull(column, payload)) {
            layout.encodeNull(entry, place);
        } else if (column.type().isSized()) {
            int length = Payload.copyBytes(column, payload, scratch, 0);
            return encodeText(entry, place, scratch, length);
        } else if (column.type().isFloating()) {
            layout.encode(entry, place, Payload.float64(column, payload));
        } else if (column.type().isIntegral()) {
            layout.encode(entry, place, Payload.integral(column, payload));
        } else {
            layout.encodeUuid(
                    entry,
                    place,
                    Payload.uuidHigh(column, payload),
                    Payload.uuidLow(column, payload));
        }
        return true;
    }

    /// Writes the primary key that an entry ends with.
    public void primaryKey(long[] entry, long[] key) {
        if (extraColumns == 0) {
            System.arraycopy(entry, 0, key, 0, layout.words());
            return;
        }
        Arrays.fill(key, 0, schema.key().words(), 0);
        for (int i = 0; i < schema.key().columns(); i++) {
            schema.key().copy(key, i, layout, entry, extraColumns + i);
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
