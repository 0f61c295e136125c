/// A client of a server's stored procedures.
///
/// ```java
/// try (NamClient client = NamClient.connect("postgresql://ada@127.0.0.1:5432/namdb")) {
///     client.submit(Path.of("bank.jar"));
///     BigDecimal left = client.call("transfer", new Order(1, 2, amount), BigDecimal.class);
/// }
/// ```
@NullMarked
package org.namdb.sql.client;

import org.jspecify.annotations.NullMarked;
