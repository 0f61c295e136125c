/// Multi-version records in remote memory: what is in the bytes, and what compute servers do with
/// them by one-sided verbs. Each kind of thing has a package; here is what they share, above all
/// where memory comes from ([RemoteAllocator], [LocalAllocator]).
///
/// From the inside out: `schema`, what a table is, and `catalog`, how that is written down;
/// `record`, one record with its versions; `owner`, latch owners and intents; `index`, the
/// interfaces of secondary indexes; `hash`, tables of records, and `tree`, the B-link tree; `gc`,
/// garbage collection, and `recovery`, recovery of dead sessions.
@NullMarked
package org.namdb.mvcc;

import org.jspecify.annotations.NullMarked;
