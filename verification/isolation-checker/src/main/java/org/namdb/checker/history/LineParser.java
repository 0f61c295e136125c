package org.namdb.checker.history;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.core.json.JsonFactory;

/// Reads one line of a history file: a JSON object, its fields in any order, unknown ones ignored.
final class LineParser {
    private static final List<String> FIELDS =
            List.of("tid", "sid", "status", "i", "t", "b", "e", "snap", "ops");
    private static final int MAX_QUOTED = 40;
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\u0085\\u2028\\u2029]");

    private final JsonFactory factory = new JsonFactory();
    private final HistoryBuilder history;

    private long[] elements = new long[16];
    private int given;
    private long tid;
    private String sid = "";
    private Status status = Status.OK;
    private long i;
    private long t;
    private long b;
    private long e;
    private long[] snap = elements;
    private List<Operation> ops = List.of();

    LineParser(HistoryBuilder history) {
        this.history = history;
    }

    /// Adds the line's transaction to the history.
    ///
    /// @throws InvalidHistoryException if there is none, or it can't be
    void add(byte[] bytes, int offset, int length) {
        given = 0;
        try (JsonParser json =
                factory.createParser(ObjectReadContext.empty(), bytes, offset, length)) {
            object(json);
        } catch (UnexpectedEndOfInputException cut) {
            throw new InvalidHistoryException("the JSON object has no end");
        } catch (JacksonException malformed) {
            throw new InvalidHistoryException(
                    "malformed JSON at column " + malformed.getLocation().getColumnNr());
        }
        for (int field = 0; field < FIELDS.size(); field++) {
            if ((given & 1 << field) == 0) {
                throw new InvalidHistoryException(FIELDS.get(field) + " is missing");
            }
        }
        history.add(tid, sid, status, i, t, b, e, snap, ops);
    }

    private void object(JsonParser json) {
        if (json.nextToken() != JsonToken.START_OBJECT) {
            throw new InvalidHistoryException(
                    "there must be one JSON object, not " + describe(json));
        }
        String name;
        while ((name = json.nextName()) != null) {
            int field = FIELDS.indexOf(name);
            if (field >= 0) {
                if ((given & 1 << field) != 0) {
                    throw new InvalidHistoryException(name + " is given twice");
                }
                given |= 1 << field;
            }
            json.nextToken();
            field(name, json);
        }
        if (json.nextToken() != null) {
            throw new InvalidHistoryException(
                    "there must be one JSON object, but after it comes " + describe(json));
        }
    }

    private void field(String name, JsonParser json) {
        switch (name) {
            case "tid" -> tid = number(name, json);
            case "sid" -> sid = string(name, json);
            case "status" -> status = status(json);
            case "i" -> i = number(name, json);
            case "t" -> t = number(name, json);
            case "b" -> b = number(name, json);
            case "e" -> e = number(name, json);
            case "snap" -> snap = snapshot(json);
            case "ops" -> ops = operations(json);
            default -> json.skipChildren();
        }
    }

    private static long number(String what, JsonParser json) {
        if (json.currentToken() == JsonToken.VALUE_NUMBER_INT) {
            try {
                return json.getLongValue();
            } catch (InputCoercionException tooLarge) {
                throw new InvalidHistoryException(
                        what + " must be a number of 64 bits, not " + describe(json));
            }
        }
        throw new InvalidHistoryException(what + " must be a whole number, not " + describe(json));
    }

    private static String string(String what, JsonParser json) {
        if (json.currentToken() != JsonToken.VALUE_STRING) {
            throw new InvalidHistoryException(what + " must be a string, not " + describe(json));
        }
        return json.getString();
    }

    private static Status status(JsonParser json) {
        @Nullable Status status =
                json.currentToken() == JsonToken.VALUE_STRING ? Status.of(json.getString()) : null;
        if (status == null) {
            throw new InvalidHistoryException(
                    "status must be \"ok\", \"fail\" or \"info\", not " + describe(json));
        }
        return status;
    }

    private long[] snapshot(JsonParser json) {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw new InvalidHistoryException(
                    "snap must be an array of whole numbers, not " + describe(json));
        }
        int count = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (count == elements.length) {
                elements = Arrays.copyOf(elements, 2 * count);
            }
            elements[count++] = number("each element of snap", json);
        }
        return Arrays.copyOf(elements, count);
    }

    private static List<Operation> operations(JsonParser json) {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw new InvalidHistoryException(
                    "ops must be an array of operations, not " + describe(json));
        }
        List<Operation> operations = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            operations.add(operation(operations.size() + 1, json));
        }
        return operations;
    }

    private static Operation operation(int position, JsonParser json) {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw notAnOperation(position, json);
        }
        json.nextToken();
        String kind = json.currentToken() == JsonToken.VALUE_STRING ? json.getString() : "";
        if (!kind.equals("r") && !kind.equals("w")) {
            throw notAnOperation(position, json);
        }
        long key = operand(position, json);
        long value = operand(position, json);
        if (json.nextToken() != JsonToken.END_ARRAY) {
            throw notAnOperation(position, json);
        }
        return new Operation(kind.equals("w"), key, value);
    }

    private static long operand(int position, JsonParser json) {
        if (json.nextToken() != JsonToken.VALUE_NUMBER_INT) {
            throw notAnOperation(position, json);
        }
        return number("each key and value", json);
    }

    private static InvalidHistoryException notAnOperation(int position, JsonParser json) {
        return new InvalidHistoryException(
                "operation "
                        + position
                        + " must be [\"r\", key, value] or [\"w\", key, value], but there is "
                        + describe(json));
    }

    /// The current token in words.
    private static String describe(JsonParser json) {
        @Nullable JsonToken token = json.currentToken();
        if (token == null) {
            return "nothing";
        }
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case END_ARRAY, END_OBJECT -> "the end";
            case VALUE_STRING -> '"' + shortened(json.getString()) + '"';
            default -> shortened(json.getString());
        };
    }

    private static String shortened(String text) {
        String quoted = text.length() <= MAX_QUOTED ? text : text.substring(0, MAX_QUOTED) + "...";
        return CONTROL.matcher(quoted).replaceAll("?"); // a message is one line
    }
}
