/// The threads of a run and their schedule: a
/// [BenchmarkRun][org.namdb.workload.driver.BenchmarkRun] is the whole of a benchmark's command, a
/// [MeasuredRun][org.namdb.workload.driver.MeasuredRun] the part of it that is measured.
///
/// Each thread has [Work][org.namdb.workload.driver.Work], which determines what is run, and a
/// [Pacing][org.namdb.workload.driver.Pacing], which determines when: at once, at a given rate, or
/// as the benchmark has it.
///
/// Glossary: *deferred*, of a transaction whose client has its answer when it is queued; its thread
/// executes it then, before it does anything else.
@NullMarked
package org.namdb.workload.driver;

import org.jspecify.annotations.NullMarked;
