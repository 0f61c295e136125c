package org.namdb.mvcc.coarse;

import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.VerbForecast;
import org.namdb.mvcc.coarse.TreeRequest.Operation;
import org.namdb.mvcc.index.OrderedForecast;

/// Foresees the requests of operations on a [CoarseIndex], if no worker is in another one's way. Of
/// a range whose reader stops before its end, servers bring a few entries more than foreseen.
final class CoarseForecast implements OrderedForecast {
    private final Partitions parts;
    private final VerbForecast into;

    CoarseForecast(Partitions parts, VerbForecast into) {
        this.parts = parts;
        this.into = into;
    }

    /// By hash each range takes a request to all servers; by range one to the server that has it,
    /// and those that reach into several parts are few.
    @Override
    public void scan(double ranges, double entries) {
        double entriesEach = ranges == 0 ? 0 : entries / ranges;
        for (int part = 0; part < parts.count(); part++) {
            if (parts.isByRange()) {
                request(part, ranges * parts.share(part), Operation.ASCEND, entriesEach);
            } else {
                request(part, ranges, Operation.ASCEND, entriesEach * parts.share(part));
            }
        }
        into.roundTrips(ranges);
    }

    @Override
    public void insert(double entries) {
        for (int part = 0; part < parts.count(); part++) {
            request(part, entries * parts.share(part), Operation.INSERT, 0);
        }
    }

    private void request(int part, double count, Operation what, double entries) {
        int server = RemoteAddress.server(parts.tree(part).anchor());
        int keyBytes = Long.BYTES * parts.keyWords();
        into.request(
                server,
                count,
                TreeRequest.HEAD_BYTES + TreeRequest.bytes(what, parts.keyWords()),
                TreeRequest.REPLY_HEAD_BYTES + TreeRequest.RESULT_BYTES + entries * keyBytes);
    }

    @Override
    public int insertRoundTrips() {
        return 1;
    }

    @Override
    public int insertBytes() {
        return TreeRequest.RESULT_BYTES;
    }
}
