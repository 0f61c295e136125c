package org.namdb.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;

/// Both ends of the TCP provider in virtual time, on one thread, from a seed: the links of a
/// compute server with the streams of its queue pairs ([AgentLink], [VerbStream], [VerbStreams]),
/// and what an agent keeps of its client ([ServedClient], [ServedQueuePair], [ServedCall]). Between
/// them is a wire that is slow, ends a delivery at any byte, and breaks. It comes back in time, or
/// after the timeout, when the link is gone and another one takes its place; what was sent before
/// may arrive meanwhile.
///
/// Queue pairs post verbs and calls, are closed and opened, and are abandoned in the middle of a
/// batch. Each verb that has succeeded was done exactly once and in its order, of a batch that was
/// lost a first part at the most once, each call was handled once, and its answer is its own.
public final class LinkSimulation {
    /// What became of it.
    ///
    /// @param wrong what was wrong; null if nothing
    /// @param batches how many batches and calls were done
    /// @param lost how many were lost
    /// @param reopened how often a connection was opened again in time
    /// @param replaced how often a link was gone, and another one took its place
    public record Result(
            @Nullable String wrong, int batches, int lost, int reopened, int replaced) {}

    private static final int STEPS = 2_000;
    private static final int MAX_PAIRS = 4;
    private static final int WORDS = 3;
    private static final int MAX_VERBS = 5;

    /// Where states are many, their queue pair reads its words next.
    private static final int MANY_STATES = 300;

    /// How long a wire may be away before its link is gone, and how long the agent keeps a client,
    /// in steps.
    private static final int TIMEOUT = 50;

    private static final int MEMORY = 150;
    private static final int MAX_AWAY = 200;

    private static final int KEY = 7;
    private static final InetSocketAddress NOWHERE = InetSocketAddress.createUnresolved("agent", 1);
    private static final long INCARNATION = 1;

    private final SplittableRandom random;
    private final Consumer<String> trace;
    private final Arena arena = Arena.ofConfined();
    private final long region;
    private final SimulatedAgent agent;
    private final List<AgentLink> links = new ArrayList<>();
    private final List<Pair> pairs = new ArrayList<>();

    private AgentLink link;

    /// The connection that the agent reads from: the client may have given it up.
    private SimulatedWire wire;

    private boolean isAway;
    private long awaySince;
    private long awayUntil;
    private long now;

    /// One of so many steps breaks the wire.
    private final int stepsPerBreak;

    private final Set<Long> extents = new HashSet<>();
    private long written;
    private long asked;
    private int batches;
    private int lost;
    private int reopened;
    private int replaced;
    private @Nullable String wrong;

    /// A queue pair, and what it has under way.
    private final class Pair {
        final int number;
        final WordsModel model = new WordsModel(WORDS);
        VerbStream stream;
        List<WordsModel.Verb> batch = List.of();

        /// The number of its call; 0 for none.
        long request;

        /// Where its verbs land what they return.
        final long landing = arena.allocate(8L * MAX_VERBS, 8).address();

        /// Its call's request, and where the reply lands.
        final long asked = arena.allocate(8, 8).address();

        final long reply = arena.allocate(8 + SimulatedAgent.ANSWER_BYTES, 8).address();

        /// Of one that was abandoned: answered when nothing of it takes effect any more.
        @Nullable VerbStream settling;

        Pair(int number, VerbStream stream) {
            this.number = number;
            this.stream = stream;
        }

        boolean isIdle() {
            return batch.isEmpty() && request == 0 && settling == null;
        }

        void ended() {
            batch = List.of();
            request = 0;
        }

        @Override
        public String toString() {
            return "pair " + number + " on stream " + stream.number();
        }
    }

    private LinkSimulation(long seed, Consumer<String> trace) {
        this.random = new SplittableRandom(seed);
        this.trace = trace;
        long bytes = 8L * WORDS * MAX_PAIRS;
        this.region = arena.allocate(bytes, 8).address();
        this.agent = new SimulatedAgent(new Region(0, bytes, KEY), region);
        this.stepsPerBreak = random.nextInt(20, 200);
        this.wire = agent.connect();
        this.link = open(null);
        int count = random.nextInt(1, MAX_PAIRS + 1);
        for (int i = 0; i < count; i++) {
            pairs.add(new Pair(i, link.open()));
        }
    }

