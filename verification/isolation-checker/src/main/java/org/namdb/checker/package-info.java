/// A checker of transaction histories: given the reads, writes and outcome of every transaction,
/// was this snapshot isolation (SI)?
///
/// It is a white-box check: a history has each transaction's snapshot and commit timestamp. So the
/// check takes near-linear time, and finds a wrong mechanism even where no read happened to show
/// it. It shares no code with the database. [IsolationChecker] applies the [Rule]s to a
/// [history][org.namdb.checker.history] and gives a [Verdict].
///
/// **Why the rules imply SI.** SI requires one timeline on which every transaction has a start and
/// every committed one a later commit, such that (a) a transaction reads its own last write, or
/// else the version of the last writer that committed before its start, and (b) no two committed
/// transactions that write the same key overlap: one's commit is before the other's start.
///
/// 1. By `long-fork`, the different snapshots are a chain S1 <= S2 <= ... <= Sm. Make the timeline
///    from it: for k = 1 .. m first the commits that Sk is the first to show, in any order; then
///    the starts of the transactions that use Sk. Last come the commits that no snapshot shows. By
///    `duplicate-timestamp`, it is clear which commit a snapshot shows.
/// 2. What Sk shows is exactly what commits before the starts at k, since Sk shows all that an
///    earlier one shows. By `sees-itself`, a transaction commits after its start. So the timeline
///    is sound, and *shown by the snapshot* is *committed before the start*.
/// 3. By `lost-update` and `version-cycle`, of two writers of a key exactly one's snapshot shows
///    the other: by step 2, that one starts after the other's commit. This is (b), and the versions
///    of a key have the order of their commits.
/// 4. The rules about reads say (a), word for word, with *shown by the snapshot* in place of
///    *committed before the start*.
/// 5. By `session-order`, a session's transactions start in their order, each after its
///    predecessor's commit: strong session SI. By `real-time`, that holds across sessions for
///    whatever ended before the other began: strong SI. `timestamp-order` and `session-overlap` say
///    that the evidence itself is what it claims to be.
///
/// `torn-snapshot` follows from `long-fork` and `sees-itself`: let S show T. T's snapshot doesn't
/// show T, so it isn't larger than S; they can be compared, so S is. It is checked because it
/// explains a fork best.
///
/// Transactions whose outcome is unknown count as committed if their commit timestamp is known and
/// another transaction has seen them, and as failed otherwise; without a timestamp, any transaction
/// may read their values.
///
/// Glossary: *violation*, a place in a history that violates a rule. *Version*, the final write of
/// a key by a committed transaction. *Dependency*, an edge from a transaction to one that must come
/// after it: *wr* (it read what the first wrote), *ww* (it overwrote that), *rw* (it overwrote what
/// the first had read), *so* (it follows in the session), *rt* (it began after the first had
/// ended). A cycle of these is an explanation that needs no knowledge of the database.
///
/// Sources: Adya, Weak Consistency: A Generalized Theory (1999), for G0 to G2 and P4; Daudjee and
/// Salem, Lazy Database Replication with Snapshot Isolation (VLDB 2006), for strong and strong
/// session SI; NAM-DB, section 4, for the vectors.
@NullMarked
package org.namdb.checker;

import org.jspecify.annotations.NullMarked;
