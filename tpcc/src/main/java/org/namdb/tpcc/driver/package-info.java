/// Which terminal runs which transaction: [TpccRun][org.namdb.tpcc.driver.TpccRun] is the whole of
/// `nam tpcc`.
///
/// Ten terminals at each warehouse are served by fewer threads, so that a thread plays the part of
/// many people: of [Terminals][org.namdb.tpcc.driver.Terminals], in turn or as people would
/// (clause 5.2.5).
///
/// Glossary: *deferred delivery*, the terminal has its answer when the Delivery is queued, and its
/// thread executes it then, before it serves another terminal (clause 2.7.2).
@NullMarked
package org.namdb.tpcc.driver;

import org.jspecify.annotations.NullMarked;
