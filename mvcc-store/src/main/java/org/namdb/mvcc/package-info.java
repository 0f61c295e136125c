/// Multi-version records in remote memory: what is in the bytes, and what compute servers do with
/// them by one-sided verbs. Each kind of thing has a package; here is what they share, above all
/// where memory comes from ([RemoteAllocator], [LocalAllocator]).
///
/// From the inside out: `schema`, what a table is, and `catalog`, how that is written down;
/// `record`, one record with its versions; `owner`, who holds what; `index`, what a secondary index
/// can do; `hash`, tables of records, and `tree`, the B-link tree; `gc`, what takes old versions
/// away, and `cleanup`, what the dead have held.
@NullMarked
package org.namdb.mvcc;

import org.jspecify.annotations.NullMarked;
