-- CREATE TABLE .. (LIKE ..).
CREATE TABLE other (id INT PRIMARY KEY);
CREATE TABLE source (id INT GENERATED ALWAYS AS IDENTITY (START 10 INCREMENT 5) PRIMARY KEY, code VARCHAR(10) NOT NULL UNIQUE, n NUMERIC(8, 2) DEFAULT 1.5, tags TEXT[], s SERIAL, other_id INT REFERENCES other, CONSTRAINT positive CHECK (n > 0));
CREATE INDEX source_by_n ON source (n, code);
CREATE UNIQUE INDEX source_unique ON source (s);
CREATE INDEX source_hash ON source USING hash (other_id);
COMMENT ON COLUMN source.code IS 'the code';
COMMENT ON CONSTRAINT positive ON source IS 'more than nothing';
COMMENT ON INDEX source_by_n IS 'by n';
INSERT INTO source (code, n) VALUES ('a', 2);
-- Columns and NOT NULL alone.
CREATE TABLE plain (LIKE source);
SELECT column_name, data_type, is_nullable, column_default, is_identity FROM information_schema.columns WHERE table_name = 'plain' ORDER BY ordinal_position;
SELECT conname FROM pg_constraint WHERE conrelid = 'plain'::regclass ORDER BY conname;
SELECT indexname FROM pg_indexes WHERE tablename = 'plain' ORDER BY indexname;
SELECT count(*) FROM plain;
INSERT INTO plain (id, code, s) VALUES (1, 'x', 1);
INSERT INTO plain (id, code) VALUES (1, 'x');
INSERT INTO plain VALUES (1, 'x', -1, '{}', 1, 99);
-- All of it.
CREATE TABLE whole (LIKE source INCLUDING ALL);
SELECT column_name, data_type, is_nullable, is_identity, identity_start, identity_increment FROM information_schema.columns WHERE table_name = 'whole' ORDER BY ordinal_position;
SELECT conname, contype, obj_description(oid, 'pg_constraint') FROM pg_constraint WHERE conrelid = 'whole'::regclass ORDER BY conname;
SELECT indexname FROM pg_indexes WHERE tablename = 'whole' ORDER BY indexname;
SELECT col_description('whole'::regclass, 2), obj_description('whole_n_code_idx'::regclass, 'pg_class');
INSERT INTO whole (code) VALUES ('a'), ('b') RETURNING id, code, n;
INSERT INTO whole (code) VALUES ('a');
INSERT INTO whole (code, n) VALUES ('c', -1);
INSERT INTO whole (code, s) VALUES ('d', 2);
INSERT INTO whole (id, code) VALUES (1, 'c');
SELECT code FROM whole WHERE n = 1.5 ORDER BY code;
-- Some of it, and columns of its own.
CREATE TABLE partly (first INT, LIKE source INCLUDING DEFAULTS INCLUDING CONSTRAINTS, last TEXT DEFAULT 'z', PRIMARY KEY (first));
SELECT column_name, column_default FROM information_schema.columns WHERE table_name = 'partly' AND column_name <> 's' ORDER BY ordinal_position;
SELECT conname FROM pg_constraint WHERE conrelid = 'partly'::regclass ORDER BY conname;
CREATE TABLE most (LIKE source INCLUDING ALL EXCLUDING INDEXES EXCLUDING IDENTITY EXCLUDING COMMENTS);
SELECT conname, obj_description(oid, 'pg_constraint') FROM pg_constraint WHERE conrelid = 'most'::regclass ORDER BY conname;
INSERT INTO most (id, code) VALUES (1, 'a');
CREATE TABLE keyed (LIKE other INCLUDING INDEXES, LIKE plain EXCLUDING ALL);
CREATE TABLE keyed (LIKE other INCLUDING INDEXES, b INT, CHECK (b > id));
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'keyed'::regclass ORDER BY conname;
CREATE TABLE two_keys (LIKE other INCLUDING INDEXES, b INT PRIMARY KEY);
CREATE TABLE twice (id INT, LIKE other);
CREATE TABLE same (LIKE other INCLUDING STORAGE INCLUDING COMPRESSION INCLUDING STATISTICS INCLUDING GENERATED);
CREATE TABLE IF NOT EXISTS same (LIKE missing);
CREATE TABLE bad (LIKE missing);
CREATE TABLE bad (LIKE other INCLUDING EVERYTHING);
CREATE TABLE bad (LIKE other WITH ALL);
CREATE TABLE bad (LIKE source_by_n);
-- The source may go, and a view may be one.
CREATE VIEW shown AS SELECT id, code, n * 2 AS double FROM source;
CREATE TABLE seen (LIKE shown INCLUDING ALL);
SELECT column_name, data_type, is_nullable FROM information_schema.columns WHERE table_name = 'seen' ORDER BY ordinal_position;
BEGIN;
CREATE TABLE in_block (LIKE whole INCLUDING ALL);
INSERT INTO in_block (code) VALUES ('q') RETURNING code, n;
INSERT INTO in_block (code) VALUES ('q');
ROLLBACK;
SELECT count(*) FROM whole;
