package org.namdb.simulation;

/// What became of the leases of a run.
///
/// @param ended how many leases ended though they were not given up
/// @param fenced how many compute servers others have fenced
/// @param longestNanos how long it took at the most until nothing was held any more under a lease
///     that had ended
public record LeaseTally(int ended, int fenced, long longestNanos) {}
