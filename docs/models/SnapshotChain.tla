---------------------------- MODULE SnapshotChain ----------------------------
(* The snapshot chain of org.namdb.timestamp.snapshot.SnapshotChain.

   N threads each own a slot V[i] and what their commits have installed, D[i]. A thread takes up to
   MaxT transactions, and may abandon another one: it begins, reads what all have installed,
   installs, and publishes.

     fetch     read the head's number
     collect   read the slots one by one, keeping the maximum with the newest member that the thread
               has. The member that is the head is not read
     choose    nothing new: the member that the thread has is the head. Else post the append
     read      read what all have installed, beside the append: in any order with it
     settle    the append has succeeded: use it, and what was read. If not:
               the head has moved twice since the first fetch: READ that member, and all once more;
               once: collect again
   A member's buffer may have been written again, so that its READ fails: fetch again. A thread may
   end before it has settled: what comes of its append, it learns by its next fetch.

   Not in here: slots on several servers, where a fetch that finds another head than the thread has
   collects once more. *)
EXTENDS Naturals, Sequences
CONSTANTS N, MaxT
T == 1..N
VARIABLES V, D, chain, pc, pos, buf, have, mine, first, swapped, seen, need, last, dep, snaps, begun
vars == <<V, D, chain, pc, pos, buf, have, mine, first, swapped, seen, need, last, dep, snaps, begun>>

Zero == [i \in T |-> 0]
Max(a, b) == IF a >= b THEN a ELSE b
Leq(a, b) == \A i \in T : a[i] <= b[i]

\* chain is the sequence of members with their writers: the head is the last. Number k is chain[k + 1].
Newest == Len(chain) - 1
Member(k) == chain[k + 1].v

Init == /\ V = Zero /\ D = Zero /\ chain = <<[v |-> Zero, w |-> 0]>>
        /\ pc = [i \in T |-> "idle"] /\ pos = [i \in T |-> 1]
        /\ buf = [i \in T |-> Zero]        \* what is collected
        /\ have = [i \in T |-> TRUE]       \* whether buf is a member so far
        /\ mine = [i \in T |-> 0] /\ first = [i \in T |-> 0]
        /\ swapped = [i \in T |-> "no"] /\ seen = [i \in T |-> Zero]
        /\ need = [i \in T |-> Zero] /\ last = Zero
        /\ dep = [i \in T |-> [k \in 1..MaxT |-> Zero]] /\ snaps = {}
        /\ begun = Zero

Begin(i) == /\ pc[i] = "idle" /\ last[i] < MaxT /\ begun[i] <= MaxT
            /\ begun' = [begun EXCEPT ![i] = @ + 1]
            /\ need' = [need EXCEPT ![i] = V]          \* all that was published before it began
            /\ pc' = [pc EXCEPT ![i] = "fetch"]
            /\ UNCHANGED <<V, D, chain, pos, buf, have, mine, first, swapped, seen, last, dep, snaps>>

Fetched(i) == /\ mine' = [mine EXCEPT ![i] = Newest]
              /\ pos' = [pos EXCEPT ![i] = 1] /\ pc' = [pc EXCEPT ![i] = "collect"]

Fetch(i) == /\ pc[i] = "fetch" /\ Fetched(i) /\ first' = [first EXCEPT ![i] = Newest]
            /\ UNCHANGED <<V, D, chain, buf, have, swapped, seen, need, last, dep, snaps, begun>>

Collect(i) == /\ pc[i] = "collect" /\ pos[i] <= N
              /\ buf' = [buf EXCEPT ![i][pos[i]] = Max(@, V[pos[i]])]
              /\ have' = [have EXCEPT ![i] = @ /\ V[pos[i]] <= buf[i][pos[i]]]
              /\ pos' = [pos EXCEPT ![i] = @ + 1]
              /\ UNCHANGED <<V, D, chain, pc, mine, first, swapped, seen, need, last, dep, snaps, begun>>

\* All is collected. What is read next is read beside the append, if there is one.
Choose(i) == /\ pc[i] = "collect" /\ pos[i] = N + 1
             /\ swapped' = [swapped EXCEPT ![i] = IF have[i] THEN "yes" ELSE "posted"]
             /\ pos' = [pos EXCEPT ![i] = 1] /\ pc' = [pc EXCEPT ![i] = "read"]
             /\ UNCHANGED <<V, D, chain, buf, have, mine, first, seen, need, last, dep, snaps, begun>>

Swap(i) == /\ pc[i] = "read" /\ swapped[i] = "posted"
           /\ IF Newest = mine[i]
              THEN /\ chain' = Append(chain, [v |-> buf[i], w |-> i])
                   /\ swapped' = [swapped EXCEPT ![i] = "yes"] /\ UNCHANGED mine
              ELSE /\ swapped' = [swapped EXCEPT ![i] = "lost"] /\ mine' = [mine EXCEPT ![i] = Newest]
                   /\ UNCHANGED chain
           /\ UNCHANGED <<V, D, pc, pos, buf, have, first, seen, need, last, dep, snaps, begun>>

