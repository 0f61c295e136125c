/// Which fabric a configuration asks for: one class for each side.
@NullMarked
package org.namdb.cluster.transport;

import org.jspecify.annotations.NullMarked;
