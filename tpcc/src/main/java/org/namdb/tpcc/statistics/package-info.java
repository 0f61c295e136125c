/// What TPC-C counts in addition to what every benchmark does: deferred deliveries.
@NullMarked
package org.namdb.tpcc.statistics;

import org.jspecify.annotations.NullMarked;
