/// Messages between compute servers: requests, and answers that may come later.
///
/// - *peer fabric*: a process's side of the network between compute servers.
/// - *peer queue*: a thread's: it posts requests to any number of peers and awaits all answers.
/// - *peer request*: what a handler receives. It is answered exactly once, at any time, by any
///   thread.
///
/// Verbs reach memory servers only. These messages are for what two compute servers settle between
/// them, such as the release of a cached line (SELCC, section 5.1).
@NullMarked
package org.namdb.fabric.peer;

import org.jspecify.annotations.NullMarked;
