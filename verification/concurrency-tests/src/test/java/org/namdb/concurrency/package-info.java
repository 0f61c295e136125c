/// What two threads can see of the words that everything hangs by: run by jcstress, over the real
/// classes and real queue pairs.
///
/// The tests are in the packages of what they test. Each has a *race*, what the two actors do, and
/// runs it in place and with landing buffers; where a protection can be left out from outside, a
/// third variant does, and shows what the protection is for.
///
/// Glossary, of jcstress: *actor*, a method that one thread runs, once for each *state*; *outcome*,
/// what the actors have seen of it; *interesting*, an outcome that is allowed, and worth reporting.
@NullMarked
package org.namdb.concurrency;

import org.jspecify.annotations.NullMarked;
