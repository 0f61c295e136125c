package org.namdb.cache.line;

import static org.namdb.cache.line.LatchWordState.ABANDONED;
import static org.namdb.cache.line.LatchWordState.ACTION;
import static org.namdb.cache.line.LatchWordState.ALIVE;
import static org.namdb.cache.line.LatchWordState.ANNOUNCED;
import static org.namdb.cache.line.LatchWordState.ANSWER;
import static org.namdb.cache.line.LatchWordState.AWAITED;
import static org.namdb.cache.line.LatchWordState.COPY;
import static org.namdb.cache.line.LatchWordState.COUNT;
import static org.namdb.cache.line.LatchWordState.DEAD;
import static org.namdb.cache.line.LatchWordState.DEATH;
import static org.namdb.cache.line.LatchWordState.DONE;
import static org.namdb.cache.line.LatchWordState.FORGOTTEN;
import static org.namdb.cache.line.LatchWordState.FRAME;
import static org.namdb.cache.line.LatchWordState.FRESH;
import static org.namdb.cache.line.LatchWordState.HANDLING;
import static org.namdb.cache.line.LatchWordState.IDLE;
import static org.namdb.cache.line.LatchWordState.IMPATIENT;
import static org.namdb.cache.line.LatchWordState.INVALID;
import static org.namdb.cache.line.LatchWordState.IS_FRESH;
import static org.namdb.cache.line.LatchWordState.LATER;
import static org.namdb.cache.line.LatchWordState.MEMORY;
import static org.namdb.cache.line.LatchWordState.MODIFIED;
import static org.namdb.cache.line.LatchWordState.MORTAL;
import static org.namdb.cache.line.LatchWordState.NEXT;
import static org.namdb.cache.line.LatchWordState.NOTHING;
import static org.namdb.cache.line.LatchWordState.NO_STATION;
import static org.namdb.cache.line.LatchWordState.NUMBERS;
import static org.namdb.cache.line.LatchWordState.PAIR;
import static org.namdb.cache.line.LatchWordState.POSTED;
import static org.namdb.cache.line.LatchWordState.REBORN;
import static org.namdb.cache.line.LatchWordState.RELINQUISH;
import static org.namdb.cache.line.LatchWordState.REQUESTER;
import static org.namdb.cache.line.LatchWordState.REQUEST_EXCLUSIVE;
import static org.namdb.cache.line.LatchWordState.REQUEST_INVALIDATE;
import static org.namdb.cache.line.LatchWordState.REQUEST_SHARED;
import static org.namdb.cache.line.LatchWordState.SEEN;
import static org.namdb.cache.line.LatchWordState.SHARE;
import static org.namdb.cache.line.LatchWordState.SHARED;
import static org.namdb.cache.line.LatchWordState.SHARE_OWN;
import static org.namdb.cache.line.LatchWordState.SHARE_READ;
import static org.namdb.cache.line.LatchWordState.SHARE_RETRY;
import static org.namdb.cache.line.LatchWordState.SHARE_WAIT;
import static org.namdb.cache.line.LatchWordState.STALE;
import static org.namdb.cache.line.LatchWordState.STATION;
import static org.namdb.cache.line.LatchWordState.SWEPT;
import static org.namdb.cache.line.LatchWordState.TAKE;
import static org.namdb.cache.line.LatchWordState.TAKE_READ;
import static org.namdb.cache.line.LatchWordState.TAKE_WAIT;
import static org.namdb.cache.line.LatchWordState.UPGRADE;
import static org.namdb.cache.line.LatchWordState.UPGRADE_WAIT;
import static org.namdb.cache.line.LatchWordState.WAITS;
import static org.namdb.cache.line.LatchWordState.WRITE;
import static org.namdb.cache.line.LatchWordState.reader;
import static org.namdb.cache.line.LatchWordState.writer;

import org.jspecify.annotations.Nullable;
import org.namdb.cache.line.LatchWordModel.Fault;

/// The steps of a [LatchWordModel] from a state.
final class LatchWordSteps {
    private final LatchWordModel model;
    private final Fault fault;
    private final LatchWordState before;
    private LatchWordState next;
    private @Nullable String wrong;

    LatchWordSteps(LatchWordModel model, LatchWordState before) {
        this.model = model;
        this.fault = model.fault();
        this.before = before;
        this.next = before;
    }

    @Nullable String all() {
        for (int station = 0; station < COUNT; station++) {
            if (before.acts(station)) {
                int s = station;
                thread(s);
                handler(s);
            }
        }
        if (model.isMortal()) {
            death();
        }
        return wrong;
    }

