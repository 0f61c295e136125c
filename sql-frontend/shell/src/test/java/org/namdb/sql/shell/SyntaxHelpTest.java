package org.namdb.sql.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.antlr.v4.runtime.atn.ATNState;
import org.antlr.v4.runtime.atn.RuleStopState;
import org.antlr.v4.runtime.atn.RuleTransition;
import org.antlr.v4.runtime.atn.Transition;
import org.junit.jupiter.api.Test;
import org.namdb.sql.language.ast.RoutineStatement;
import org.namdb.sql.language.parser.SqlGrammar;

/// `\h` has help on every statement that the grammar takes.
class SyntaxHelpTest {
    private static final Set<String> TOPICS = Set.copyOf(new SyntaxHelp().names());

    /// The topics of rules that are not named like them.
    private static final Map<String, String> OF_RULES =
            Map.of(
                    "preparable", "WITH",
                    "setCharacteristics", "SET SESSION CHARACTERISTICS",
                    "setVariable", "SET",
                    "resetVariable", "RESET",
                    "procedureCall", "CALL",
                    "declareCursor", "DECLARE",
                    "fetchCursor", "FETCH",
                    "closeCursor", "CLOSE");

    /// As in CREATE OR REPLACE VIEW.
    private static final int MAX_WORDS = 4;

    @Test
    void eachRuleOfAStatementHasATopic() {
        List<String> rules = new ArrayList<>();
        eachRule(transition -> rules.add(SqlGrammar.ruleNames[transition.ruleIndex]));
        assertThat(rules).hasSizeGreaterThan(30);
        for (String rule : rules) {
            String words = rule.replaceAll("([A-Z])", " $1").toUpperCase(Locale.ROOT);
            assertThat(TOPICS)
                    .as("\\h of the rule " + rule)
                    .contains(OF_RULES.getOrDefault(rule, words));
        }
    }

    /// Other words that a statement may begin with, as END, are found, too.
    @Test
    void allThatAStatementMayBeginWithHasATopic() {
        Set<String> without = new TreeSet<>();
        eachRule(transition ->
                read(transition.target, List.of(), List.of(), new HashSet<>(), without));
        assertThat(without).isEmpty();
    }

    /// Those that the parser reads without the grammar.
    @Test
    void routinesHaveTopics() {
        for (RoutineStatement.Kind kind : RoutineStatement.Kind.values()) {
            assertThat(TOPICS).contains("ALTER " + kind, "DROP " + kind);
        }
        assertThat(TOPICS).contains("CREATE FUNCTION", "CREATE PROCEDURE", "DO");
    }

    private static void eachRule(Consumer<RuleTransition> action) {
        ATNState start = SqlGrammar._ATN.ruleToStartState[SqlGrammar.RULE_statement];
        for (Transition alternative : start.transition(0).target.getTransitions()) {
            ATNState state = alternative.target;
            while (!(state.transition(0) instanceof RuleTransition)) {
                state = state.transition(0).target;
            }
            action.accept((RuleTransition) state.transition(0));
        }
    }

    /// Reads on until the words are a statement that has help.
    ///
    /// @param callers the states behind the rules that are being read
    /// @param seen what was read with these words
    private static void read(
            ATNState state,
            List<ATNState> callers,
            List<String> words,
            Set<List<Object>> seen,
            Set<String> without) {
        if (!seen.add(List.of(state.stateNumber, callers, words))) {
            return;
        }
        if (state instanceof RuleStopState) {
            if (!callers.isEmpty()) {
                List<ATNState> rest = callers.subList(0, callers.size() - 1);
                read(callers.getLast(), rest, words, seen, without);
            } else if (!hasTopic(words)) {
                without.add(String.join(" ", words));
            }
            return;
        }
        for (Transition transition : state.getTransitions()) {
            if (transition instanceof RuleTransition rule) {
                List<ATNState> all = new ArrayList<>(callers);
                all.add(rule.followState);
                read(rule.target, all, words, seen, without);
            } else if (transition.isEpsilon()) {
                read(transition.target, callers, words, seen, without);
            } else {
                for (int token : transition.label().toList()) {
                    String word = SqlGrammar.VOCABULARY.getSymbolicName(token);
                    List<String> more = new ArrayList<>(words);
                    more.add(word);
                    if (hasTopic(more) || word.contains("LPAREN") && words.isEmpty()) {
                        continue; // a query may begin with its parenthesis
                    }
                    if (more.size() == MAX_WORDS) {
                        without.add(String.join(" ", more));
                    } else {
                        read(transition.target, callers, more, seen, without);
                    }
                }
            }
        }
    }

    /// Whether the first and the last word, or the first, are a topic: CREATE UNIQUE INDEX is read
    /// under CREATE INDEX.
    private static boolean hasTopic(List<String> words) {
        return TOPICS.contains(words.getFirst())
                || TOPICS.contains(words.getFirst() + " " + words.getLast());
    }
}
