/// `shm` with everything that RDMA hardware may do to a READ or a WRITE, so that what is not
/// validated is found out.
///
/// Only aligned 8-byte words are whole. A READ always lands, its cache lines (or words) fetched one
/// by one in random order, with pauses in which others write; a WRITE is laid down likewise. A verb
/// takes effect at any time between its post and the await: in issue order on one server, in random
/// order between servers.
///
/// Glossary: *send queue*, the verbs posted to one server that have not taken effect;
/// *granularity*, the bytes that are moved at a time.
@NullMarked
package org.namdb.simulated.tearing;

import org.jspecify.annotations.NullMarked;
