/// For those who doubt the database: workloads whose every transaction is recorded and checked, on
/// real memory or on a whole cluster in virtual time, with faults.
///
/// - *register workload*: transactions that read and write numbers under keys; each value is
///   written once, so a value that is read identifies its transaction. Its history goes to the
///   checker or to a file.
/// - *token workload*: rows that wander through tables and indexes and keep their sum; transactions
///   that audit them in every way there is.
/// - *simulation options*: a cluster, its workload and its faults. A seed determines all of them.
/// - *verdict*: what a simulated cluster did wrong, if anything.
@NullMarked
package org.namdb.simulation;

import org.jspecify.annotations.NullMarked;
