/// The random inputs of the five transactions and of the population, by clauses 2.1.6, 2.4 to 2.8
/// and 4.3.2.
///
/// Inputs are reused objects, so that drawing one allocates nothing. Everything follows from a
/// seed.
///
/// Glossary: *NURand*, the standard's non-uniform distribution over a range (clause 2.1.6). *Home
/// warehouse*, the terminal's own. *a-string*, *n-string*, *zip code*: random text of the
/// population (clause 4.3.2). *Deck*, a mix as cards that are shuffled and dealt (clause 5.2.4.2).
@NullMarked
package org.namdb.tpcc.input;

import org.jspecify.annotations.NullMarked;