    /// Runs one.
    ///
    /// @param trace gets every step, in words
    public static Result of(long seed, Consumer<String> trace) {
        LinkSimulation simulation = new LinkSimulation(seed, trace);
        try {
            return simulation.run();
        } finally {
            simulation.free();
        }
    }

    private Result run() {
        while (wrong == null && now < STEPS) {
            step();
        }
        for (int i = 0; wrong == null && i < 20 * STEPS && !isQuiet(); i++) {
            advance(); // without another break, or another batch
        }
        if (wrong == null && !isQuiet()) {
            fail("what is under way is never answered");
        }
        pairs.forEach(this::requireWords);
        return new Result(wrong, batches, lost, reopened, replaced);
    }

    private boolean isQuiet() {
        return !isAway && pairs.stream().allMatch(Pair::isIdle);
    }

    private void fail(String what) {
        if (wrong == null) {
            wrong = "step " + now + ": " + what;
        }
    }

    private void step() {
        if (!isAway && random.nextInt(stepsPerBreak) == 0) {
            breakWire();
        } else if (random.nextInt(3) == 0) {
            use(pairs.get(random.nextInt(pairs.size())));
        } else {
            advance();
        }
    }

    /// Something moves on by itself.
    private void advance() {
        now++;
        switch (random.nextInt(4)) {
            case 0 -> {
                if (!isAway) {
                    link.send();
                }
            }
            case 1 -> deliverToAgent();
            case 2 -> handleRequest();
            default -> deliverToClient();
        }
        pairs.forEach(this::finish);
        if (isAway) {
            comeBackOrGiveUp();
        }
    }

    // ---- the compute server

    private AgentLink open(@Nullable AgentLink before) {
        ClientHandshake.Opened opened =
                new ClientHandshake.Opened(wire, INCARNATION, false, agent.regions());
        AgentLink next =
                new AgentLink(
                        NOWHERE,
                        new Receiver() {
                            @Override
                            public boolean isArmed(AgentLink of) {
                                return true;
                            }

                            @Override
                            public void arm(AgentLink of) {}

                            @Override
                            public void reopened(AgentLink of) {}
                        },
                        (_, why) -> fail("a connection is given up: " + why),
                        opened,
                        before);
        links.add(next);
        return next;
    }

    private void use(Pair pair) {
        now++;
        if (!pair.isIdle()) {
            if (pair.settling == null && !isAway && random.nextInt(40) == 0) {
                if (random.nextBoolean()) {
                    abandon(pair);
                } else {
                    closeUnderWay(pair);
                }
            }
            return;
        }
        if (pair.stream.lost() != null) {
            return; // it throws whatever is posted
        }
        if (!isAway && random.nextInt(8) == 0) {
            reopen(pair);
        }
        post(pair);
    }

    /// It is closed, and another one opened, mostly on the same stream.
    private void reopen(Pair pair) {
        pair.stream.link().forget(pair.stream);
        pair.stream = link.open();
    }

    private void call(Pair pair) {
        pair.request = ++asked;
        trace.accept(pair + " calls, request " + pair.request);
        LocalMemory.putLong(pair.asked, pair.request);
        pair.stream.call(0, pair.asked, Long.BYTES, pair.reply, SimulatedAgent.ANSWER_BYTES);
    }

    private void post(Pair pair) {
        List<WordsModel.Verb> batch = new ArrayList<>();
        boolean readsAll = pair.model.states() > MANY_STATES;
        boolean calls = random.nextInt(4) == 0;
        int verbs = readsAll ? WORDS : random.nextInt(calls ? 0 : 1, MAX_VERBS + 1);
        int callAt = calls ? random.nextInt(verbs + 1) : -1;
        for (int i = 0; i <= verbs; i++) {
            if (i == callAt) {
                call(pair);
            }
            if (i == verbs) {
                break;
            }
            WordsModel.Verb verb = readsAll ? read(i) : verb(pair);
            long address = RemoteAddress.of(0, offset(pair, verb.word()));
            long view = pair.landing + 8L * i;
            switch (verb.op()) {
                case AgentFrame.READ -> pair.stream.read(address, Long.BYTES, KEY, view);
                case AgentFrame.WRITE_WORD -> pair.stream.writeWord(address, verb.operand(), KEY);
                case AgentFrame.COMPARE_AND_SWAP ->
                        pair.stream.compareAndSwap(
                                address, verb.operand(), verb.desired(), KEY, view);
                default -> pair.stream.fetchAndAdd(address, verb.operand(), KEY, view);
            }
            batch.add(verb);
        }
        pair.batch = batch;
        trace.accept(pair + " posts " + batch);
        link.post(pair.stream);
    }

