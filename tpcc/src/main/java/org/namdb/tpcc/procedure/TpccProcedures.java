package org.namdb.tpcc.procedure;

import java.util.function.Function;
import org.namdb.compute.NamDb;
import org.namdb.compute.StoredProcedure;
import org.namdb.tpcc.schema.TpccSchema;

/// Registers the five transactions by name, for programs that submit them:
/// `db.call("new_order", input)`.
public final class TpccProcedures {
    private TpccProcedures() {}

    /// Registers `new_order`, `payment`, `order_status`, `delivery` and `stock_level`. Each
    /// execution thread gets objects of its own. A result is valid until the same thread runs the
    /// procedure again.
    public static void register(NamDb db, TpccSchema schema) {
        db.register("new_order", perThread(schema, NewOrder::new));
        db.register("payment", perThread(schema, Payment::new));
        db.register("order_status", perThread(schema, OrderStatus::new));
        db.register("delivery", perThread(schema, Delivery::new));
        db.register("stock_level", perThread(schema, StockLevel::new));
    }

    private static <A, R> StoredProcedure<A, R> perThread(
            TpccSchema schema, Function<TpccSchema, StoredProcedure<A, R>> maker) {
        ThreadLocal<StoredProcedure<A, R>> procedures =
                ThreadLocal.withInitial(() -> maker.apply(schema));
        return (transaction, arguments) -> procedures.get().run(transaction, arguments);
    }
}
