package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.tpcc.schema.TpccSchema;

/// What some terminals got acknowledged.
final class Acknowledged {
    private static final int ROWS_PER_READ = 50;

    /// Where an order or a customer is.
    private record Place(int warehouse, int district, int number) {}

    private record Order(Place place, int customer) {}

    private final Queue<Order> orders = new ConcurrentLinkedQueue<>();
    private final Queue<Place> payers = new ConcurrentLinkedQueue<>();
    private final Queue<Place> delivered = new ConcurrentLinkedQueue<>();

    /// Takes what terminals say of a transaction.
    ///
    /// @return whether it is of a transaction
    boolean take(List<String> words) {
        switch (words.getFirst()) {
            case "order" -> orders.add(new Order(place(words), Integer.parseInt(words.get(4))));
            case "payment" -> payers.add(place(words));
            case "delivery" -> delivered.add(place(words));
            default -> {
                return false;
            }
        }
        return true;
    }

    private static Place place(List<String> words) {
        return new Place(
                Integer.parseInt(words.get(1)),
                Integer.parseInt(words.get(2)),
                Integer.parseInt(words.get(3)));
    }

    /// What has been acknowledged until now.
    Acknowledged copy() {
        Acknowledged copy = new Acknowledged();
        copy.orders.addAll(orders);
        copy.payers.addAll(payers);
        copy.delivered.addAll(delivered);
        return copy;
    }

    int orders() {
        return orders.size();
    }

    int payments() {
        return payers.size();
    }

    /// Each order is there, once, and is that customer's; those that were delivered have a carrier;
    /// each customer has made his payments.
    ///
    /// @return how many orders there are
    static int require(NamDb db, Collection<Acknowledged> all) {
        TpccSchema schema = TpccSchema.open(db, TpccTerminals.SCALE);
        List<Order> orders = all.stream().flatMap(each -> each.orders.stream()).toList();
        require(
                db,
                schema.orders.table,
                orders,
                Order::place,
                (row, order) -> row.int64(schema.orders.customer) == order.customer);
        Set<Place> places = new HashSet<>();
        for (Order order : orders) {
            assertThat(places.add(order.place))
                    .as("%s is the only one of its number", order)
                    .isTrue();
        }
        require(
                db,
                schema.orders.table,
                all.stream().flatMap(each -> each.delivered.stream()).toList(),
                order -> order,
                (row, _) -> !row.isNull(schema.orders.carrier));
        Map<Place, Integer> payments = new HashMap<>();
        all.forEach(each -> each.payers.forEach(payer -> payments.merge(payer, 1, Integer::sum)));
        require(
                db,
                schema.customers.table,
                List.copyOf(payments.entrySet()),
                Map.Entry::getKey,
                (row, payer) -> row.int64(schema.customers.paymentCount) > payer.getValue());
        return orders.size();
    }

    private static <T> void require(
            NamDb db,
            Table table,
            List<T> expected,
            Function<T, Place> place,
            BiPredicate<Row, T> isThere) {
        try (Session session = db.session()) {
            for (int from = 0; from < expected.size(); from += ROWS_PER_READ) {
                List<T> some =
                        expected.subList(from, Math.min(expected.size(), from + ROWS_PER_READ));
                List<T> lost =
                        session.transact(tx -> {
                            List<Row> rows =
                                    some.stream()
                                            .map(each -> post(tx, table, place.apply(each)))
                                            .toList();
                            tx.await();
                            return IntStream.range(0, some.size())
                                    .filter(i ->
                                            !rows.get(i).exists()
                                                    || !isThere.test(rows.get(i), some.get(i)))
                                    .mapToObj(some::get)
                                    .toList();
                        });
                assertThat(lost).as("what is not in " + table.name()).isEmpty();
            }
        }
    }

    private static Row post(Transaction tx, Table table, Place place) {
        return tx.post(
                table,
                table.newKey().set(place.warehouse, place.district, place.number),
                table.schema().all());
    }
}
