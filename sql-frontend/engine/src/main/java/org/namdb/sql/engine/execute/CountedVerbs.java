package org.namdb.sql.engine.execute;

import java.util.ArrayList;
import java.util.List;
import org.namdb.fabric.VerbCounters;
import org.namdb.fabric.VerbTally;

/// Verbs that were counted, by memory server, and how often they were waited for.
///
/// @param byServer those of each memory server; servers without any may be missing at the end
/// @param roundTrips awaits that had something to wait for
public record CountedVerbs(List<VerbTally> byServer, long roundTrips) {
    /// None at all.
    public static final CountedVerbs NONE = new CountedVerbs(List.of(), 0);

    public CountedVerbs {
        byServer = List.copyOf(byServer);
    }

    /// All that a session has done up to now.
    public static CountedVerbs of(VerbCounters counters) {
        List<VerbTally> tallies = new ArrayList<>();
        for (int server = 0; server < counters.servers(); server++) {
            tallies.add(counters.tally(server));
        }
        return new CountedVerbs(tallies, counters.roundTrips());
    }

    /// Those of one memory server.
    public VerbTally of(int server) {
        return server < byServer.size() ? byServer.get(server) : VerbTally.NOTHING;
    }

    /// Those of all memory servers.
    public VerbTally all() {
        VerbTally all = VerbTally.NOTHING;
        for (VerbTally tally : byServer) {
            all = all.plus(tally);
        }
        return all;
    }

    /// How many there are.
    public long verbs() {
        long verbs = 0;
        for (VerbTally tally : byServer) {
            verbs += tally.verbs();
        }
        return verbs;
    }

    /// What was done since `earlier`.
    public CountedVerbs minus(CountedVerbs earlier) {
        List<VerbTally> tallies = new ArrayList<>();
        for (int server = 0; server < byServer.size(); server++) {
            tallies.add(of(server).minus(earlier.of(server)));
        }
        return new CountedVerbs(tallies, roundTrips - earlier.roundTrips);
    }

    /// Both together.
    public CountedVerbs plus(CountedVerbs other) {
        List<VerbTally> tallies = new ArrayList<>();
        for (int server = 0; server < Math.max(byServer.size(), other.byServer.size()); server++) {
            tallies.add(of(server).plus(other.of(server)));
        }
        return new CountedVerbs(tallies, roundTrips + other.roundTrips);
    }
}
