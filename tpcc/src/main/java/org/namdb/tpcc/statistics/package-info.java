/// What TPC-C counts beside what every benchmark does: deferred deliveries.
@NullMarked
package org.namdb.tpcc.statistics;

import org.jspecify.annotations.NullMarked;
