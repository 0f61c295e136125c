/// Programs that use NamDB as a library.
@NullMarked
package org.namdb.examples;

import org.jspecify.annotations.NullMarked;
