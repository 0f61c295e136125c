package org.namdb.memory.server;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.RequestHandler;
import org.namdb.mvcc.coarse.TreeWorker;

/// A thread of a memory server's process that answers [requests][Request]: those about trees by
/// itself, concurrently with other workers; all others one at a time.
///
/// @param others shared by all workers
record ServerWorker(TreeWorker trees, RequestHandler others) implements RequestHandler {
    @Override
    public int handle(long request, int bytes, long reply, int replyBytes) {
        byte kind = bytes == 0 ? 0 : LocalMemory.byteAt(request);
        RequestHandler by =
                kind == Request.TREE_OPERATIONS || kind == Request.TREE_DROP ? trees : others;
        return by.handle(request, bytes, reply, replyBytes);
    }

    @Override
    public void close() {
        trees.close();
    }
}
