/// Secondary indexes as their users see them: sets of entries, asked by order
/// ([org.namdb.mvcc.index.OrderedIndex]) or by equality ([org.namdb.mvcc.index.EqualityIndex]).
/// Who uses one knows these interfaces only; the B-link tree (`mvcc.tree`) is the provider of the
/// first, the hashed index (`mvcc.hash`) of the second.
///
/// Inserts and look-ups are *posted, then advanced*, as reads of records are: any number of them,
/// in any indexes, share their round trips. What can't be done so, since others are in the way, or
/// since it needs memory, says so, and is done alone afterwards; so nobody waits while something of
/// the same thread is latched.
///
/// Glossary: *entry*, the words of an indexed value and of a primary key; *insertion*, one insert
/// on its way.
///
/// Source: NAM-DB, section 5.2; tree-index paper, section 2.
@NullMarked
package org.namdb.mvcc.index;

import org.jspecify.annotations.NullMarked;