    private static WordsModel.Verb read(int word) {
        return new WordsModel.Verb(AgentFrame.READ, word, 0, 0);
    }

    private WordsModel.Verb verb(Pair pair) {
        int word = random.nextInt(WORDS);
        return switch (random.nextInt(5)) {
            case 0 -> read(word);
            case 1 -> new WordsModel.Verb(AgentFrame.WRITE_WORD, word, ++written, 0);
            case 2 -> new WordsModel.Verb(AgentFrame.FETCH_AND_ADD, word, ++written, 0);
            default ->
                    new WordsModel.Verb(
                            AgentFrame.COMPARE_AND_SWAP, word, pair.model.any(word), ++written);
        };
    }

    private static long offset(Pair pair, int word) {
        return 8L * (pair.number * WORDS + word);
    }

    /// Takes what has become of what a pair has under way; not while the link is locked.
    private void finish(Pair pair) {
        if (isAway && link.gone() == null) {
            return;
        }
        VerbStream settling = pair.settling;
        if (settling != null) {
            settle(pair, settling);
        } else if (!pair.isIdle() && pair.stream.isOver()) {
            FabricException why = pair.stream.lost();
            if (why != null) {
                lost(pair);
            } else if (pair.stream.code() != 0) {
                fail(pair + " is refused with code " + pair.stream.code());
            } else {
                done(pair);
            }
        }
    }

    private void done(Pair pair) {
        long[] found = new long[pair.batch.size()];
        for (int i = 0; i < found.length; i++) {
            // A WRITE lands nothing, but has its place.
            found[i] = LocalMemory.longAt(pair.landing + 8L * i);
        }
        String contradiction = pair.model.done(pair.batch, found);
        trace.accept(pair + " is done");
        if (contradiction != null) {
            fail(pair + ": " + contradiction);
        }
        if (pair.request != 0) {
            requireAnswer(pair);
        }
        batches++;
        pair.ended();
        pair.stream.clear();
    }

    private void requireAnswer(Pair pair) {
        long bytes = LocalMemory.longAt(pair.reply);
        long to = LocalMemory.longAt(pair.reply + 8);
        long extent = LocalMemory.longAt(pair.reply + 16);
        trace.accept(pair + " is answered: extent " + extent);
        if (bytes != SimulatedAgent.ANSWER_BYTES) {
            fail("%s is answered with %d bytes".formatted(pair, bytes));
        } else if (to != pair.request) {
            fail("%s gets the answer to request %d, not %d".formatted(pair, to, pair.request));
        } else if (!extents.add(extent)) {
            fail("%s gets extent %d, which is in use".formatted(pair, extent));
        }
    }

    /// Its queue pair is of no use any more; the next one is opened over the next link.
    private void lost(Pair pair) {
        trace.accept(pair + " has lost what was under way");
        pair.model.lost(pair.batch);
        lost++;
        pair.ended();
    }

    /// Its thread does not await it any more, and waits until nothing of it can be done any more.
    private void abandon(Pair pair) {
        trace.accept(pair + " is abandoned");
        link.abandon(pair.stream);
        lost(pair);
        VerbStream control = link.open();
        control.control(AgentFrame.SETTLE, new byte[0]);
        link.post(control);
        pair.settling = control;
    }

    /// The next queue pair may get its stream, and replies to this one still come.
    private void closeUnderWay(Pair pair) {
        trace.accept(pair + " is closed with something under way");
        lost(pair);
        reopen(pair);
    }

