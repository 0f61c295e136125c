/// The `nam` command.
@NullMarked
package org.namdb.cli;

import org.jspecify.annotations.NullMarked;
