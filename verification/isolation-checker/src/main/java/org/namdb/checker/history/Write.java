package org.namdb.checker.history;

/// A write, and what others may make of it.
///
/// @param number its number among the writes of the history, from 0 on
/// @param writer the transaction
/// @param key the key
/// @param value the value, which no other write gives to this key
/// @param isFinal whether it is the transaction's last write of the key, and so the version that
///     it commits
public record Write(int number, Transaction writer, long key, long value, boolean isFinal) {}
