/// A B-link tree whose nodes are lines, read and changed under guards alone (SELCC, section 6.3).
///
/// Source: Lehman and Yao, "Efficient Locking for Concurrent Operations on B-Trees", TODS 1981.
@NullMarked
package org.namdb.cache.tree;

import org.jspecify.annotations.NullMarked;
