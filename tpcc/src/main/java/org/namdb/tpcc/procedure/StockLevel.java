package org.namdb.tpcc.procedure;

import java.util.Arrays;
import org.namdb.compute.StoredProcedure;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.Rows;
import org.namdb.mvcc.schema.Key;
import org.namdb.tpcc.input.StockLevelInput;
import org.namdb.tpcc.schema.TpccSchema;

/// StockLevel (clause 2.8.2): how many items of a district's last 20 orders are low on stock.
public final class StockLevel implements StoredProcedure<StockLevelInput, Integer> {
    private static final int ORDERS = 20;

    private final TpccSchema schema;
    private final Key districtKey;
    private final Key lineKey;
    private final Key stockKey;
    private final Rows[] lines = new Rows[ORDERS];
    private final Rows stocks = new Rows();

    public StockLevel(TpccSchema schema) {
        this.schema = schema;
        this.districtKey = schema.districts.table.newKey();
        this.lineKey = schema.orderLines.table.newKey();
        this.stockKey = schema.stocks.table.newKey();
        Arrays.setAll(lines, i -> new Rows());
    }

    @Override
    public Integer run(Transaction tx, StockLevelInput input) {
        int w = input.warehouse();
        int d = input.district();
        Row district =
                tx.post(
                        schema.districts.table,
                        districtKey.set(w, d),
                        schema.districts.forStockLevel);
        tx.await();
        long next = district.int64(schema.districts.nextOrder);
        long first = Math.max(1, next - ORDERS);
        int orders = (int) (next - first);
        for (int i = 0; i < orders; i++) {
            tx.postNeighbours(
                    schema.orderLines.table,
                    lineKey.set(w, d, first + i),
                    schema.orderLines.forStockLevel,
                    lines[i]);
        }
        tx.await();
        stocks.clear();
        for (int i = 0; i < orders; i++) {
            for (int line = 0; line < lines[i].size(); line++) {
                long item = lines[i].row(line).int64(schema.orderLines.item);
                stocks.addDistinct(
                        tx.post(
                                schema.stocks.table,
                                stockKey.set(w, item),
                                schema.stocks.forStockLevel));
            }
        }
        tx.await();
        int low = 0;
        for (int i = 0; i < stocks.size(); i++) {
            low += stocks.row(i).int64(schema.stocks.quantity) < input.threshold() ? 1 : 0;
        }
        return low;
    }
}
