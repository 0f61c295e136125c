/// The consistency conditions of clause 3.3.2, checked on the live data.
///
/// Glossary: *condition*, one of the twelve. *Difference*, a place where the data doesn't meet it.
@NullMarked
package org.namdb.tpcc.check;

import org.jspecify.annotations.NullMarked;
