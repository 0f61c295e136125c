package org.namdb.tpcc.load;

import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.mvcc.schema.Key;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.schema.Stocks;

/// A warehouse's stocks; a number is an item's id.
final class StockRows implements RowLoader {
    private static final int MIN_QUANTITY = 10;
    private static final int MAX_QUANTITY = 100;

    private final Stocks stocks;
    private final Key key;
    private final ColumnText text = new ColumnText();

    StockRows(Stocks stocks) {
        this.stocks = stocks;
        this.key = stocks.table.newKey();
    }

    @Override
    public int insert(Transaction tx, TpccRandom random, LoadPart part, int number) {
        Row stock = tx.insert(stocks.table, key.set(part.warehouse(), number));
        stock.setInt64(stocks.quantity, random.uniform(MIN_QUANTITY, MAX_QUANTITY))
                .setInt64(stocks.ytd, 0)
                .setInt64(stocks.orderCount, 0)
                .setInt64(stocks.remoteCount, 0);
        for (int d = 1; d <= Scale.DISTRICTS; d++) {
            text.alphanumeric(
                    stock,
                    stocks.districtInfo(d),
                    random,
                    Stocks.DISTRICT_INFO_BYTES,
                    Stocks.DISTRICT_INFO_BYTES);
        }
        text.brand(stock, stocks.data, random);
        return 1;
    }
}
