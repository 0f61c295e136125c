/// The five transactions of TPC-C (clauses 2.4 to 2.8) as stored procedures. Each class holds what
/// one thread reuses, so an object belongs to one thread; [TpccProcedures] registers them for any
/// thread.
@NullMarked
package org.namdb.tpcc.procedure;

import org.jspecify.annotations.NullMarked;
