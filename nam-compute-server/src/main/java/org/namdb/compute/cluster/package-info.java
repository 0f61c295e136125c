/// A compute server's place in a cluster of several processes: how it finds the memory servers, as
/// whom it joins, and how it finds out that others are dead.
///
/// Glossary: *holder*, a compute server that memory says something of: it has a lease of the
/// schema, a slot, or the clean-up, or it defines.
///
/// Source: NAM-DB, section 6.2 (compute servers watch each other); leases, and who may look after
/// whom, are this project's.
@NullMarked
package org.namdb.compute.cluster;

import org.jspecify.annotations.NullMarked;
