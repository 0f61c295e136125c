-- What ANALYZE learns, in pg_stats and pg_class.
CREATE TABLE item (id INT PRIMARY KEY, kind INT, name TEXT, price NUMERIC(8,2), made DATE);
SELECT reltuples FROM pg_class WHERE relname = 'item';
SELECT count(*) FROM pg_stats WHERE tablename = 'item';
INSERT INTO item SELECT i, i % 2, CASE WHEN i % 4 = 0 THEN NULL ELSE 'n' || i END, 1.5, DATE '2024-01-01' + i FROM generate_series(1, 20) g (i);
ANALYZE item;
SELECT reltuples FROM pg_class WHERE relname IN ('item', 'item_pkey') ORDER BY relname;
SELECT attname, null_frac, n_distinct, most_common_vals, most_common_freqs FROM pg_stats WHERE tablename = 'item' ORDER BY attname;
SELECT attname, histogram_bounds FROM pg_stats WHERE tablename = 'item' AND attname <> 'name' ORDER BY attname;
SELECT schemaname, inherited FROM pg_stats WHERE attname = 'kind';

-- Parts of tables, several tables, all tables.
CREATE TABLE other (a INT, b INT, "odd name" TEXT);
INSERT INTO other VALUES (1, 1, 'a "b", c'), (2, 1, 'null'), (1, NULL, '{}'), (2, NULL, ''), (1, 1, 'a "b", c'), (1, 1, ''), (1, 1, 'null'), (1, 1, '{}');
ANALYZE other (b);
SELECT attname, null_frac, n_distinct FROM pg_stats WHERE tablename = 'other' ORDER BY attname;
ANALYZE item (id, kind), other;
SELECT attname, null_frac, n_distinct, most_common_vals FROM pg_stats WHERE tablename = 'other' ORDER BY attname;
ANALYZE;
ANALYZE VERBOSE item;
ANALYZE (VERBOSE, SKIP_LOCKED) other (a, b);
VACUUM;
VACUUM item;
VACUUM ANALYZE;
VACUUM FULL FREEZE VERBOSE ANALYZE item (id);
VACUUM (ANALYZE, PARALLEL 2) item, other;

-- What is not there.
ANALYZE ghost;
ANALYZE item (ghost);
ANALYZE item (id, id);
ANALYZE item, ghost;
VACUUM item (id);
VACUUM (NONSENSE) item;
ANALYZE FULL item;
ANALYZE (FULL) item;

-- Nothing is left of a table that is dropped; a name that it gets keeps it.
ALTER TABLE other RENAME TO another;
SELECT attname, n_distinct FROM pg_stats WHERE tablename = 'another' AND attname = 'b';
SELECT count(*) FROM pg_stats WHERE tablename = 'other';
DROP TABLE another;
CREATE TABLE another (a INT, b INT);
SELECT count(*) FROM pg_stats WHERE tablename = 'another';
SELECT reltuples FROM pg_class WHERE relname = 'another';

-- In a block it is a part of the transaction; VACUUM is no part of any.
BEGIN;
INSERT INTO another VALUES (1, 1), (2, 1);
ANALYZE another;
SELECT reltuples FROM pg_class WHERE relname = 'another';
ROLLBACK;
SELECT count(*) FROM pg_stats WHERE tablename = 'another';
BEGIN;
INSERT INTO another VALUES (1, 1), (2, 1), (3, 1);
ANALYZE another;
COMMIT;
SELECT attname, n_distinct FROM pg_stats WHERE tablename = 'another' ORDER BY attname;
BEGIN;
VACUUM another;
ROLLBACK;
BEGIN READ ONLY;
ANALYZE another;
COMMIT;

-- It is for owners: what is another role's is passed over.
CREATE ROLE golden_ann;
GRANT SELECT ON another TO golden_ann;
INSERT INTO another VALUES (4, 4);
SET ROLE golden_ann;
ANALYZE another;
VACUUM ANALYZE another;
ANALYZE ghost;
RESET ROLE;
SELECT reltuples FROM pg_class WHERE relname = 'another';
REVOKE ALL ON another FROM golden_ann;
DROP ROLE golden_ann;

-- Nothing changes but plans.
SELECT kind, count(*) FROM item WHERE id BETWEEN 3 AND 9 AND kind = 1 GROUP BY kind;
SELECT count(*) FROM item a JOIN item b ON a.kind = b.kind WHERE a.id < 3;
DROP TABLE item;
DROP TABLE another;
