package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.tpcc.schema.TpccSchema;

/// The orders that terminals got acknowledged are there.
final class AcknowledgedOrders {
    private static final int ORDERS_PER_READ = 50;

    private AcknowledgedOrders() {}

    /// Each is there, once, and is that customer's.
    ///
    /// @return how many there are
    static int require(NamDb db, Collection<RunningTerminals> terminals) {
        TpccSchema schema = TpccSchema.open(db, TpccTerminals.SCALE);
        List<RunningTerminals.Order> orders =
                terminals.stream().flatMap(each -> each.orders().stream()).toList();
        Set<List<Integer>> keys = new HashSet<>();
        try (Session session = db.session()) {
            for (int from = 0; from < orders.size(); from += ORDERS_PER_READ) {
                List<RunningTerminals.Order> some =
                        orders.subList(from, Math.min(orders.size(), from + ORDERS_PER_READ));
                String missing = session.transact(tx -> missing(tx, schema, some));
                assertThat(missing).isNull();
            }
        }
        for (RunningTerminals.Order order : orders) {
            assertThat(keys.add(List.of(order.warehouse(), order.district(), order.id())))
                    .as("%s is the only one of its number", order)
                    .isTrue();
        }
        return orders.size();
    }

    private static @Nullable String missing(
            Transaction tx, TpccSchema schema, List<RunningTerminals.Order> orders) {
        var table = schema.orders.table;
        List<Row> rows = new ArrayList<>();
        for (RunningTerminals.Order each : orders) {
            rows.add(
                    tx.post(
                            table,
                            table.newKey().set(each.warehouse(), each.district(), each.id()),
                            table.schema().all()));
        }
        tx.await();
        for (int i = 0; i < rows.size(); i++) {
            if (!rows.get(i).exists()
                    || rows.get(i).int64(schema.orders.customer) != orders.get(i).customer()) {
                return orders.get(i) + " is not there";
            }
        }
        return null;
    }
}
