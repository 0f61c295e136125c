/// What a run measures: counts, latencies and verbs by kind of transaction, and their course over
/// time.
///
/// Each thread counts for itself and allocates nothing while it does; another thread reads a few of
/// its counters once a second; all are merged at the end.
///
/// Glossary: *measured window*, the part of a run that counts: after the warm-up, until the end of
/// the duration. *Intended start*, when a transaction would have begun had the thread been free;
/// latency that counts from there hides no waiting (no coordinated omission).
@NullMarked
package org.namdb.workload.statistics;

import org.jspecify.annotations.NullMarked;
