package org.namdb.memory.server;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// The advisory locks of all compute servers' sessions; memory server 0 has them. They lie on the
/// heap, and not in the region: they end with the sessions that have them.
///
/// A requester does not wait in the server: it gets the reply that the lock is busy, is in the
/// lock's queue from then on, and requests again. Locks are granted in the order of the queue,
/// except to a requester for which those before it wait themselves.
///
/// Used by one thread at a time.
final class AdvisoryLockTable {
    /// How many locks there are at the most.
    private static final int MAX_LOCKS = 1 << 18;

    private final Map<Key, Lock> locks = new LinkedHashMap<>();
    private final Map<Owner, Wait> waits = new LinkedHashMap<>();

    /// A session of a compute server.
    private record Owner(long computeServer, long session) {}

    /// What is locked.
    ///
    /// @param space distinguishes the kinds of keys
    private record Key(long space, long key) {}

    /// What an owner waits for.
    private record Wait(Key key, int mode) {}

    /// The holders of a lock, with their modes; and its waiters, in order.
    private record Lock(Map<Owner, Integer> holders, List<Owner> queue) {
        Lock() {
            this(new LinkedHashMap<>(), new ArrayList<>());
        }
    }

    /// Answers a request of [Request#ADVISORY_LOCKS].
    byte[] answer(ByteBuffer body) {
        long operation = body.getLong();
        if (operation == Request.LIST_LOCKS) {
            return list(body.getLong(), body.getLong());
        }
        long computeServer = body.getLong();
        if (operation == Request.END_LOCKS_OF_SERVER) {
            for (Owner owner : owners()) {
                if (owner.computeServer == computeServer) {
                    end(owner);
                }
            }
            return Request.reply();
        }
        Owner owner = new Owner(computeServer, body.getLong());
        if (operation == Request.END_LOCKS) {
            end(owner);
            return Request.reply();
        }
        if (operation == Request.STOP_WAITING) {
            stopWaiting(owner);
            return Request.reply();
        }
        Key key = new Key(body.getLong(), body.getLong());
        int mode = (int) body.getLong();
        if (mode != Request.SHARED && mode != Request.EXCLUSIVE) {
            throw new IllegalArgumentException("mode " + mode);
        }
        if (operation == Request.UNLOCK) {
            return Request.reply(unlock(owner, key, mode) ? 1 : 0);
        }
        if (operation != Request.TRY_LOCK && operation != Request.LOCK) {
            throw new IllegalArgumentException("operation " + operation);
        }
        return lock(owner, key, mode, operation == Request.LOCK);
    }

    private Set<Owner> owners() {
        Set<Owner> owners = new HashSet<>(waits.keySet());
        locks.values().forEach(lock -> owners.addAll(lock.holders.keySet()));
        return owners;
    }

    private byte[] lock(Owner owner, Key key, int mode, boolean waits) {
        Lock lock = locks.get(key);
        if (lock == null) {
            if (locks.size() >= MAX_LOCKS) {
                return new byte[] {Request.FULL};
            }
            lock = new Lock();
            locks.put(key, lock);
        }
        if (isGranted(lock, owner, mode)) {
            stopWaiting(owner);
            locks.put(key, lock); // it may have been dropped with the wait
            lock.holders.merge(owner, mode, (a, b) -> a | b);
            return Request.reply(Request.LOCK_GRANTED);
        }
        if (!waits) {
            return Request.reply(Request.LOCK_BUSY);
        }
        Wait wait = new Wait(key, mode);
        if (!wait.equals(this.waits.get(owner))) {
            stopWaiting(owner);
            this.waits.put(owner, wait);
            lock.queue.add(owner);
        }
        if (isWaitingFor(owner, owner, false)) {
            stopWaiting(owner);
            return Request.reply(Request.LOCK_DEADLOCK);
        }
        return Request.reply(Request.LOCK_BUSY);
    }

