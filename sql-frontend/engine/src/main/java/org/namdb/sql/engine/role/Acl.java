package org.namdb.sql.engine.role;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// An access control list: the privileges on one object, by role, in the order in which the roles
/// got them. Immutable.
///
/// @param privileges sets of [Privilege]s, none of them empty
public record Acl(Map<String, Integer> privileges) {
    /// Every role, future ones included.
    public static final String PUBLIC = "public";

    private static final Pattern ITEM_TO_QUOTE = Pattern.compile("[\"\\\\{},\\s]");

    /// Without any privilege.
    public static final Acl NONE = new Acl(Map.of());

    public Acl {
        privileges = Collections.unmodifiableMap(new LinkedHashMap<>(privileges));
    }

    /// The same with more privileges of a role.
    public Acl with(String role, int added) {
        return changed(role, of(role) | added);
    }

    /// The same with fewer privileges of a role.
    public Acl without(String role, int removed) {
        return changed(role, of(role) & ~removed);
    }

    private Acl changed(String role, int bits) {
        Map<String, Integer> changed = new LinkedHashMap<>(privileges);
        if (bits == 0) {
            changed.remove(role);
        } else {
            changed.put(role, bits);
        }
        return new Acl(changed);
    }

    /// What the owner had is the new owner's.
    public Acl ofOwner(String old, String owner) {
        Map<String, Integer> changed = new LinkedHashMap<>();
        privileges.forEach((role, bits) ->
                changed.merge(role.equals(old) ? owner : role, bits, (a, b) -> a | b));
        return new Acl(changed);
    }

    /// The privileges of a role, or of [#PUBLIC], by itself.
    public int of(String role) {
        return privileges.getOrDefault(role, 0);
    }

    /// What any of these roles may do, as a member of PUBLIC, too.
    public int of(Set<String> roles) {
        int bits = of(PUBLIC);
        for (String role : roles) {
            bits |= of(role);
        }
        return bits;
    }

    /// As PostgreSQL shows it: `{ada=arwdDxt/ada,=r/ada}`.
    ///
    /// @param owner the role that has granted all
    public String shown(String owner) {
        List<String> items = new ArrayList<>();
        privileges.forEach((role, bits) -> {
            String item = (role.equals(PUBLIC) ? "" : name(role)) + "=" + letters(bits);
            items.add(element(item + "/" + name(owner)));
        });
        return "{" + String.join(",", items) + "}";
    }

    /// A name in an ACL's item: quoted, unless it has letters of ASCII, digits and `_` alone.
    private static String name(String role) {
        return role.matches("\\w+") ? role : '"' + role.replace("\"", "\"\"") + '"';
    }

    /// An element of an array as PostgreSQL writes it.
    public static String element(String item) {
        return item.isEmpty() || item.equalsIgnoreCase("null") || ITEM_TO_QUOTE.matcher(item).find()
                ? '"' + item.replace("\\", "\\\\").replace("\"", "\\\"") + '"'
                : item;
    }

    private static String letters(int bits) {
        StringBuilder letters = new StringBuilder();
        for (Privilege each : Privilege.values()) {
            if ((bits & each.bit()) != 0) {
                letters.append(each.letter());
            }
        }
        return letters.toString();
    }

    /// As it is kept: role and letters in turn.
    public List<String> encode() {
        List<String> fields = new ArrayList<>();
        privileges.forEach((role, bits) -> {
            fields.add(role);
            fields.add(letters(bits));
        });
        return fields;
    }

    /// Reads what [#encode] gives.
    public static Acl decode(List<String> fields) {
        Map<String, Integer> privileges = new LinkedHashMap<>();
        for (int i = 0; i + 1 < fields.size(); i += 2) {
            int bits = 0;
            for (Privilege each : Privilege.values()) {
                if (fields.get(i + 1).indexOf(each.letter()) >= 0) {
                    bits |= each.bit();
                }
            }
            privileges.put(fields.get(i), bits);
        }
        return new Acl(privileges);
    }
}
