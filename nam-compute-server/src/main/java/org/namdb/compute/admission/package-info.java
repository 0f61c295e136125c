/// Who runs, and who waits for a processor.
///
/// Glossary: *seat*, the right to run a procedure or a statement now; there are as many as
/// processors. *Guest*, a session as admission knows it. *Slice*, how long a guest keeps its seat
/// from one transaction to the next while others wait.
@NullMarked
package org.namdb.compute.admission;

import org.jspecify.annotations.NullMarked;
