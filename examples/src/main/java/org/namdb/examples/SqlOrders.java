package org.namdb.examples;

import java.math.BigDecimal;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.language.result.Result;

/// SQL in a database in this process, and results by the names of their columns.
public final class SqlOrders {
    private SqlOrders() {}

    public static void main(String[] arguments) {
        try (SqlDatabase db = SqlDatabase.embedded();
                SqlSession session = db.session()) {
            session.execute(
                            "CREATE TABLE orders (id INT PRIMARY KEY, customer VARCHAR(40), amount DECIMAL(10, 2))")
                    .close();
            String insert = "INSERT INTO orders VALUES (?, ?, ?)";
            session.execute(insert, 1, "Ada", new BigDecimal("250.00")).close();
            session.execute(insert, 2, "Ada", new BigDecimal("99.90")).close();
            session.execute(insert, 3, "Grace", new BigDecimal("1200.00")).close();
            try (Result totals =
                    session.execute(
                            "SELECT customer, sum(amount) AS total FROM orders GROUP BY customer ORDER BY total DESC")) {
                while (totals.next()) {
                    System.out.println(totals.text("customer") + ": " + totals.value("total"));
                }
            }
        }
    }
}
