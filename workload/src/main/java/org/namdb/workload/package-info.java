/// What all benchmarks share. [RunOptions] are the options of each, and [Benchmark] its facts in
/// reports; the other packages fill its tables (`load`), run its transactions (`driver`), count
/// (`statistics`) and show the result (`report`).
///
/// Glossary: *kind*, what a transaction does, as NewOrder: each is counted for itself. *Size*, how
/// much is loaded, in the benchmark's own unit.
@NullMarked
package org.namdb.workload;

import org.jspecify.annotations.NullMarked;
