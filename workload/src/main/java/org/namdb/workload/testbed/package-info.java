/// Clusters to measure on: memory servers in this process, reached by TCP over
/// [cables][org.namdb.workload.testbed.LongCable] that take as long as those of a network.
@NullMarked
package org.namdb.workload.testbed;

import org.jspecify.annotations.NullMarked;
