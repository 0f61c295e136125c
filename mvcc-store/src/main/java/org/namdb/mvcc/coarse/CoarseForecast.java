package org.namdb.mvcc.coarse;

import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.VerbForecast;
import org.namdb.mvcc.coarse.TreeRequest.Operation;
import org.namdb.mvcc.index.OrderedForecast;

/// Foresees the requests of operations on a [CoarseIndex], if no worker is in another one's way. Of
/// a range whose reader stops before its end, servers bring a few entries more than foreseen.
final class CoarseForecast implements OrderedForecast {
    private final HashPartitions parts;
    private final VerbForecast into;

    CoarseForecast(HashPartitions parts, VerbForecast into) {
        this.parts = parts;
        this.into = into;
    }

    /// Each range takes a request to all servers.
    @Override
    public void scan(double ranges, double entries) {
        double entriesEach = ranges == 0 ? 0 : entries / ranges / parts.count();
        for (int part = 0; part < parts.count(); part++) {
            request(part, ranges, Operation.ASCEND, entriesEach);
        }
        into.roundTrips(ranges);
    }

    @Override
    public void insert(double entries) {
        for (int part = 0; part < parts.count(); part++) {
            request(part, entries / parts.count(), Operation.INSERT, 0);
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
