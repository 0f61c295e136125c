package org.namdb.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.selcc.LineCache;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.cache.selcc.LineCacheOptions.Flush;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.FabricException;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.SimTrace;

/// A meeting on cached lines at which a compute server dies, at any of its verbs, or just after
/// another one has been paused, which then has requests of the dead one. All others notice the
/// death, fence the dead one, and clear away what it holds. What it was just changing is changed or
/// not. A change is of one word, as a WRITE that is longer may be torn by a death.
final class DeadLineMeeting extends CachedLineMeeting {
    private static final int MAX_VERBS = 300;
    private static final long MAX_NOTICE_NANOS = 20_000;
    private static final long MAX_BEGIN_NANOS = 200_000;
    private static final long PAUSE_NANOS = 200_000;
    private static final long POLL_NANOS = 1_000;

    private final List<ComputeFabric> sides = new ArrayList<>();
    private final int victim;
    private final int verbs;
    private final long noticeNanos;
    private final boolean isOtherPaused;
    private final boolean isFenced;
    private boolean isDeclaredDead;
    private int cleared;

    private DeadLineMeeting(long seed, boolean isFenced) {
        super(seed, SimTrace.off());
        this.isFenced = isFenced;
        victim = random.nextInt(2);
        verbs = random.nextInt(1, MAX_VERBS);
        noticeNanos = random.nextLong(1, MAX_NOTICE_NANOS);
        isOtherPaused = random.nextBoolean();
        if (isOtherPaused) {
            have(3, random.nextInt(2, 4), random.nextInt(1, 3));
        }
    }

    /// Has them meet.
    ///
    /// @return what is wrong, or null
    static @Nullable String of(long seed) {
        try (DeadLineMeeting meeting = new DeadLineMeeting(seed, true)) {
            return meeting.run();
        }
    }

    /// The same, but one that lives is declared dead, and what it holds is cleared away before it
    /// is fenced.
    static @Nullable String ofUnfenced(long seed) {
        try (DeadLineMeeting meeting = new DeadLineMeeting(seed, false)) {
            return meeting.run();
        }
    }

    /// Whether the compute server of a seed dies before it has done all that it does.
    static boolean hasDeath(long seed) {
        try (DeadLineMeeting meeting = new DeadLineMeeting(seed, true)) {
            return meeting.run() == null && meeting.hosts.get(meeting.victim).isDead();
        }
    }

    @Override
    LineCacheOptions options() {
        return super.options().withFlush(Flush.ON_RELEASE);
    }

    @Override
    ComputeFabric side(SimHost host, int number) {
        ComputeFabric side = fabric.computeSide(host);
        side.enroll(process(number));
        sides.add(side);
        return side;
    }

    @Override
    int end(int from, int drawn) {
        return from + 1;
    }

    @Override
    void begin() {
        SimHost dying = hosts.get(victim);
        if (!isFenced) {
            long declaredNanos = simulation.nanoTime() + random.nextLong(MAX_BEGIN_NANOS);
            simulation.at(declaredNanos, () -> isDeclaredDead = true);
        } else if (isOtherPaused) {
            long pauseNanos = simulation.nanoTime() + random.nextLong(MAX_BEGIN_NANOS);
            SimHost other = hosts.get(random.nextInt(victim + 1, 3));
            simulation.at(pauseNanos, () -> other.pause(PAUSE_NANOS));
            simulation.at(pauseNanos + noticeNanos, dying::crash);
        } else {
            dying.crashAtVerb(dying.verbs() + verbs);
        }
        for (int number = 0; number < hosts.size(); number++) {
            if (number != victim) {
                int own = number;
                hosts.get(number).start("watch", () -> watch(own));
            }
        }
    }

    private void watch(int number) {
        SimHost host = hosts.get(number);
        while (!hosts.get(victim).isDead() && !isDeclaredDead) {
            if (!isRunning()) {
                return;
            }
            host.sleep(POLL_NANOS);
        }
        host.sleep(noticeNanos);
        if (isFenced) {
            sides.get(number).fence(process(victim));
        }
        LineCache cache = caches.get(number);
        while (!clears(cache)) {
            host.sleep(POLL_NANOS);
        }
        cleared++;
    }

    /// A lost connection is tried again.
    private boolean clears(LineCache cache) {
        try {
            return cache.clear(Set.of(process(victim)));
        } catch (FabricException e) {
            if (e.kind() == FabricException.Kind.CONNECTION_LOST) {
                return false;
            }
            throw e;
        }
    }

    /// The dead one's lines are free, and all can read them.
    @Override
    void settle(SimHost host, int number) {
        hosts.get(victim).crashAtVerb(Long.MAX_VALUE);
        while (hosts.get(victim).isDead() && cleared < hosts.size() - 1) {
            host.sleep(POLL_NANOS);
        }
        try (LineClient client = connect(host, number, 0)) {
            for (int line = 0; line < lines().size(); line++) {
                read(client, host.name() + ".settle", line);
            }
        }
        super.settle(host, number);
    }
}
