/// YCSB, and the workloads of the tree-index paper (section 6.1), over NamDB: each operation is a
/// transaction.
///
/// Source: Cooper, Silberstein, Tam, Ramakrishnan, Sears: Benchmarking Cloud Serving Systems with
/// YCSB. SoCC 2010.
///
/// Glossary: *record number*, in the order of insertion; the record's key is a permutation of it,
/// so that neighbours in time are none by key. *Popularity rank*, 0 for the record that is read
/// most.
@NullMarked
package org.namdb.ycsb;

import org.jspecify.annotations.NullMarked;
