/// A simulation of both ends of the TCP provider. It drives their parts one by one, which no other
/// class may, so it lies in their package, though not in their module.
@NullMarked
package org.namdb.fabric.tcp;

import org.jspecify.annotations.NullMarked;