    private void step(String name, Runnable change) {
        if (wrong == null) {
            next = before.next(name);
            change.run();
            wrong = model.add(next);
        }
    }

    private void thread(int s) {
        String by = "station " + s + " ";
        int frame = before.of(s, FRAME);
        switch (before.of(s, NEXT)) {
            case IDLE -> {
                boolean isLatched = before.of(s, HANDLING) != 0;
                if (fault == Fault.USED_WHILE_RELEASED
                        && frame == MODIFIED
                        && before.of(s, HANDLING) == POSTED) {
                    step(by + "changes what is released", () -> change(s));
                }
                if (isLatched) {
                    return;
                }
                if (frame == INVALID) {
                    if (fault == Fault.READ_FIRST) {
                        step(
                                by + "READ line",
                                () -> {
                                    next.put(s, IS_FRESH, next.get(MEMORY));
                                    next.put(s, NEXT, SHARE);
                                });
                    } else {
                        step(by + "FAA bit", () -> announce(s));
                    }
                    step(by + "CAS", () -> take(s));
                } else {
                    step(
                            by + "evicts",
                            () -> {
                                next.add(frame == SHARED ? -reader(s) : -writer(s));
                                invalidate(s);
                            });
                }
                if (frame == SHARED) {
                    step(by + "CAS bit", () -> upgrade(s));
                } else if (frame == MODIFIED) {
                    step(by + "changes", () -> change(s));
                }
            }
            case SHARE -> step(by + "FAA bit", () -> announce(s));
            case SHARE_READ -> step(by + "READ line", () -> share(s));
            case SHARE_OWN ->
                    step(
                            by + "FAA -own",
                            () -> {
                                next.add(-writer(s));
                                have(s, SHARED);
                            });
            case SHARE_WAIT -> {
                await(s, by, SHARED, SHARE_RETRY);
                abandon(s, by, () -> retract(s));
            }
            case SHARE_RETRY -> {
                step(
                        by + "READ word",
                        () -> {
                            next.put(s, SEEN, next.writerSeen());
                            next.put(s, NEXT, SHARE_READ);
                        });
                step(by + "gives up: FAA -bit", () -> retract(s));
            }
            case TAKE -> {
                step(by + "CAS", () -> take(s));
                step(by + "gives up", () -> invalidate(s));
            }
            case TAKE_READ ->
                    step(
                            by + "READ line",
                            () -> {
                                next.put(s, IS_FRESH, next.get(MEMORY));
                                have(s, MODIFIED);
                            });
            case TAKE_WAIT -> {
                await(s, by, MODIFIED, TAKE);
                abandon(s, by, () -> invalidate(s));
            }
            case UPGRADE -> {
                step(by + "CAS bit", () -> upgrade(s));
                step(
                        by + "FAA -bit",
                        () -> {
                            next.add(-reader(s));
                            next.put(s, FRAME, INVALID);
                            next.put(s, NEXT, TAKE);
                        });
                step(by + "gives up", () -> next.put(s, NEXT, IDLE));
            }
            case UPGRADE_WAIT -> {
                await(s, by, MODIFIED, UPGRADE);
                abandon(s, by, () -> next.put(s, NEXT, IDLE));
            }
            case WRITE ->
                    step(
                            by + "WRITE line",
                            () -> {
                                next.set(MEMORY, 1);
                                next.put(s, NEXT, IDLE);
                            });
            default -> throw new AssertionError("no step");
        }
    }

    private void announce(int s) {
        next.put(s, SEEN, next.writerSeen());
        next.add(reader(s));
        next.put(s, NEXT, SHARE_READ);
    }

    private void have(int s, int frame) {
        next.put(s, FRAME, frame);
        next.put(s, NEXT, IDLE);
    }

    private void invalidate(int s) {
        have(s, INVALID);
        next.put(s, IS_FRESH, 0);
    }

    private void retract(int s) {
        next.add(-reader(s));
        invalidate(s);
    }

    /// All other copies are old now.
    private void change(int s) {
        for (int station = 0; station < COUNT; station++) {
            next.put(station, IS_FRESH, station == s ? 1 : 0);
            next.put(station, COPY, 0);
            for (int other = 0; other < COUNT; other++) {
                int answer = LatchWordState.pair(station, other) + ANSWER;
                if (next.get(answer) == FRESH) {
                    next.set(answer, STALE);
                }
            }
        }
        next.set(MEMORY, 0);
        next.put(s, NEXT, WRITE);
    }

