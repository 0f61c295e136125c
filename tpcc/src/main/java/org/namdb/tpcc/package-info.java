/// TPC-C over NamDB: what is run. [TpccOptions] defines all of it; the other packages draw the
/// inputs (`input`), execute them (`driver`), count (`statistics`), check (`check`) and show the
/// result (`report`).
///
/// Clauses are those of the TPC Benchmark C standard specification, revision 5.11.
///
/// Glossary: *terminal*, where a person would sit: ten at each warehouse, one at each district.
/// *Mix*, how many of a hundred transactions are of each type. *tpmC*, new orders in a minute, the
/// benchmark's measure. *Degree of distribution*, how many of a hundred new orders touch a remote
/// warehouse (NAM-DB, section 7.3).
@NullMarked
package org.namdb.tpcc;

import org.jspecify.annotations.NullMarked;
