package org.namdb.mvcc.hash;

import org.namdb.fabric.VerbForecast;
import org.namdb.mvcc.index.EqualityForecast;
import org.namdb.mvcc.owner.IntentsForecast;

/// Forecasts what operations on a [HashIndex] post.
final class HashIndexForecast implements EqualityForecast {
    private final HashTable table;
    private final VerbForecast into;
    private final IntentsForecast intents;

    HashIndexForecast(HashTable table, VerbForecast into, IntentsForecast intents) {
        this.table = table;
        this.into = into;
        this.intents = intents;
    }

    /// Entries of one value are neighbours, in as many buckets as they fill.
    @Override
    public void lookUp(double lookups, double entries) {
        double buckets = Math.max(1, Math.ceil(entries / lookups / table.records));
        RecordForecast.of(table, into).readDirectories(lookups * buckets, lookups * (buckets - 1));
        into.roundTrips(lookups * buckets);
    }

    @Override
    public void insert(double entries) {
        RecordForecast forecast = RecordForecast.of(table, into);
        forecast.claim(entries);
        forecast.listLate(entries, intents);
        forecast.installEntry(entries);
        into.roundTrips(entries);
    }
}
