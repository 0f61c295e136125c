/// Records in lines, in the order of their insertion (SELCC, section 6.4).
@NullMarked
package org.namdb.cache.heap;

import org.jspecify.annotations.NullMarked;
