package org.namdb.sql.shell;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The options in a database's URL: `embedded:?memory=2g&servers=2`.
///
/// @param memoryBytes what all memory servers hold together
/// @param memoryServers how many there are
public record ShellUrl(long memoryBytes, int memoryServers) {
    /// One memory server of 4 GiB.
    public static final ShellUrl DEFAULT = new ShellUrl(4L << 30, 1);

    private static final Pattern SIZE = Pattern.compile("([0-9]{1,15})([kmgt]?)(i?b)?");
    private static final String UNITS = "kmgt";
    private static final long MIN_SERVER_BYTES = 16L << 20;
    private static final int MAX_SERVERS = 128;

    public ShellUrl {
        if (memoryServers < 1 || memoryServers > MAX_SERVERS) {
            throw new ShellException(
                    "there are 1 to %d memory servers, not %d"
                            .formatted(MAX_SERVERS, memoryServers));
        }
        if (memoryBytes / memoryServers < MIN_SERVER_BYTES) {
            throw new ShellException("a memory server needs at least 16m");
        }
    }

    /// Reads a URL.
    ///
    /// @throws ShellException if it isn't one
    public static ShellUrl parse(String url) {
        int colon = url.indexOf(':');
        String scheme = colon < 0 ? url : url.substring(0, colon);
        if (!scheme.equals("embedded")) {
            throw new ShellException(
                    "'"
                            + url
                            + "' can't be opened: a URL is embedded:, as in"
                            + " 'embedded:?memory=2g&servers=2', a database in this process's memory,"
                            + " or postgresql://HOST:PORT, a server; --data names a directory, and -f"
                            + " a file of statements");
        }
        String rest = colon < 0 ? "" : url.substring(colon + 1);
        if (!rest.isEmpty() && !rest.startsWith("?")) {
            throw new ShellException(
                    "an embedded database is in memory and has no name; say embedded: and not '"
                            + url
                            + "'");
        }
        ShellUrl parsed = DEFAULT;
        Set<String> given = new HashSet<>();
        for (String option : rest.isEmpty() ? new String[0] : rest.substring(1).split("&", -1)) {
            parsed = parsed.with(option);
            String name = option.split("=", 2)[0];
            if (!given.add(name)) {
                throw new ShellException("'" + url + "' says " + name + " twice");
            }
        }
        return parsed;
    }

    /// With another amount of memory.
    public ShellUrl withMemory(String size) {
        return new ShellUrl(bytes(size), memoryServers);
    }

    /// With another number of memory servers.
    public ShellUrl withServers(int servers) {
        return new ShellUrl(memoryBytes, servers);
    }

    private ShellUrl with(String option) {
        int equals = option.indexOf('=');
        String name = equals < 0 ? option : option.substring(0, equals);
        String value = equals < 0 ? "" : option.substring(equals + 1);
        return switch (name) {
            case "memory" -> withMemory(value);
            case "servers" -> withServers(number(value));
            default ->
                    throw new ShellException(
                            "a URL has the options memory and servers, not '" + option + "'");
        };
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new ShellException("servers is a number, not '" + text + "'");
        }
    }

    private static long bytes(String text) {
        Matcher size = SIZE.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (size.matches()) {
            String unit = size.group(2);
            int shift = unit.isEmpty() ? 0 : 10 * (UNITS.indexOf(unit) + 1);
            long number = Long.parseLong(size.group(1));
            if (number <= Long.MAX_VALUE >> shift) {
                return number << shift;
            }
        }
        throw new ShellException(
                "a size is a whole number and a unit as in 512m or 8g, not '" + text + "'");
    }
}
