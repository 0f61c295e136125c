/// What single steps cost: JMH benchmarks, and the plots and tables that are made of their results.
///
/// A class named after what it measures has the benchmarks; `benchmarks/oracles.sh` runs those of
/// the timestamp oracles and draws [org.namdb.benchmarks.OracleReport]; `benchmarks/sql.sh` runs
/// those of SQL; `benchmarks/cable.sh` lays a [org.namdb.workload.testbed.LongCable], to run TPC-C
/// over.
///
/// Glossary, of JMH: *fork*, a JVM of its own; *iteration*, a time in which a benchmark is called
/// over and over, and of which the mean is taken. Iterations are short and many, so that some are
/// not disturbed.
@NullMarked
package org.namdb.benchmarks;

import org.jspecify.annotations.NullMarked;