    private void settle(Pair pair, VerbStream control) {
        if (!control.isOver()) {
            return;
        }
        boolean isSettled = control.lost() == null;
        link.forget(control);
        pair.settling = null;
        if (isSettled) {
            trace.accept(pair + " is settled");
            reopen(pair);
        }
    }

    // ---- the wire

    private void breakWire() {
        now++;
        isAway = true;
        awaySince = now;
        awayUntil = now + random.nextInt(1, random.nextBoolean() ? TIMEOUT : MAX_AWAY);
        boolean _ = link.lockBoth(); // as a recovery does, until it has ended
        link.closeConnection();
        if (random.nextBoolean()) {
            wire.loseToAgent(random.nextInt(wire.bytesToAgent() + 1));
        }
        trace.accept("the wire breaks, until step " + awayUntil);
    }

    private void comeBackOrGiveUp() {
        boolean isBack = now >= awayUntil;
        if (link.gone() == null && isBack) {
            reopen();
        } else if (link.gone() == null && now - awaySince > TIMEOUT) {
            trace.accept("the link is gone");
            giveUp();
        } else if (isBack && pairs.stream().allMatch(Pair::isIdle)) {
            replace();
        }
        if (isAway && now - awaySince > MEMORY && agent.knowsItsClient()) {
            trace.accept("the agent drops the client");
            agent.forget();
        }
    }

    private void giveUp() {
        link.gone(
                new FabricException(FabricException.Kind.CONNECTION_LOST, "it has been away"),
                false);
        link.unlockBoth();
        pairs.forEach(this::finish);
    }

    /// The wire is back in time: as [LinkRecovery] goes on.
    private void reopen() {
        boolean isKnown = agent.knowsItsClient();
        wire = agent.connect();
        if (isKnown) {
            link.reopened(new ClientHandshake.Opened(wire, INCARNATION, true, agent.regions()));
            link.unlockBoth();
            isAway = false;
            reopened++;
            trace.accept("the connection is opened again");
            link.send();
        } else {
            giveUp();
        }
    }

    /// The wire is back, and the link is gone: as [TcpComputeFabric] opens the next one, before or
    /// after the queue pairs of the last one are closed.
    private void replace() {
        trace.accept("another link takes the place of the last one");
        wire = agent.connect();
        AgentLink before = link;
        link = open(before);
        isAway = false;
        replaced++;
        List<Pair> all = new ArrayList<>(pairs);
        while (!all.isEmpty()) {
            Pair pair = all.remove(random.nextInt(all.size()));
            VerbStream next = random.nextBoolean() ? link.open() : null;
            before.forget(pair.stream);
            pair.stream = next == null ? link.open() : next;
        }
    }

    private int part(int bytes) {
        return random.nextBoolean() ? bytes : random.nextInt(1, bytes + 1);
    }

    private void deliverToClient() {
        if (!isAway && wire.bytesToClient() > 0) {
            wire.deliverToClient(part(wire.bytesToClient()));
            boolean _ = link.receive();
        }
    }

    private void deliverToAgent() {
        if (wire.bytesToAgent() > 0) {
            wire.deliverToAgent(part(wire.bytesToAgent()));
            try {
                agent.serve(wire);
            } catch (IOException e) {
                fail("the agent refuses a frame: " + e.getMessage());
            }
        }
    }

    private void handleRequest() {
        String problem = agent.handleRequest(wire);
        if (problem != null) {
            fail(problem);
        }
    }

    // ---- the end

    /// The memory itself is one of the states that can be.
    private void requireWords(Pair pair) {
        List<WordsModel.Verb> reads = new ArrayList<>();
        long[] words = new long[WORDS];
        for (int word = 0; word < WORDS; word++) {
            reads.add(read(word));
            words[word] = LocalMemory.longAt(region + offset(pair, word));
        }
        String contradiction = wrong == null ? pair.model.done(reads, words) : null;
        if (contradiction != null) {
            fail("in the end, " + contradiction);
        }
    }

    private void free() {
        for (Pair pair : pairs) {
            pair.stream.free();
            VerbStream settling = pair.settling;
            if (settling != null) {
                settling.free();
            }
        }
        if (isAway && link.gone() == null) {
            link.unlockBoth();
        }
        links.forEach(AgentLink::free);
        agent.free();
        arena.close();
    }
}
