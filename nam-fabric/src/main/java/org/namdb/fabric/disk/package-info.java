/// What a process keeps beyond its own end: files on a disk, as a journal and a checkpoint need
/// them. Next to the clocks and threads of [org.namdb.fabric.Host], and like them a port.
///
/// Glossary: *forced*, there after a crash; *sector*, what a disk writes as a whole: after a crash,
/// each sector of what was not forced is as it was before or as it was to become.
@NullMarked
package org.namdb.fabric.disk;

import org.jspecify.annotations.NullMarked;
