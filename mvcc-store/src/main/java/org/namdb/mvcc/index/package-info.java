/// Secondary indexes as their users see them: sets of entries, searched by order
/// ([org.namdb.mvcc.index.OrderedIndex]) or by equality ([org.namdb.mvcc.index.EqualityIndex]).
/// Users depend on these interfaces only; the B-link tree (`mvcc.tree`) is the provider of the
/// first, the hashed index (`mvcc.hash`) of the second.
///
/// Inserts and lookups are *posted, then advanced*, as reads of records are: any number of them, in
/// any indexes, share their round trips. An operation that can't, since others are in the way, or
/// since it needs memory, reports that, and is done alone afterwards; so no thread waits while it
/// holds a latch.
///
/// Glossary: *entry*, the words of an indexed value and of a primary key; *insertion*, one insert
/// in progress.
///
/// Source: NAM-DB, section 5.2; tree-index paper, section 2.
@NullMarked
package org.namdb.mvcc.index;

import org.jspecify.annotations.NullMarked;
