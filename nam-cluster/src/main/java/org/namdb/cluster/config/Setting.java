package org.namdb.cluster.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A setting of the configuration.
///
/// @param name as in `membership.lease`; `[]` stands where a list's position does
/// @param parser reads it; its exception says what is allowed
/// @param defaultText what is read where it is not set; null if there is nothing
record Setting<T>(String name, Function<String, T> parser, @Nullable String defaultText) {
    private static final String POSITION = "[]";

    static Setting<String> text(String name, @Nullable String defaultText) {
        return new Setting<>(name, Setting::nonBlank, defaultText);
    }

    /// A number that need not be chosen.
    static Setting<Integer> number(String name, int least, int most) {
        return new Setting<>(name, text -> parsed(text, least, most), null);
    }

    static Setting<Integer> number(String name, int least, int most, int standard) {
        return new Setting<>(name, text -> parsed(text, least, most), Integer.toString(standard));
    }

    static <E extends Enum<E>> Setting<E> choice(String name, E standard) {
        List<E> choices = Arrays.asList(standard.getDeclaringClass().getEnumConstants());
        return new Setting<>(name, text -> choice(text, choices), standard.toString());
    }

    private static String nonBlank(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("it can't be empty");
        }
        return text.strip();
    }

    private static int parsed(String text, int least, int most) {
        try {
            int number = Integer.parseInt(text.strip());
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException(
                "it is a whole number from %d to %d, not '%s'".formatted(least, most, text));
    }

    private static <E extends Enum<E>> E choice(String text, List<E> choices) {
        for (E choice : choices) {
            if (choice.toString().equalsIgnoreCase(text.strip())) {
                return choice;
            }
        }
        String all = choices.stream().map(Object::toString).collect(Collectors.joining(", "));
        throw new IllegalArgumentException("it is one of %s, not '%s'".formatted(all, text));
    }

    /// Its name at this position of its list, if it is of a list.
    String nameAt(int position) {
        return name.replace(POSITION, "[" + position + "]");
    }

    boolean isOfList() {
        return name.contains(POSITION);
    }

    /// The variable of the environment that chooses the setting `name`: `NAMDB_MEMBERSHIP_LEASE`.
    static String variable(String name) {
        return "NAMDB_" + name.replaceAll("[.\\[-]", "_").replace("]", "").toUpperCase(Locale.ROOT);
    }
}
