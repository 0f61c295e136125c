/// The read set of a transaction: the records that it reads from its snapshot, by key, by index and
/// by scan, with its own changes in them.
///
/// A read shows what the transaction itself has changed. So its changes are kept here, with its
/// savepoints and what it relies on, until its commit takes them as a
/// [write set][org.namdb.compute.commit.WriteSet].
///
/// Glossary: *read set*, the records of a transaction, a [Row] each, kept until it ends; *batch*,
/// *scan* and *cursor*, readers of any number of records, whose rows are not kept; *savepoint*, a
/// moment that changes can be rolled back to; *requirement*, what must hold at the commit beyond
/// the write set. A program gets rows and readers from [org.namdb.compute.Transaction]; the other
/// classes are for the session.
@NullMarked
package org.namdb.compute.read;

import org.jspecify.annotations.NullMarked;
