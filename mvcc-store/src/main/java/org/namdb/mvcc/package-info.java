/// Multi-version records in remote memory.
@NullMarked
package org.namdb.mvcc;

import org.jspecify.annotations.NullMarked;
