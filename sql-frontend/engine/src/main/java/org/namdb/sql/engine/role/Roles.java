package org.namdb.sql.engine.role;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The roles of a database, and the owners and ACLs of what is no table: jars, procedures, the
/// schema, the language of procedures. Immutable, of one version of the schema.
///
/// @param stored the roles by name; [Role#BOOTSTRAP] is there even if it is not among them
/// @param lastId the greatest id that a role has or had
/// @param objects by [#key]
public record Roles(
        SortedMap<String, Role> stored, long lastId, SortedMap<String, Ownership> objects) {
    /// Without roles but the first one.
    public static final Roles NONE = new Roles(new TreeMap<>(), 0, new TreeMap<>());

    public static final String SCHEMA = "public";
    public static final String LANGUAGE = "java";

    private static final String JAR = "jar ";

    public Roles {
        stored = Collections.unmodifiableSortedMap(new TreeMap<>(stored));
        objects = Collections.unmodifiableSortedMap(new TreeMap<>(objects));
    }

    /// All roles; the first one before the others, which are in the order of their names.
    public List<Role> all() {
        List<Role> all = new ArrayList<>();
        all.add(required(Role.BOOTSTRAP.name()));
        stored.values().stream()
                .filter(role -> !role.name().equals(Role.BOOTSTRAP.name()))
                .forEach(all::add);
        return all;
    }

    /// The role of this name; null if there is none.
    public @Nullable Role find(String name) {
        Role role = stored.get(name);
        return role == null && name.equals(Role.BOOTSTRAP.name()) ? Role.BOOTSTRAP : role;
    }

    /// The role of this name.
    ///
    /// @throws SqlException 42704 if there is none
    public Role required(String name) {
        Role role = find(name);
        if (role == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_OBJECT, "role \"" + name + "\" does not exist");
        }
        return role;
    }

    /// What an object that is no table is called in [#objects].
    public static String key(Securable kind, String name) {
        return kind + " " + name;
    }

    /// What a jar is called there.
    public static String jarKey(String jar) {
        return JAR + jar;
    }

    /// The owner of an object that is no table.
    public Ownership of(Securable kind, String name) {
        return objects.getOrDefault(key(kind, name), Ownership.BOOTSTRAP);
    }

    /// The owner of a jar.
    public Ownership ofJar(String jar) {
        return objects.getOrDefault(jarKey(jar), Ownership.BOOTSTRAP);
    }

    /// The owner of a procedure: its jar's.
    ///
    /// @param jar empty for one that the program has registered
    public Ownership ofProcedure(String name, String jar) {
        Acl acl = of(Securable.PROCEDURE, name).acl();
        return new Ownership(ofJar(jar).owner(), acl);
    }

    /// A role, and the roles that it is a member of, through others, too.
    public Set<String> effective(String role) {
        Set<String> found = new TreeSet<>();
        Deque<String> next = new ArrayDeque<>(List.of(role));
        while (!next.isEmpty()) {
            String each = next.pop();
            Role known = find(each);
            if (known != null && found.add(each)) {
                next.addAll(known.memberOf());
            }
        }
        return found;
    }

    /// The same with another role in the place of the one of its name.
    public Roles with(Role role) {
        SortedMap<String, Role> changed = new TreeMap<>(stored);
        changed.put(role.name(), role);
        return new Roles(changed, Math.max(lastId, role.id()), objects);
    }

    /// The same without a role, and without what others were as its members.
    public Roles without(String name) {
        SortedMap<String, Role> changed = new TreeMap<>(stored);
        changed.remove(name);
        changed.replaceAll((_, role) -> role.withMembership(name, false));
        return new Roles(changed, lastId, objects);
    }

    /// The same with another owner or ACL of an object; without it, if that is the usual one.
    public Roles with(String key, Ownership ownership) {
        SortedMap<String, Ownership> changed = new TreeMap<>(objects);
        if (ownership.equals(Ownership.BOOTSTRAP)) {
            changed.remove(key);
        } else {
            changed.put(key, ownership);
        }
        return new Roles(stored, lastId, changed);
    }

    /// What a role may do. One that was dropped may do what all may.
    ///
    /// @param id the role's, which another one of its name does not have
    /// @param version of the schema that these roles are of
    public Authority authority(String role, long id, long version) {
        Role known = find(role);
        return known == null || known.id() != id
                ? new Authority(role, version, null, Set.of(), this)
                : new Authority(role, version, known, effective(role), this);
    }
}
