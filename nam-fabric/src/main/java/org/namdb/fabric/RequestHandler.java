package org.namdb.fabric;

/// A memory server's side of the two-sided verbs: receives a request, answers with a reply.
@FunctionalInterface
public interface RequestHandler {
    /// Answers one request. Called by one thread at a time for each memory server.
    byte[] handle(byte[] request);
}