    private boolean isGranted(Lock lock, Owner owner, int mode) {
        if (!holdersBefore(lock, owner, mode).isEmpty()) {
            return false;
        }
        for (Owner before : queueBefore(lock, owner, mode)) {
            if (!isWaitingFor(before, owner, true)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isConflict(int mode, int others) {
        return ((mode | others) & Request.EXCLUSIVE) != 0;
    }

    /// The other holders that a request has to wait for.
    private static List<Owner> holdersBefore(Lock lock, Owner owner, int mode) {
        List<Owner> before = new ArrayList<>();
        lock.holders.forEach((holder, modes) -> {
            if (!holder.equals(owner) && isConflict(mode, modes)) {
                before.add(holder);
            }
        });
        return before;
    }

    /// Those in the queue that a request has to wait for.
    private List<Owner> queueBefore(Lock lock, Owner owner, int mode) {
        List<Owner> before = new ArrayList<>();
        for (Owner other : lock.queue) {
            if (other.equals(owner)) {
                break;
            }
            if (isConflict(mode, waitOf(other).mode)) {
                before.add(other);
            }
        }
        return before;
    }

    private Wait waitOf(Owner owner) {
        return Objects.requireNonNull(waits.get(owner));
    }

    /// Whether an owner waits for another one, or for one that does.
    ///
    /// @param target maybe the owner itself: then whether it waits for itself
    /// @param withQueue whether also for those before it in a queue
    private boolean isWaitingFor(Owner owner, Owner target, boolean withQueue) {
        Deque<Owner> left = new ArrayDeque<>();
        Set<Owner> seen = new HashSet<>();
        left.add(owner);
        while (!left.isEmpty()) {
            Owner next = left.remove();
            Wait wait = waits.get(next);
            if (wait == null) {
                continue;
            }
            Lock lock = Objects.requireNonNull(locks.get(wait.key));
            List<Owner> before = holdersBefore(lock, next, wait.mode);
            if (withQueue) {
                before.addAll(queueBefore(lock, next, wait.mode));
            }
            if (before.contains(target)) {
                return true;
            }
            before.stream().filter(seen::add).forEach(left::add);
        }
        return false;
    }

    private boolean unlock(Owner owner, Key key, int mode) {
        Lock lock = locks.get(key);
        Integer held = lock == null ? null : lock.holders.get(owner);
        if (lock == null || held == null || (held & mode) == 0) {
            return false;
        }
        if (held == mode) {
            lock.holders.remove(owner);
        } else {
            lock.holders.put(owner, held & ~mode);
        }
        dropIfUnused(key, lock);
        return true;
    }

    private void stopWaiting(Owner owner) {
        Wait wait = waits.remove(owner);
        if (wait != null) {
            Lock lock = Objects.requireNonNull(locks.get(wait.key));
            lock.queue.remove(owner);
            dropIfUnused(wait.key, lock);
        }
    }

    private void dropIfUnused(Key key, Lock lock) {
        if (lock.holders.isEmpty() && lock.queue.isEmpty()) {
            locks.remove(key);
        }
    }

    private void end(Owner owner) {
        stopWaiting(owner);
        List<Key> held = new ArrayList<>();
        locks.forEach((key, lock) -> {
            if (lock.holders.containsKey(owner)) {
                held.add(key);
            }
        });
        for (Key key : held) {
            Lock lock = Objects.requireNonNull(locks.get(key));
            lock.holders.remove(owner);
            dropIfUnused(key, lock);
        }
    }

    /// Who has or awaits what: six numbers for each.
    ///
    /// @param from how many to leave out
    /// @param most how many to give
    private byte[] list(long from, long most) {
        List<long[]> rows = new ArrayList<>();
        locks.forEach((key, lock) -> {
            lock.holders.forEach((owner, modes) -> {
                for (int mode : new int[] {Request.SHARED, Request.EXCLUSIVE}) {
                    if ((modes & mode) != 0) {
                        rows.add(row(owner, key, mode, true));
                    }
                }
            });
            lock.queue.forEach(owner -> rows.add(row(owner, key, waitOf(owner).mode, false)));
        });
        long[] numbers =
                rows.stream()
                        .skip(Math.max(0, from))
                        .limit(Math.max(0, most))
                        .flatMapToLong(Arrays::stream)
                        .toArray();
        return Request.reply(numbers);
    }

    private static long[] row(Owner owner, Key key, int mode, boolean isGranted) {
        return new long[] {
            owner.computeServer, owner.session, key.space, key.key, mode, isGranted ? 1 : 0
        };
    }
}
