/// The commit: a write set is locked, prepared, given to the journal, installed and published. It
/// does not depend on sessions, rows or transactions: what is to be written is a value
/// ([org.namdb.compute.commit.WriteSet], and as bytes [org.namdb.compute.commit.CommitImage]), and
/// what a commit needs of its session is handed to it ([org.namdb.compute.commit.CommitContext],
/// [org.namdb.compute.commit.ReadSnapshot], [org.namdb.compute.commit.IndexWriters],
/// [org.namdb.compute.commit.CommitJournal]).
///
/// Glossary: *write set*, what a transaction is going to change; *required read*, what must still
/// hold as it was read when the transaction commits; *install*, to write the new versions where
/// readers find them; *publish*, to write the timestamp slot, which makes them visible; *image*,
/// the bytes of a write set with its commit timestamp.
///
/// Source: NAM-DB, sections 3.1 and 4.1.
@NullMarked
package org.namdb.compute.commit;

import org.jspecify.annotations.NullMarked;
