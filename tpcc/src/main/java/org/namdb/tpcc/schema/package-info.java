/// The nine tables of TPC-C (clause 1.3), their indexes and their physical design.
///
/// Columns that transactions change lie first, so that a change writes few words. Money is in
/// cents; taxes and discounts are in ten-thousandths.
@NullMarked
package org.namdb.tpcc.schema;

import org.jspecify.annotations.NullMarked;
