package org.namdb.cache.selcc;

import java.util.Arrays;
import org.namdb.cache.frame.Frame;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.line.LatchWord;
import org.namdb.cache.line.LineArea;
import org.namdb.cache.line.Stations;
import org.namdb.fabric.Host;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.peer.PeerQueue;
import org.namdb.fabric.peer.PeerReply;

/// A thread's requests to the compute servers that have a line which it needs: SELCC's invalidation
/// messages (section 5.1).
final class Invalidations {
    /// SELCC's constant C, section 5.1.2: the first pause before a message is sent again, in round
    /// trips.
    static final int RESEND_ROUND_TRIPS = 8;

    /// How often a wait for answers checks whether it is cancelled.
    private static final long CHECK_NANOS = 10_000_000;

    private static final long[] NO_STATIONS = new long[Stations.MAX + 1];

    private final LineCache cache;
    private final LineArea layout;
    private final Host host;
    private final int station;
    private final LineProtocol protocol;
    private final LineWait wait;
    private final PeerQueue peers;
    private final PeerReply[] replies = new PeerReply[Stations.MAX];
    private long roundTripNanos = LineWait.MIN_PAUSE_NANOS;

    Invalidations(LineCache cache, LineProtocol protocol, LineWait wait) {
        this.cache = cache;
        this.layout = cache.layout();
        this.host = cache.host();
        this.station = cache.station();
        this.protocol = protocol;
        this.wait = wait;
        this.peers = cache.connectPeers();
    }

    /// How many there were.
    long messages() {
        return peers.messages();
    }

    /// Requests the line from the stations that have it, by the latch word as it was found last. If
    /// one of them is using it, waits a while.
    ///
    /// @return whether the frame has the line now; else its latch has to be tried again
    boolean isGranted(Frame frame, boolean isExclusive, int retries) {
        long begin = host.nanoTime();
        int requested = request(frame, isExclusive);
        boolean isBusy = false;
        try {
            awaitAnswers();
            roundTripNanos += (host.nanoTime() - begin - roundTripNanos) / 8;
        } finally {
            isBusy = hasUnanswered(frame, isExclusive, requested);
        }
        boolean isGranted = false;
        for (int i = 0; i < requested; i++) {
            PeerReply reply = replies[i];
            if (!reply.isAnswered()) {
                continue;
            }
            byte[] answer = reply.bytes();
            isBusy |= answer[0] == LineRequest.BUSY;
            if (answer[0] == LineRequest.GRANTED && isExpected(frame, isExclusive)) {
                frame.fill(answer, 1, layout.lineBytes());
                frame.state(isExclusive ? State.MODIFIED : State.SHARED);
                isGranted = true;
            }
        }
        Arrays.fill(replies, 0, requested, null);
        if (isBusy && !isGranted) {
            long pause = RESEND_ROUND_TRIPS * roundTripNanos / retries;
            wait.sleep(frame.line(), pause);
        } else if (!isGranted) {
            wait.nextAttempt(frame.line());
        }
        return isGranted;
    }

    /// Waits for the answers to the requests.
    private void awaitAnswers() {
        long left = wait.leftNanos();
        while (!peers.await(Math.clamp(left, 0, CHECK_NANOS))) {
            wait.checkEnd();
            left = wait.leftNanos();
            if (left <= 0) {
                return;
            }
        }
    }

    /// Waits no more for those that have not answered. The writer may grant the line all the same.
    ///
    /// @return whether there are any
    private boolean hasUnanswered(Frame frame, boolean isExclusive, int requested) {
        boolean isGrant = isExclusive && LatchWord.writerOf(protocol.word()) != 0;
        boolean isThere = false;
        for (int i = 0; i < requested; i++) {
            if (!replies[i].isAnswered()) {
                peers.abandon(replies[i]);
                isThere = true;
                if (isGrant) {
                    cache.grantIsPossible(replies[i], frame.line());
                }
            }
        }
        if (isThere) {
            cache.stations(NO_STATIONS); // another process may have a station now
        }
        return isThere;
    }

    /// Whether a grant makes the frame valid. A writer does not set a reader's bit, so a copy is
    /// good only while the bit stands:
    /// ```
    /// FAA + bit, READ: writer B
    /// READ stations: the connection is lost, so FAA - bit over the next one
    /// request to B, which answers with a copy
    /// ```
    private static boolean isExpected(Frame frame, boolean isExclusive) {
        return isExclusive
                || frame.state() == State.ANNOUNCED
                || PlantedFault.LINE_BIT_NOT_CHECKED.isPlanted();
    }

    /// Posts requests, of which [#replies] has the answers.
    ///
    /// @return how many
    private int request(Frame frame, boolean isExclusive) {
        long word = protocol.word();
        int writer = LatchWord.writerOf(word);
        if (writer != 0) {
            LineRequest.Kind kind =
                    isExclusive ? LineRequest.Kind.EXCLUSIVE : LineRequest.Kind.SHARED;
            byte[] request = new LineRequest(kind, station, wait.priority(), frame.line()).bytes();
            replies[0] = peers.post(process(writer, frame), request);
            return 1;
        }
        int requested = 0;
        if (isExclusive) {
            byte[] request =
                    new LineRequest(
                                    LineRequest.Kind.INVALIDATE,
                                    station,
                                    wait.priority(),
                                    frame.line())
                            .bytes();
            long readers = LatchWord.otherReaders(word, station);
            for (long left = readers; left != 0; left &= left - 1) {
                int reader = LatchWord.firstReader(left);
                replies[requested++] = peers.post(process(reader, frame), request);
            }
        }
        return requested;
    }

    /// The process that has a station.
    private int process(int number, Frame frame) {
        long[] words = cache.stations();
        if (!Stations.isTaken(words[number])) {
            words = protocol.readStations(frame);
            cache.stations(words);
        }
        return Stations.process(words[number]);
    }
}
