/// Fills a TPC-C database by clause 4.3.
///
/// The population is cut into parts that threads take one after the other, and every part into
/// transactions of some hundred rows. Each transaction has a random stream of its own, so the same
/// seed gives the same rows however many threads there are, and however often one is tried again.
///
/// Glossary: *part*, the piece of work that a thread takes. *Number*, what a part counts by: item
/// ids, customer ids or order ids. *Family*, the rows that belong to one number: an order has its
/// lines, a customer its history.
@NullMarked
package org.namdb.tpcc.load;

import org.jspecify.annotations.NullMarked;
