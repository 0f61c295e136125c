package org.namdb.mvcc.owner;

import java.util.Arrays;
import org.namdb.fabric.VerbForecast;

/// Forecasts what the [Intents] of a commit post. They are written once on each memory server that
/// has something to list. Where that is chance, the forecast is the average over all places that
/// the records can lie in.
///
/// Not thread-safe.
public final class IntentsForecast {
    /// By memory server: how many records and buckets are listed before the first lock, and how
    /// likely it is that there are none.
    private final double[] early;

    private final double[] noneEarly;

    /// The same of those that are listed one by one, afterwards.
    private final double[] late;

    private final double[] noneLate;

    /// Of a commit that locks nothing.
    public IntentsForecast(int servers) {
        this.early = new double[servers];
        this.noneEarly = new double[servers];
        this.late = new double[servers];
        this.noneLate = new double[servers];
        Arrays.fill(noneEarly, 1);
        Arrays.fill(noneLate, 1);
    }

    /// Adds records or buckets that are listed before the first lock.
    ///
    /// @param share how likely it is for each of them that it lies on this server
    public void list(int server, double count, double share) {
        early[server] += count * share;
        noneEarly[server] *= Math.pow(1 - share, count);
    }

    /// Adds buckets that are listed one by one, afterwards.
    ///
    /// @param share how likely it is for each of them that it lies on this server
    public void listLate(int server, double count, double share) {
        late[server] += count * share;
        noneLate[server] *= Math.pow(1 - share, count);
    }

    /// Adds what all of it posts.
    public void addTo(VerbForecast into) {
        for (int server = 0; server < early.length; server++) {
            addEarly(into, server);
            addLate(into, server);
        }
    }

    private void addEarly(VerbForecast into, int server) {
        double entries = early[server];
        if (entries == 0) {
            return;
        }
        double some = 1 - noneEarly[server];
        double inArea = Math.min(entries, IntentLayout.AREA_ENTRIES - 1.0);
        double links = entries > inArea ? 1 : 0;
        double bytes = some * IntentLayout.ENTRIES_OFFSET + (inArea + links) * Intents.ENTRY_BYTES;
        into.write(server, some, bytes / some);
        if (entries > inArea) {
            double rest = (entries - inArea) * Intents.ENTRY_BYTES;
            double writes = Math.ceil(rest / Intents.MAX_BYTES_PER_WRITE);
            into.write(server, writes, rest / writes);
        }
    }

    private void addLate(VerbForecast into, int server) {
        double entries = late[server];
        if (entries == 0) {
            return;
        }
        // The first in a list that is not there yet brings the list's beginning with it.
        double begins = noneEarly[server] * (1 - noneLate[server]);
        double bytes = entries * Intents.ENTRY_BYTES + begins * IntentLayout.ENTRIES_OFFSET;
        into.write(server, entries, bytes / entries);
    }
}
