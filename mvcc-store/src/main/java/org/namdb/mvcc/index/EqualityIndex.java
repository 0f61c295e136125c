package org.namdb.mvcc.index;

import org.namdb.fabric.VerbForecast;
import org.namdb.mvcc.owner.IntentsForecast;

/// An index that is searched by equality of its indexed columns.
public interface EqualityIndex extends SecondaryIndex {
    /// Hands all entries with these indexed columns to the sink: a round trip for each bucket in
    /// the chain.
    void lookup(long[] prefix, EntrySink sink);

    /// A lookup to be posted together with others. It belongs to this access, and is reusable.
    EntryLookup lookup();

    /// Whether a lookup for `prefix` finds this entry.
    boolean isHit(long[] entry, long[] prefix);

    /// What operations are expected to post.
    ///
    /// @param into what is expected is added to this
    /// @param intents gets the intents that are written before entries are inserted
    EqualityForecast forecast(VerbForecast into, IntentsForecast intents);
}
