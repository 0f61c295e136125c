/// Hash tables of records, and hashed secondary indexes, reached by one-sided verbs.
///
/// A *bucket* is a neighbourhood of a few records whose headers and keys are together at its start
/// (the *directory*). One READ fetches it. Records that don't fit go to *overflow areas*, each as
/// large as everything before it, so that a table that has grown to n times what it was made for
/// needs log n READs.
///
/// The buckets that a table is made with are *roots*. A root can be split into *parts*, buckets
/// that each hold the hashes whose low bits are the part's number; they are in a bucket's *growth
/// word*. Records move only into a bucket that is new, when it is made.
///
/// Source: NAM-DB, section 5.2; SPADE, section 4.1 (neighbourhood size, inlining).
@NullMarked
package org.namdb.mvcc.hash;

import org.jspecify.annotations.NullMarked;
