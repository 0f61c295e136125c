/// Roles and what they may do: the roles of a database, the access control lists of tables and
/// procedures, and what a session's role may do under one version of the schema.
///
/// Glossary: *role*, an owner of tables and holder of privileges; a *user* is a role that may log
/// in. *ACL* (access control list), the privileges on one object, by role. *Verifier*, what a
/// password is checked by without being stored.
@NullMarked
package org.namdb.sql.engine.role;

import org.jspecify.annotations.NullMarked;
