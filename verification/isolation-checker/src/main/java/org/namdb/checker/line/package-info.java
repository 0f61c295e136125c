/// A checker of histories of lines: blocks of memory that are read and changed as a whole. It
/// shares no code with what it checks.
@NullMarked
package org.namdb.checker.line;

import org.jspecify.annotations.NullMarked;
