package org.namdb.fabric.tcp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a few words may hold that one queue pair alone changes, if each of its verbs is done
/// exactly once and in its order: one state, or several after batches whose outcome is unknown, of
/// which a first part was done.
final class WordsModel {
    /// A verb on one of the words.
    ///
    /// @param op as an [AgentFrame] has it: READ, WRITE_WORD, COMPARE_AND_SWAP or FETCH_AND_ADD
    /// @param operand what is written, expected, or added
    /// @param desired of a compare-and-swap
    record Verb(int op, int word, long operand, long desired) {
        boolean isRead() {
            return op == AgentFrame.READ;
        }

        boolean returnsAWord() {
            return op != AgentFrame.WRITE_WORD;
        }

        private void apply(long[] words) {
            switch (op) {
                case AgentFrame.WRITE_WORD -> words[word] = operand;
                case AgentFrame.FETCH_AND_ADD -> words[word] += operand;
                case AgentFrame.COMPARE_AND_SWAP ->
                        words[word] = words[word] == operand ? desired : words[word];
                default -> {}
            }
        }
    }

    /// The words, as a list so that equal states are one.
    private Set<List<Long>> states = new LinkedHashSet<>();

    WordsModel(int words) {
        states.add(Arrays.stream(new long[words]).boxed().toList());
    }

    /// What a word may hold now.
    long any(int word) {
        return states.iterator().next().get(word);
    }

    int states() {
        return states.size();
    }

    /// The outcome of a batch is unknown: some first verbs were done, and the others never will be.
    void lost(List<Verb> batch) {
        Set<List<Long>> after = new LinkedHashSet<>(states);
        for (List<Long> state : states) {
            long[] words = state.stream().mapToLong(Long::longValue).toArray();
            for (Verb verb : batch) {
                verb.apply(words);
                after.add(Arrays.stream(words).boxed().toList());
            }
        }
        states = after;
    }

    /// A batch is done.
    ///
    /// @param found what its verbs have returned, by their places in the batch
    /// @return what can't be; null if all is well
    @Nullable String done(List<Verb> batch, long[] found) {
        Set<List<Long>> after = new LinkedHashSet<>();
        String wrong = null;
        for (List<Long> state : states) {
            List<long[]> course = new ArrayList<>();
            course.add(state.stream().mapToLong(Long::longValue).toArray());
            for (Verb verb : batch) {
                long[] next = course.getLast().clone();
                verb.apply(next);
                course.add(next);
            }
            String why = contradiction(batch, found, course);
            if (why == null) {
                after.add(Arrays.stream(course.getLast()).boxed().toList());
            } else if (wrong == null) {
                wrong = why;
            }
        }
        states = after;
        return after.isEmpty() ? wrong : null;
    }

    /// @param course the words before each verb, and at the end
    private static @Nullable String contradiction(
            List<Verb> batch, long[] found, List<long[]> course) {
        for (int i = 0; i < batch.size(); i++) {
            Verb verb = batch.get(i);
            if (verb.returnsAWord() && !isPossible(verb, i, found[i], course)) {
                return "%s has found %d, and not %d"
                        .formatted(verb, found[i], course.get(i)[verb.word]);
            }
        }
        return null;
    }

    /// A READ that was done is done again over another connection: it may see later verbs.
    private static boolean isPossible(Verb verb, int place, long found, List<long[]> course) {
        int last = verb.isRead() ? course.size() - 1 : place;
        for (int at = place; at <= last; at++) {
            if (course.get(at)[verb.word] == found) {
                return true;
            }
        }
        return false;
    }
}
