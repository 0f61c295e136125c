/// A transaction engine on cached lines, for the experiments of SELCC (section 6.4): heap tables,
/// whose tuples lie in lines, trees of lines as indexes, and three kinds of concurrency control.
///
/// What a transaction changes is in its own memory until it commits. It leaves no redo entries:
/// what the death of a compute server interrupts stays half done.
@NullMarked
package org.namdb.cache.engine;

import org.jspecify.annotations.NullMarked;