    private void share(int s) {
        if (fault != Fault.READ_FIRST) {
            next.put(s, IS_FRESH, next.get(MEMORY));
        }
        int seen = next.of(s, SEEN);
        next.put(s, SEEN, 0);
        if (seen == NO_STATION || fault == Fault.WRITER_IGNORED) {
            have(s, SHARED);
        } else if (seen == s) {
            next.put(s, NEXT, SHARE_OWN);
        } else {
            next.put(s, FRAME, ANNOUNCED);
            next.put(s, NEXT, SHARE_WAIT);
            request(s, seen, REQUEST_SHARED);
        }
    }

    private void take(int s) {
        if (next.word() == LatchWord.FREE) {
            next.add(writer(s));
            next.put(s, NEXT, TAKE_READ);
        } else if (next.writerSeen() == s) {
            next.put(s, NEXT, TAKE_READ);
        } else {
            requestAll(s);
            next.put(s, NEXT, TAKE_WAIT);
        }
    }

    private void upgrade(int s) {
        if (next.word() == reader(s) || fault == Fault.UPGRADE_UNCHECKED) {
            next.add(writer(s) - reader(s));
            have(s, MODIFIED);
        } else {
            requestAll(s);
            next.put(s, NEXT, UPGRADE_WAIT);
        }
    }

    private void requestAll(int s) {
        int writer = next.writerSeen();
        for (int other = 0; other < COUNT; other++) {
            if (other == writer) {
                request(s, other, REQUEST_EXCLUSIVE);
            } else if (writer == NO_STATION
                    && other != s
                    && LatchWord.hasReader(next.word(), NUMBERS[other])) {
                request(s, other, REQUEST_INVALIDATE);
            }
        }
    }

    /// One that is dead does not answer. Nor is there an answer if two requests are on their
    /// way: in the model no more fit.
    private void request(int requester, int requested, int kind) {
        int pair = LatchWordState.pair(requester, requested);
        if (!next.acts(requested) || next.get(pair + LATER) != 0) {
            return;
        }
        next.set(pair + (next.get(pair) == 0 ? 0 : LATER), kind | AWAITED);
        next.set(pair + WAITS, 1);
    }

    /// All answers are there.
    private void await(int s, String by, int frame, int retry) {
        int granted = 0;
        for (int other = 0; other < COUNT; other++) {
            int pair = LatchWordState.pair(s, other);
            if (before.get(pair + WAITS) != 0) {
                return;
            }
            granted = Math.max(granted, before.get(pair + ANSWER));
        }
        boolean isGranted = granted >= STALE;
        boolean isFresh = granted == FRESH;
        step(
                by + (isGranted ? "is granted the line" : "tries again"),
                () -> {
                    forgetAnswers(s);
                    if (isGranted) {
                        next.put(s, IS_FRESH, isFresh ? 1 : 0);
                        have(s, frame);
                    } else {
                        next.put(s, NEXT, retry);
                    }
                });
    }

    private void forgetAnswers(int s) {
        for (int other = 0; other < COUNT; other++) {
            int pair = LatchWordState.pair(s, other);
            next.set(pair + WAITS, 0);
            next.set(pair + ANSWER, 0);
            next.set(pair, next.get(pair) & ~AWAITED);
            next.set(pair + LATER, next.get(pair + LATER) & ~AWAITED);
            if (next.of(other, REQUESTER) == s) {
                next.put(other, ACTION, next.of(other, ACTION) & ~AWAITED);
            }
        }
    }

    /// Gives up, though the request may be granted yet.
    private void abandon(int s, String by, Runnable end) {
        if (s == IMPATIENT && before.get(ABANDONED) < model.maxAbandoned()) {
            step(
                    by + "waits no longer",
                    () -> {
                        next.set(ABANDONED, next.get(ABANDONED) + 1);
                        forgetAnswers(s);
                        end.run();
                    });
        }
    }

    private void handler(int s) {
        String by = "handler " + s + " ";
        switch (before.of(s, HANDLING)) {
            case 0 -> {
                for (int requester = 0; requester < COUNT; requester++) {
                    int from = requester;
                    if (before.get(LatchWordState.pair(from, s)) != 0) {
                        step(by + "receives a request of " + from, () -> receive(s, from));
                    }
                }
            }
            case POSTED -> step(by + "FAA", () -> release(s));
            default -> step(by + "is done", () -> done(s));
        }
    }

