package org.namdb.fabric.tcp;

/// What the agent of a memory server has done since it was started.
///
/// @param verbs READs, WRITEs and atomics
/// @param frames how many frames these came in
/// @param receivedBytes the bytes of those frames
/// @param sentBytes the bytes of their replies
/// @param calls requests that were answered
/// @param refused connections that were refused: of a wrong token or version, or fenced
/// @param malformed connections that were closed because of malformed frames
/// @param mappedVerbs verbs of processes that have mapped a region, as they have counted them: a
///     thread adds its own now and then
/// @param clients compute servers that are connected now
public record TcpStatistics(
        long verbs,
        long frames,
        long receivedBytes,
        long sentBytes,
        long calls,
        long refused,
        long malformed,
        long mappedVerbs,
        long clients) {}
