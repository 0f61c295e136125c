package org.namdb.memory.client;

/// How full a memory server is.
///
/// @param usedBytes what it has handed out, without what its part of the catalog takes
/// @param freeBytes what it could still hand out as one extent, without what is kept for deletes
/// @param regionBytes the size of its region
/// @param catalogBytes what its part of the catalog takes
public record ServerUsage(long usedBytes, long freeBytes, long regionBytes, long catalogBytes) {}
