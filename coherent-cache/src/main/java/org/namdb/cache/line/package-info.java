/// Lines: blocks of memory of one size that compute servers cache coherently, and the words that
/// say who holds copies of them.
@NullMarked
package org.namdb.cache.line;

import org.jspecify.annotations.NullMarked;
