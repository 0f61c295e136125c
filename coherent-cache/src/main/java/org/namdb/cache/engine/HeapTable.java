package org.namdb.cache.engine;

/// A table of tuples in lines, and the tree that finds them.
///
/// @param number its own among those of a database, from 0
/// @param root of the tree of its keys, whose values are the places of tuples
/// @param payloadBytes the length of a tuple without its head, a multiple of 8
public record HeapTable(int number, long root, int payloadBytes) {
    /// With the tuple's head.
    int tupleBytes() {
        return Tuple.HEAD_BYTES + payloadBytes;
    }
}
