/// TPC-C on tuples in cached lines, with the engines of SELCC's experiments (section 7.3): the same
/// tables, inputs and conditions, and transactions of their own.
@NullMarked
package org.namdb.tpcc.lines;

import org.jspecify.annotations.NullMarked;
