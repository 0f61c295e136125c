package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.parser.Keywords;

/// What the text of a view's query names, collected while the query is bound: the tables and views
/// that it reads, the functions and sequences that it uses, and what each `*` stands for.
public final class ViewNames {
    private final List<Query.TableSource> sources = new ArrayList<>();

    /// By the places of the stars, the last one first.
    private final Map<Integer, Replacement> stars = new TreeMap<>(Comparator.reverseOrder());

    private final Set<String> routines = new HashSet<>();
    private final Set<String> sequences = new HashSet<>();

    private record Replacement(Position position, String text) {}

    void source(Query.TableSource source) {
        sources.add(source);
    }

    void star(Query.Star star, Scope scope) {
        String columns = String.join(", ", scope.written(star.qualifier()));
        stars.put(star.position().offset(), new Replacement(star.position(), columns));
    }

    void routine(String name) {
        routines.add(name);
    }

    void sequence(String name) {
        sequences.add(name);
    }

    /// Whether the query calls a function.
    public boolean calls(String routine) {
        return routines.contains(routine);
    }

    /// Whether the query reads a sequence, or takes values of it.
    public boolean usesSequence(String sequence) {
        return sequences.contains(sequence)
                || sources.stream().anyMatch(source -> source.table().text().equals(sequence));
    }

    /// The names of the tables and views that the query reads.
    public Set<String> sources() {
        Set<String> names = new LinkedHashSet<>();
        sources.forEach(source -> names.add(source.table().text()));
        return names;
    }

    /// The query with the columns in place of each `*`, and with SELECT in place of each `TABLE`.
    ///
    /// @param text what was parsed
    public String expanded(String text) {
        StringBuilder expanded = new StringBuilder(text);
        stars.forEach((offset, star) -> {
            int end = offset + star.position().length();
            boolean isStar = expanded.charAt(end - 1) == '*';
            expanded.replace(offset, end, isStar ? star.text() : "SELECT " + star.text() + " FROM");
        });
        return expanded.toString();
    }

    /// The query after a table or view has got another name; where it has no alias, the old name is
    /// one.
    ///
    /// @param text what was parsed
    public String renamed(String text, String old, String newName) {
        StringBuilder renamed = new StringBuilder(text);
        sources.sort(
                Comparator.comparingInt((Query.TableSource s) -> s.table().position().offset())
                        .reversed());
        for (Query.TableSource source : sources) {
            Name table = source.table();
            if (table.text().equals(old)) {
                int offset = table.position().offset();
                String alias = source.alias() == null ? " AS " + Keywords.quoted(old) : "";
                renamed.replace(
                        offset,
                        offset + table.position().length(),
                        Keywords.quoted(newName) + alias);
            }
        }
        return renamed.toString();
    }
}
