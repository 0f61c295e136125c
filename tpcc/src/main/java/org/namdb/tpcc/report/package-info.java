/// The result files that only TPC-C has.
@NullMarked
package org.namdb.tpcc.report;

import org.jspecify.annotations.NullMarked;
