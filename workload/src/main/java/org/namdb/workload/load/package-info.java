/// Fills a benchmark's tables, or finds them filled: a
/// [SharedLoad][org.namdb.workload.load.SharedLoad] where other processes may do so at the same
/// time, a [LoadStage][org.namdb.workload.load.LoadStage] what is loaded here, while a bar shows
/// how far it is.
@NullMarked
package org.namdb.workload.load;

import org.jspecify.annotations.NullMarked;
