/// Histories of transactions: what was attempted, what was read and written, and how it ended.
///
/// A history comes from a file ([HistoryReader]) or straight from a program ([HistoryBuilder]).
/// Either way it has been checked for what can't be evidence at all (a transaction given twice, a
/// value written twice), so that the rules may rely on it.
///
/// Glossary: *session*, a client that runs one transaction after another. *Commit timestamp*, the
/// pair of slot and timestamp `<i, t>` that a committed transaction owns. *Snapshot*, a vector with
/// one timestamp for each slot; it *shows* `<i, t>` if its element i is at least t. *Final write*,
/// a transaction's last write of a key: the only one that others may ever read. *Unknown outcome*,
/// a transaction whose client never learned whether it had committed.
@NullMarked
package org.namdb.checker.history;

import org.jspecify.annotations.NullMarked;
