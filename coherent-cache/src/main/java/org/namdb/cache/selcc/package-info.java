/// SELCC: caches of lines on compute servers, kept coherent by the lines' latch words.
///
/// A compute server that has latched a line keeps the latch, and its copy, until another one
/// requests it. So an access to a line that it has (a *hit*) posts nothing, and a line that no
/// compute server needs alone costs one round trip. A station that needs a line that others hold
/// sends them messages; they write back what they have changed, release the latch and answer.
///
/// - *line cache*: a compute server's cache. It takes a station.
/// - *line session*: a thread's access to the cache. *Guard*: a line that it has latched.
/// - *owner*: the station that may change a line; *sharers* have copies that they read.
///
/// Source: SELCC, sections 4 and 6. Where it differs: docs/decisions/0050 to 0052 and 0059.
@NullMarked
package org.namdb.cache.selcc;

import org.jspecify.annotations.NullMarked;
