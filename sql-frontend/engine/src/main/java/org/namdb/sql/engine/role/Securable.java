package org.namdb.sql.engine.role;

import static org.namdb.sql.engine.role.Privilege.CREATE;
import static org.namdb.sql.engine.role.Privilege.DELETE;
import static org.namdb.sql.engine.role.Privilege.EXECUTE;
import static org.namdb.sql.engine.role.Privilege.INSERT;
import static org.namdb.sql.engine.role.Privilege.REFERENCES;
import static org.namdb.sql.engine.role.Privilege.SELECT;
import static org.namdb.sql.engine.role.Privilege.TRIGGER;
import static org.namdb.sql.engine.role.Privilege.TRUNCATE;
import static org.namdb.sql.engine.role.Privilege.UPDATE;
import static org.namdb.sql.engine.role.Privilege.USAGE;

import java.util.Locale;

/// The kinds of objects that privileges can be on, with PostgreSQL's defaults.
public enum Securable {
    TABLE(0, INSERT, SELECT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER),
    SEQUENCE(0, SELECT, UPDATE, USAGE),
    PROCEDURE(EXECUTE.bit(), EXECUTE),
    SCHEMA(USAGE.bit(), USAGE, CREATE),
    /// Only superusers may use an untrusted language, unless they have granted it.
    LANGUAGE(0, USAGE);

    private final int all;
    private final int ofPublic;

    Securable(int ofPublic, Privilege... all) {
        int bits = 0;
        for (Privilege each : all) {
            bits |= each.bit();
        }
        this.all = bits;
        this.ofPublic = ofPublic;
    }

    /// All privileges that there are on one.
    public int all() {
        return all;
    }

    /// The ACL of one on which nothing was granted yet.
    public Acl usual(String owner) {
        return Acl.NONE.with(Acl.PUBLIC, ofPublic).with(owner, all);
    }

    /// As messages name it.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
