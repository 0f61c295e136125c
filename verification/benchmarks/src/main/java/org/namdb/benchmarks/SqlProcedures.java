package org.namdb.benchmarks;

import java.math.BigDecimal;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.sql.engine.PreparedStatement;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.engine.procedure.Procedure;
import org.namdb.sql.engine.procedure.ProcedureContext;
import org.namdb.sql.language.result.Result;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// The same stored procedures in Java and in PL/pgSQL, called by prepared statements: a transfer of
/// two updates; an order of ten lines, each of which reads an item, changes its stock and writes a
/// row; and a loop without SQL.
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow"
        })
public class SqlProcedures {
    private static final int ITEMS = 10_000;
    private static final int LINES = 10;
    private static final int ACCOUNTS = 1_000;
    private static final int ORDERS = 1_000;

    private static final String SCHEMA =
            """
            CREATE TABLE account (id INT PRIMARY KEY, balance DECIMAL(12, 2) NOT NULL);
            INSERT INTO account SELECT i, 1000000 FROM generate_series(1, 1000) AS s (i);
            CREATE TABLE item (id INT PRIMARY KEY, price DECIMAL(8, 2) NOT NULL, quantity INT NOT NULL);
            INSERT INTO item SELECT i, 1.25, 50 FROM generate_series(1, 10000) AS s (i);
            CREATE TABLE line (order_id BIGINT, number INT, item INT, amount DECIMAL(8, 2), PRIMARY KEY (order_id, number));

            CREATE PROCEDURE transfer(source INT, target INT, amount NUMERIC, OUT remaining NUMERIC) LANGUAGE plpgsql AS $$
            BEGIN
                UPDATE account SET balance = balance + amount WHERE id = target;
                UPDATE account SET balance = balance - amount WHERE id = source RETURNING balance INTO remaining;
                IF NOT FOUND THEN
                    RAISE EXCEPTION 'no account %', source;
                END IF;
            END $$;

            CREATE PROCEDURE new_order(order_id BIGINT, first INT, OUT total NUMERIC) LANGUAGE plpgsql AS $$
            DECLARE
                wanted INT;
                cost NUMERIC;
                stock INT;
            BEGIN
                total := 0;
                FOR number IN 1..10 LOOP
                    wanted := (first + number * 7919) % 10000 + 1;
                    SELECT price, quantity INTO STRICT cost, stock FROM item WHERE id = wanted;
                    IF stock < 10 THEN
                        stock := stock + 91;
                    END IF;
                    UPDATE item SET quantity = stock - 1 WHERE id = wanted;
                    INSERT INTO line VALUES (order_id, number, wanted, cost)
                        ON CONFLICT (order_id, number) DO UPDATE SET item = excluded.item, amount = excluded.amount;
                    total := total + cost;
                END LOOP;
            END $$;

            CREATE PROCEDURE collatz(start BIGINT, OUT steps INT) LANGUAGE plpgsql AS $$
            DECLARE
                n BIGINT := start;
            BEGIN
                steps := 0;
                WHILE n <> 1 LOOP
                    IF n % 2 = 0 THEN
                        n := n / 2;
                    ELSE
                        n := 3 * n + 1;
                    END IF;
                    steps := steps + 1;
                END LOOP;
            END $$;
            """;

    /// A transfer.
    public record Transfer(int source, int target, BigDecimal amount) {}

    /// An order.
    public record Order(long orderId, int first) {}

    private static final class JavaTransfer implements Procedure<Transfer, BigDecimal> {
        @Override
        public BigDecimal run(ProcedureContext context, Transfer in) {
            context.execute(
                            "UPDATE account SET balance = balance + ? WHERE id = ?",
                            in.amount,
                            in.target)
                    .close();
            try (Result row =
                    context.execute(
                            "UPDATE account SET balance = balance - ? WHERE id = ? RETURNING balance",
                            in.amount,
                            in.source)) {
                if (!row.next()) {
                    throw new IllegalArgumentException("no account " + in.source);
                }
                return (BigDecimal) Objects.requireNonNull(row.value(0));
            }
        }
    }

    private static final class JavaOrder implements Procedure<Order, BigDecimal> {
        @Override
        public BigDecimal run(ProcedureContext context, Order in) {
            BigDecimal total = BigDecimal.ZERO;
            for (int number = 1; number <= LINES; number++) {
                int wanted = (in.first + number * 7919) % ITEMS + 1;
                BigDecimal cost;
                long stock;
                try (Result item =
                        context.execute("SELECT price, quantity FROM item WHERE id = ?", wanted)) {
                    if (!item.next()) {
                        throw new IllegalArgumentException("no item " + wanted);
                    }
                    cost = (BigDecimal) Objects.requireNonNull(item.value(0));
                    stock = item.int64(1);
                }
                if (stock < 10) {
                    stock += 91;
                }
                context.execute("UPDATE item SET quantity = ? WHERE id = ?", stock - 1, wanted)
                        .close();
                context.execute(
                                "INSERT INTO line VALUES (?, ?, ?, ?) ON CONFLICT (order_id, number)"
                                        + " DO UPDATE SET item = excluded.item, amount = excluded.amount",
                                in.orderId,
                                number,
                                wanted,
                                cost)
                        .close();
                total = total.add(cost);
            }
            return total;
        }
    }

    /// The database, and the prepared calls.
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else
    public static class Calls {
        private SqlDatabase database;
        private SqlSession session;
        private PreparedStatement transfer;
        private PreparedStatement javaTransfer;
        private PreparedStatement order;
        private PreparedStatement javaOrder;
        private PreparedStatement collatz;
        private int count;

        /// Makes the tables and procedures.
        @Setup(Level.Trial)
        public void open() {
            database = SqlDatabase.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(256L << 20));
            session = database.session();
            session.run(SCHEMA, _ -> {});
            database.procedures()
                    .register(
                            "java_transfer", Transfer.class, BigDecimal.class, new JavaTransfer());
            database.procedures()
                    .register("java_order", Order.class, BigDecimal.class, new JavaOrder());
            transfer = session.prepare("CALL transfer($1, $2, $3, NULL)");
            javaTransfer = session.prepare("CALL java_transfer($1, $2, $3)");
            order = session.prepare("CALL new_order($1, $2, NULL)");
            javaOrder = session.prepare("CALL java_order($1, $2)");
            collatz = session.prepare("CALL collatz($1, NULL)");
        }

        /// Frees the memory.
        @TearDown(Level.Trial)
        public void close() {
            session.close();
            database.close();
        }

        private Object transfer(PreparedStatement call) {
            count++;
            return only(
                    call.execute(
                            count % ACCOUNTS + 1, (count + 500) % ACCOUNTS + 1, BigDecimal.ONE));
        }

        private Object order(PreparedStatement call) {
            count++;
            return only(call.execute((long) count % ORDERS, count % ITEMS));
        }

        private static Object only(Result result) {
            try (result) {
                return result.next() ? String.valueOf(result.value(0)) : "";
            }
        }
    }

    @Benchmark
    public Object transferInJava(Calls calls) {
        return calls.transfer(calls.javaTransfer);
    }

    @Benchmark
    public Object transferInPlpgsql(Calls calls) {
        return calls.transfer(calls.transfer);
    }

    @Benchmark
    public Object orderInJava(Calls calls) {
        return calls.order(calls.javaOrder);
    }

    @Benchmark
    public Object orderInPlpgsql(Calls calls) {
        return calls.order(calls.order);
    }

    /// 351 turns.
    @Benchmark
    public Object loopInPlpgsql(Calls calls) {
        return Calls.only(calls.collatz.execute(77_031L));
    }
}