Read(i) == /\ pc[i] = "read" /\ pos[i] <= N
           /\ seen' = [seen EXCEPT ![i][pos[i]] = D[pos[i]]]
           /\ pos' = [pos EXCEPT ![i] = @ + 1]
           /\ UNCHANGED <<V, D, chain, pc, buf, have, mine, first, swapped, need, last, dep, snaps, begun>>

\* The READ of a member, beside those of the records: before, after, or between them.
Take(i) == /\ pc[i] = "read" /\ swapped[i] = "member"
           /\ \/ /\ buf' = [buf EXCEPT ![i] = Member(mine[i])] /\ have' = [have EXCEPT ![i] = TRUE]
                 /\ swapped' = [swapped EXCEPT ![i] = "yes"] /\ UNCHANGED <<pc, pos, mine>>
              \/ /\ Fetched(i) /\ swapped' = [swapped EXCEPT ![i] = "no"] /\ UNCHANGED <<buf, have>>
           /\ UNCHANGED <<V, D, chain, first, seen, need, last, dep, snaps, begun>>

Settle(i) == /\ pc[i] = "read" /\ pos[i] = N + 1
             /\ \/ /\ swapped[i] = "yes"
                   /\ snaps' = snaps \cup {buf[i]} /\ have' = [have EXCEPT ![i] = TRUE]
                   /\ pc' = [pc EXCEPT ![i] = "run"] /\ UNCHANGED <<pos, swapped, buf>>
                \/ /\ swapped[i] = "lost" /\ mine[i] >= first[i] + 2
                   /\ swapped' = [swapped EXCEPT ![i] = "member"] /\ pos' = [pos EXCEPT ![i] = 1]
                   /\ UNCHANGED <<pc, snaps, have, buf>>
                \/ /\ swapped[i] = "lost" /\ mine[i] < first[i] + 2
                   /\ pc' = [pc EXCEPT ![i] = "collect"] /\ pos' = [pos EXCEPT ![i] = 1]
                   /\ swapped' = [swapped EXCEPT ![i] = "no"] /\ UNCHANGED snaps
                   /\ \/ UNCHANGED <<buf, have>>     \* the member could not be read
                      \/ /\ buf' = [buf EXCEPT ![i] = Member(mine[i])]
                         /\ have' = [have EXCEPT ![i] = TRUE]
             /\ UNCHANGED <<V, D, chain, mine, first, seen, need, last, dep, begun>>

\* It ends without having asked for what was posted, which is awaited all the same.
Abandon(i) == /\ pc[i] = "read" /\ swapped[i] \in {"yes", "lost"}
              /\ have' = [have EXCEPT ![i] = swapped[i] = "yes"]
              /\ pc' = [pc EXCEPT ![i] = "idle"]
              /\ UNCHANGED <<V, D, chain, pos, buf, mine, first, swapped, seen, need, last, dep, snaps, begun>>

Install(i) == /\ pc[i] = "run" /\ last' = [last EXCEPT ![i] = @ + 1]
              /\ dep' = [dep EXCEPT ![i][last[i] + 1] = buf[i]]
              /\ D' = [D EXCEPT ![i] = last[i] + 1]
              /\ pc' = [pc EXCEPT ![i] = "publish"]
              /\ UNCHANGED <<V, chain, pos, buf, have, mine, first, swapped, seen, need, snaps, begun>>

Publish(i) == /\ pc[i] = "publish" /\ V' = [V EXCEPT ![i] = last[i]]
              /\ pc' = [pc EXCEPT ![i] = "idle"]
              /\ UNCHANGED <<D, chain, pos, buf, have, mine, first, swapped, seen, need, last, dep, snaps, begun>>

Next == \E i \in T : \/ Begin(i) \/ Fetch(i) \/ Collect(i) \/ Choose(i) \/ Swap(i) \/ Read(i)
                     \/ Take(i) \/ Settle(i) \/ Abandon(i) \/ Install(i) \/ Publish(i)
Spec == Init /\ [][Next]_vars

\* A snapshot that holds a transaction holds all that this transaction's own snapshot held.
Causal == \A s \in snaps : \A i \in T : \A k \in 1..MaxT : k <= s[i] => Leq(dep[i][k], s)
\* Any two snapshots ever used can be compared: no long fork.
Chain  == \A a, b \in snaps : Leq(a, b) \/ Leq(b, a)
\* A transaction sees every commit that was published before it began (strong snapshot isolation).
Fresh  == \A i \in T : pc[i] = "run" => Leq(need[i], buf[i])
\* What a transaction has read beside its begin holds all that its snapshot shows.
Whole  == \A i \in T : pc[i] = "run" => Leq(buf[i], seen[i])
\* Each member dominates the one before.
Rises  == \A k \in DOMAIN chain : k > 1 => Leq(chain[k - 1].v, chain[k].v)
==============================================================================
