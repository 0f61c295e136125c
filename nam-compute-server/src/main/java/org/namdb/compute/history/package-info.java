/// Histories of transactions: what each attempt has read and written, in a file that an isolation
/// checker can check.
///
/// Glossary: *operation*, a read or a write of one key, with the value; *key*, a 64-bit number for
/// a record; *value*, a number for a version: other ones for any two versions of a key, and 0 for
/// "there is none"; *base snapshot*, what it shows was there before the recording and counts as the
/// value 0.
///
/// ```java
/// try (HistoryFile file = HistoryFile.create(Path.of("history.jsonl"))) {
///     HistoryRecorder recorder = HistoryRecorder.start(db, file, 1, Set.of());
///     recorder.record(session);
///     // session.transact(...)
/// }
/// ```
@NullMarked
package org.namdb.compute.history;

import org.jspecify.annotations.NullMarked;
