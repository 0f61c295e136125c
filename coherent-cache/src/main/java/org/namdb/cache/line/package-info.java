/// Lines: blocks of memory of one size that compute servers cache coherently, and their latch
/// words.
@NullMarked
package org.namdb.cache.line;

import org.jspecify.annotations.NullMarked;
