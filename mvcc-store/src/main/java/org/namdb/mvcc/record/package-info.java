/// A record's bytes: the header that is validated and locked by one compare-and-swap, the body, and
/// its old versions.
///
/// Glossary: *current version*, the one in place; *old-version buffer*, the ring that a record gets
/// with its first update; *overflow region*, where versions go that do not fit into the ring.
/// Source: NAM-DB, section 5.1.
@NullMarked
package org.namdb.mvcc.record;

import org.jspecify.annotations.NullMarked;
