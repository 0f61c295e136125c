package org.namdb.sql.engine.catalog;

/// Relations of `pg_catalog` about things that this database doesn't have: they have columns, and
/// no rows.
final class EmptyRelations {
    private static final String[][] RELATIONS = {
        {"pg_shdescription", "objoid oid, classoid oid, description text"},
        {"pg_inherits", "inhrelid oid, inhparent oid, inhseqno int4, inhdetachpending bool"},
        {
            "pg_policy",
            "oid oid, polname text, polrelid oid, polcmd text, polpermissive bool, polroles text, polqual text, polwithcheck text"
        },
        {
            "pg_statistic_ext",
            "oid oid, stxrelid oid, stxname text, stxnamespace oid, stxowner oid, stxstattarget int4, stxkeys text, stxkind text,"
                    + " stxexprs text"
        },
        {
            "pg_publication",
            "oid oid, pubname text, pubowner oid, puballtables bool, pubinsert bool, pubupdate bool, pubdelete bool,"
                    + " pubtruncate bool, pubviaroot bool"
        },
        {"pg_publication_rel", "oid oid, prpubid oid, prrelid oid, prqual text, prattrs text"},
        {"pg_publication_namespace", "oid oid, pnpubid oid, pnnspid oid"},
        {
            "pg_trigger",
            "oid oid, tgrelid oid, tgparentid oid, tgname text, tgfoid oid, tgtype int2, tgenabled text, tgisinternal bool,"
                    + " tgconstrrelid oid, tgconstrindid oid, tgconstraint oid, tgdeferrable bool, tginitdeferred bool, tgnargs int2,"
                    + " tgattr text, tgargs text, tgqual text, tgoldtable text, tgnewtable text"
        },
        {
            "pg_rewrite",
            "oid oid, rulename text, ev_class oid, ev_type text, ev_enabled text, is_instead bool, ev_qual text, ev_action text"
        },
        {"pg_enum", "oid oid, enumtypid oid, enumsortorder float4, enumlabel text"},
        {"pg_range", "rngtypid oid, rngsubtype oid, rngmultitypid oid"},
        {
            "pg_default_acl",
            "oid oid, defaclrole oid, defaclnamespace oid, defaclobjtype text, defaclacl text"
        },
        {"pg_db_role_setting", "setdatabase oid, setrole oid, setconfig text"},
        {
            "pg_extension",
            "oid oid, extname text, extowner oid, extnamespace oid, extrelocatable bool, extversion text"
        },
        {"pg_foreign_table", "ftrelid oid, ftserver oid, ftoptions text"},
        {
            "pg_foreign_server",
            "oid oid, srvname text, srvowner oid, srvfdw oid, srvtype text, srvversion text, srvacl text, srvoptions text"
        },
        {
            "pg_foreign_data_wrapper",
            "oid oid, fdwname text, fdwowner oid, fdwacl text, fdwoptions text"
        },
        {
            "pg_event_trigger",
            "oid oid, evtname text, evtevent text, evtowner oid, evtfoid oid, evtenabled text, evttags text"
        },
        {"pg_matviews", "schemaname text, matviewname text, matviewowner text, definition text"},
    };

    private EmptyRelations() {}

    static void fill(SystemCatalog catalog) {
        for (String[] relation : RELATIONS) {
            catalog.add(relation[0], relation[1]);
        }
    }
}
