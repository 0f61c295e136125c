/// Opens the fabric of a configuration: one class for each side.
@NullMarked
package org.namdb.cluster.transport;

import org.jspecify.annotations.NullMarked;
