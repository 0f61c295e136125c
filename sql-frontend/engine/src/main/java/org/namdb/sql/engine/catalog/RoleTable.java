package org.namdb.sql.engine.catalog;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.namdb.compute.Schema;
import org.namdb.compute.schema.SchemaTable;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.engine.role.Acl;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.role.Role;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.engine.role.ScramVerifier;

/// The roles of a database as the properties of a hidden table's definition, which has no rows: so
/// each change of them is a change of the schema, which reaches all compute servers, and plans and
/// rights that depend on them are looked up again.
///
/// | property | text |
/// |---|---|
/// | `role.ada` | flags, verifier, end of its validity, the roles that it is a member of, id |
/// | `last-role` | the greatest id of a role |
/// | `of.procedure transfer` | owner, ACL: `none`, or role and privileges in turn |
///
/// Flags: `s` superuser, `r` may create roles, `d` may create databases, `l` may log in.
public final class RoleTable {
    private static final String TABLE = UniqueKey.HIDDEN + "roles";

    private static final String ROLE = "role.";
    private static final String LAST_ID = "last-role";
    private static final String OBJECT = "of.";
    private static final String NO_ACL = "none";

    private RoleTable() {}

    /// The roles of a database.
    static Roles read(Schema db) {
        SchemaTable table = db.describe(TABLE);
        return table == null ? Roles.NONE : decode(table.definition().properties());
    }

    /// Keeps the roles of a database, in place of those that were kept; a change of the schema.
    public static void store(Schema db, Roles roles) {
        TableDefinition.Builder definition =
                TableDefinition.named(TABLE).column("id", ColumnType.INT32).primaryKey("id");
        encode(roles).forEach(definition::property);
        if (db.findTable(TABLE) == null) {
            Table _ = db.createTable(definition.build());
        } else {
            Table _ = db.redefine(TABLE, definition.build());
        }
    }

    /// The roles as properties.
    static Map<String, String> encode(Roles roles) {
        Map<String, String> texts = new LinkedHashMap<>();
        roles.stored()
                .forEach((name, role) ->
                        texts.put(
                                ROLE + name,
                                Fields.join(
                                        List.of(
                                                flags(role),
                                                role.password() == null
                                                        ? ""
                                                        : role.password().toString(),
                                                role.validUntil() == null
                                                        ? ""
                                                        : role.validUntil().toString(),
                                                Fields.join(List.copyOf(role.memberOf())),
                                                Long.toString(role.id())))));
        if (roles.lastId() > 0) {
            texts.put(LAST_ID, Long.toString(roles.lastId()));
        }
        roles.objects().forEach((key, of) -> texts.put(OBJECT + key, encode(of)));
        return texts;
    }

    /// Reads what [#encode] gives.
    static Roles decode(Map<String, String> texts) {
        SortedMap<String, Role> roles = new TreeMap<>();
        SortedMap<String, Ownership> objects = new TreeMap<>();
        texts.forEach((key, text) -> {
            if (key.startsWith(ROLE)) {
                String name = key.substring(ROLE.length());
                roles.put(name, role(name, Fields.split(text)));
            } else if (key.startsWith(OBJECT)) {
                objects.put(key.substring(OBJECT.length()), ownership(text));
            }
        });
        return new Roles(roles, Long.parseLong(texts.getOrDefault(LAST_ID, "0")), objects);
    }

    private static String flags(Role role) {
        return (role.isSuperuser() ? "s" : "")
                + (role.canCreateRoles() ? "r" : "")
                + (role.canCreateDatabases() ? "d" : "")
                + (role.canLogin() ? "l" : "");
    }

    private static Role role(String name, List<String> fields) {
        String flags = fields.get(0);
        String password = fields.get(1);
        String end = fields.get(2);
        return new Role(
                name,
                fields.size() < 5 ? 0 : Long.parseLong(fields.get(4)),
                flags.contains("s"),
                flags.contains("r"),
                flags.contains("d"),
                flags.contains("l"),
                password.isEmpty() ? null : ScramVerifier.of(password),
                end.isEmpty() ? null : Instant.parse(end),
                Set.copyOf(Fields.split(fields.get(3))));
    }

    static String encode(Ownership of) {
        Acl acl = of.acl();
        return Fields.join(List.of(of.owner(), acl == null ? NO_ACL : Fields.join(acl.encode())));
    }

    static Ownership ownership(String text) {
        List<String> fields = Fields.split(text);
        return new Ownership(
                fields.get(0),
                fields.get(1).equals(NO_ACL) ? null : Acl.decode(Fields.split(fields.get(1))));
    }
}
