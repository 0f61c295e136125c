package org.namdb.tpcc.load;

import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.mvcc.schema.Key;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.schema.Items;

/// Items; a number is an item's id.
final class ItemRows implements RowLoader {
    private static final int MAX_IMAGE_ID = 10_000;
    private static final int MIN_PRICE_CENTS = 100;
    private static final int MAX_PRICE_CENTS = 10_000;

    private final Items items;
    private final Key key;
    private final ColumnText text = new ColumnText();

    ItemRows(Items items) {
        this.items = items;
        this.key = items.table.newKey();
    }

    @Override
    public int insert(Transaction tx, TpccRandom random, LoadPart part, int number) {
        Row item = tx.insert(items.table, key.set(number));
        item.setInt64(items.imageId, random.uniform(1, MAX_IMAGE_ID));
        text.alphanumeric(item, items.name, random, 14, 24);
        item.setInt64(items.price, random.uniform(MIN_PRICE_CENTS, MAX_PRICE_CENTS));
        text.brand(item, items.data, random);
        return 1;
    }
}