    private void receive(int s, int requester) {
        int pair = LatchWordState.pair(requester, s);
        int kind = next.get(pair) & ~AWAITED;
        int awaited = next.get(pair) & AWAITED;
        next.set(pair, next.get(pair + LATER));
        next.set(pair + LATER, 0);
        int frame = next.of(s, FRAME);
        boolean isHeld = frame == (kind == REQUEST_INVALIDATE ? SHARED : MODIFIED);
        boolean isAbsent = frame == INVALID && kind != REQUEST_INVALIDATE;
        if (next.of(s, NEXT) != IDLE || !isHeld && !isAbsent) {
            answer(requester, s, NOTHING, awaited);
            return;
        }
        next.put(s, HANDLING, POSTED);
        next.put(s, ACTION, (isAbsent ? RELINQUISH : kind) | awaited);
        next.put(s, REQUESTER, requester);
        next.put(s, COPY, next.of(s, IS_FRESH));
        if (fault == Fault.ANSWERED_EARLY) {
            answer(s);
        }
    }

    private void release(int s) {
        int requester = next.of(s, REQUESTER);
        switch (next.of(s, ACTION) & ~AWAITED) {
            case REQUEST_INVALIDATE -> next.add(-reader(s));
            case REQUEST_SHARED -> next.add(reader(s) - writer(s));
            case REQUEST_EXCLUSIVE -> next.add(writer(requester) - writer(s));
            default -> next.word(LatchWord.without(next.word(), NUMBERS[s]));
        }
        next.put(s, HANDLING, DONE);
    }

    private void done(int s) {
        boolean isKept = (next.of(s, ACTION) & ~AWAITED) == REQUEST_SHARED;
        next.put(s, FRAME, isKept ? SHARED : INVALID);
        if (fault != Fault.ANSWERED_EARLY) {
            answer(s);
        }
        next.put(s, HANDLING, 0);
        next.put(s, ACTION, 0);
        next.put(s, REQUESTER, 0);
        next.put(s, COPY, 0);
        if (!isKept) {
            next.put(s, IS_FRESH, 0);
        }
    }

    private void answer(int s) {
        int kind = next.of(s, ACTION) & ~AWAITED;
        boolean isGranted = kind == REQUEST_SHARED || kind == REQUEST_EXCLUSIVE;
        int copy = next.of(s, COPY) == 0 ? STALE : FRESH;
        answer(next.of(s, REQUESTER), s, isGranted ? copy : NOTHING, next.of(s, ACTION) & AWAITED);
    }

    private void answer(int requester, int s, int answer, int awaited) {
        int pair = LatchWordState.pair(requester, s);
        if (awaited != 0) {
            next.set(pair + WAITS, 0);
            next.set(pair + ANSWER, answer);
        }
    }

    private void death() {
        int death = before.get(DEATH);
        if (death == ALIVE) {
            step("the last station is fenced", this::die);
            if (fault == Fault.SWEPT_BEFORE_FENCED) {
                step("the last station is swept alive", this::sweep);
            }
        }
        if (death == DEAD) {
            boolean areAllSure = true;
            for (int station = 0; station < MORTAL; station++) {
                int s = station;
                areAllSure &= before.of(s, FORGOTTEN) != 0;
                if (before.of(s, FORGOTTEN) == 0 && before.of(s, HANDLING) == 0) {
                    step(
                            "handler " + s + " forgets the last station",
                            () -> {
                                next.put(s, FORGOTTEN, 1);
                                next.set(LatchWordState.pair(MORTAL, s), 0);
                                next.set(LatchWordState.pair(MORTAL, s) + LATER, 0);
                            });
                }
            }
            if (areAllSure || fault == Fault.FORGET_SKIPPED) {
                step(
                        "the last station is swept",
                        () -> {
                            sweep();
                            next.set(DEATH, SWEPT);
                        });
            }
        }
        if (death == SWEPT && model.isReborn()) {
            step("the last station is another process's", () -> next.set(DEATH, REBORN));
        }
    }

    private void sweep() {
        next.word(LatchWord.without(next.word(), NUMBERS[MORTAL]));
    }

    /// What it was changing counts if it is in memory.
    private void die() {
        if (next.of(MORTAL, NEXT) == WRITE) {
            next.set(MEMORY, 1);
        }
        forgetAnswers(MORTAL);
        for (int what = 0; what < STATION; what++) {
            next.put(MORTAL, what, 0);
        }
        for (int other = 0; other < COUNT; other++) {
            int pair = LatchWordState.pair(other, MORTAL);
            for (int what = 0; what < PAIR; what++) {
                next.set(pair + what, 0);
            }
        }
        next.set(DEATH, DEAD);
    }
}
