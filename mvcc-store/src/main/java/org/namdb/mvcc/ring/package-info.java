/// Image rings: each slot's last commits as bytes, on two memory servers, from which the recovery
/// of a dead session learns what it had committed.
///
/// Glossary: *image*, what a commit writes, as bytes that mean nothing to this package; *copy*, one
/// of a slot's two rings; *whole*, of an image, written to its last byte.
///
/// Source: NAM-DB, section 6.2 (each compute server writes its log to more than one memory server).
@NullMarked
package org.namdb.mvcc.ring;

import org.jspecify.annotations.NullMarked;
