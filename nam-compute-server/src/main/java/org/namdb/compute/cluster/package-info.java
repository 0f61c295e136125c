/// A compute server's membership of a cluster of several processes: how it finds the memory
/// servers, how it joins, and how it detects that others are dead.
///
/// Glossary: *holder*, a compute server that has something in memory: a schema lease, a slot, a
/// recovery that it runs, or a schema change.
///
/// Source: NAM-DB, section 6.2 (compute servers watch each other); leases, and which server may
/// recover another, are this project's.
@NullMarked
package org.namdb.compute.cluster;

import org.jspecify.annotations.NullMarked;
