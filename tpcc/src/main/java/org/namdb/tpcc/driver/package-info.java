/// Who runs which transaction when: [TpccRun][org.namdb.tpcc.driver.TpccRun] is the whole of
/// `nam tpcc`, a [TerminalRun][org.namdb.tpcc.driver.TerminalRun] the part of it that is measured.
///
/// Ten terminals at each warehouse are served by fewer threads, so that a thread plays the part of
/// many people. A [Pacing] says which of a thread's terminals goes next and when: at once, as
/// people would (clause 5.2.5), or at a given rate.
///
/// Glossary: *deferred delivery*, the terminal has its answer when the Delivery is queued, and its
/// thread executes it then, before it serves another terminal (clause 2.7.2).
@NullMarked
package org.namdb.tpcc.driver;

import org.jspecify.annotations.NullMarked;
