/// The journal of a database on a disk: commits and schema changes, in their order, written before
/// they are acknowledged.
///
/// Glossary: *entry*, the image of a commit, a schema change, or a mark; *block*, what is written
/// at a time: a piece of the entries, one after another, with a checksum; *segment*, a file of
/// blocks, all of the same length, which is on the disk before it is used; *position*, where a
/// block is in the journal, in bytes from the beginning of its first segment on; *generation*, what
/// one process has written, from its start to its end; *durable*, there after a crash.
///
/// Source: the group commit of Silo (Tu et al., SOSP 2013, section 4.10), with one journal in place
/// of one for each core. NAM-DB, section 6.2, has journals too.
@NullMarked
package org.namdb.compute.journal;

import org.jspecify.annotations.NullMarked;
