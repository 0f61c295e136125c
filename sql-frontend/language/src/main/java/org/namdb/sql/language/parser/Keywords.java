package org.namdb.sql.language.parser;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.misc.IntervalSet;
import org.jspecify.annotations.Nullable;

/// The words of the grammar, in lower case. The grammar itself is where they are listed.
public final class Keywords {
    private static final Map<String, Integer> TYPES = types();
    private static final SortedSet<String> ALL =
            Collections.unmodifiableSortedSet(new TreeSet<>(TYPES.keySet()));
    private static final SortedSet<String> RESERVED = words(SqlGrammar.RULE_reservedKeyword);
    private static final IntervalSet BARE_TYPES = types(SqlGrammar.RULE_bareKeyword);
    private static final SortedSet<String> BARE = words(SqlGrammar.RULE_bareKeyword);

    private Keywords() {}

    /// All words that mean something to the grammar.
    public static SortedSet<String> all() {
        return ALL;
    }

    /// The words that are names only in double quotes.
    public static SortedSet<String> reserved() {
        return RESERVED;
    }

    /// Whether a name can be written without double quotes at every place where a name can stand,
    /// and means itself.
    public static boolean isPlainName(String name) {
        if (name.isEmpty() || !isPlainStart(name.charAt(0))) {
            return false;
        }
        return (!ALL.contains(name) || BARE.contains(name))
                && name.chars()
                        .allMatch(
                                c -> isPlainStart((char) c) || (c >= '0' && c <= '9') || c == '$');
    }

    private static boolean isPlainStart(char c) {
        return (c >= 'a' && c <= 'z') || c == '_' || c >= 0x80;
    }

    /// The name as it is written in SQL: in double quotes if it needs them.
    public static String quoted(String name) {
        return isPlainName(name) ? name : '"' + name.replace("\"", "\"\"") + '"';
    }

    /// The token type of a word; null if it is no keyword.
    static @Nullable Integer type(String word) {
        return TYPES.get(word);
    }

    /// Whether a token is a word that is a name too, of functions as well.
    static boolean isBare(int tokenType) {
        return BARE_TYPES.contains(tokenType);
    }

    /// The word in lower case: only ASCII letters change, as in PostgreSQL.
    static String folded(String word) {
        for (int i = 0; i < word.length(); i++) {
            if (isUpper(word.charAt(i))) {
                return folded(word, i);
            }
        }
        return word;
    }

    private static String folded(String word, int from) {
        char[] letters = word.toCharArray();
        for (int i = from; i < letters.length; i++) {
            if (isUpper(letters[i])) {
                letters[i] = Character.toLowerCase(letters[i]);
            }
        }
        return new String(letters);
    }

    private static boolean isUpper(char c) {
        return c >= 'A' && c <= 'Z';
    }

    private static Map<String, Integer> types() {
        Map<String, Integer> types = new HashMap<>();
        for (int type = SqlGrammar.ABORT; type <= SqlGrammar.ZONE; type++) {
            types.put(folded(SqlGrammar.VOCABULARY.getSymbolicName(type)), type);
        }
        return types;
    }

    private static IntervalSet types(int rule) {
        return SqlGrammar._ATN.nextTokens(SqlGrammar._ATN.ruleToStartState[rule]);
    }

    /// The words that a rule of the grammar lists.
    private static SortedSet<String> words(int rule) {
        SortedSet<String> words = new TreeSet<>();
        for (int type : types(rule).toArray()) {
            if (type != Token.EPSILON) {
                words.add(folded(SqlGrammar.VOCABULARY.getSymbolicName(type)));
            }
        }
        return Collections.unmodifiableSortedSet(words);
    }
}
