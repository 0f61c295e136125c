-- What tools read of the standard's catalog: its columns, in their order.
SELECT * FROM information_schema.attributes WHERE false;
SELECT * FROM information_schema.check_constraints WHERE false;
SELECT * FROM information_schema.columns WHERE false;
SELECT * FROM information_schema.constraint_column_usage WHERE false;
SELECT * FROM information_schema.constraint_table_usage WHERE false;
SELECT * FROM information_schema.domain_constraints WHERE false;
SELECT * FROM information_schema.domains WHERE false;
SELECT * FROM information_schema.element_types WHERE false;
SELECT * FROM information_schema.information_schema_catalog_name WHERE false;
SELECT * FROM information_schema.key_column_usage WHERE false;
SELECT * FROM information_schema.parameters WHERE false;
SELECT * FROM information_schema.referential_constraints WHERE false;
SELECT * FROM information_schema.role_table_grants WHERE false;
SELECT * FROM information_schema.routines WHERE false;
SELECT * FROM information_schema.schemata WHERE false;
SELECT * FROM information_schema.sequences WHERE false;
SELECT * FROM information_schema.table_constraints WHERE false;
SELECT * FROM information_schema.table_privileges WHERE false;
SELECT * FROM information_schema.tables WHERE false;
SELECT * FROM information_schema.triggers WHERE false;
SELECT * FROM information_schema.usage_privileges WHERE false;
SELECT * FROM information_schema.view_table_usage WHERE false;
SELECT * FROM information_schema.views WHERE false;
-- What they find there.
CREATE TABLE parent (a INT, b BIGINT, PRIMARY KEY (b, a), note TEXT, UNIQUE (note));
CREATE TABLE child (
  id INT GENERATED ALWAYS AS IDENTITY (START WITH 5) PRIMARY KEY,
  a INT, b BIGINT, up INT REFERENCES child,
  s SMALLINT NOT NULL DEFAULT 7, n NUMERIC(10, 2), r REAL, d DOUBLE PRECISION, ok BOOLEAN, v VARCHAR(20), c CHAR(3), t TEXT, x BYTEA,
  day DATE, clock TIME, at TIMESTAMP, moment TIMESTAMPTZ, key UUID, numbers INT[], words TEXT[],
  CONSTRAINT to_parent FOREIGN KEY (a, b) REFERENCES parent (a, b) ON DELETE CASCADE,
  CONSTRAINT positive CHECK (s > 0)
);
CREATE VIEW pairs AS SELECT child.id, child.numbers, parent.note FROM child JOIN parent ON child.b = parent.b;
SELECT column_name, ordinal_position, is_nullable, data_type, character_maximum_length, character_octet_length, numeric_precision,
  numeric_precision_radix, numeric_scale, datetime_precision, interval_type, collation_name, udt_schema, udt_name, dtd_identifier,
  is_self_referencing, is_identity, identity_generation, identity_start, identity_cycle, is_generated, generation_expression
  FROM information_schema.columns WHERE table_name = 'child' ORDER BY ordinal_position;
SELECT table_schema, table_name, table_type, is_typed, commit_action FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 2;
SELECT constraint_name, table_name, constraint_type, is_deferrable, enforced, nulls_distinct FROM information_schema.table_constraints
  WHERE constraint_schema = 'public' AND constraint_name NOT LIKE '%not_null' ORDER BY 1;
SELECT constraint_name, table_name, column_name, ordinal_position, position_in_unique_constraint FROM information_schema.key_column_usage
  WHERE table_schema = 'public' ORDER BY 1, 4;
SELECT constraint_name, unique_constraint_name, match_option, update_rule, delete_rule FROM information_schema.referential_constraints
  ORDER BY 1;
SELECT constraint_name, check_clause FROM information_schema.check_constraints WHERE constraint_name = 'positive' ORDER BY 1;
SELECT table_name, constraint_name FROM information_schema.constraint_table_usage WHERE table_schema = 'public' ORDER BY 1, 2;
SELECT object_name, object_type, collection_type_identifier, data_type, udt_schema, udt_name, dtd_identifier
  FROM information_schema.element_types WHERE object_schema = 'public' ORDER BY 1, 3;
SELECT view_name, table_schema, table_name FROM information_schema.view_table_usage WHERE view_schema = 'public' ORDER BY 1, 3;
CREATE FUNCTION plus(a INT, b NUMERIC(5, 2) DEFAULT 1) RETURNS NUMERIC IMMUTABLE STRICT LANGUAGE sql AS 'SELECT a + b';
CREATE FUNCTION upto(INT, words TEXT[]) RETURNS TABLE (n INT, word TEXT) LANGUAGE plpgsql AS 'BEGIN RETURN; END';
CREATE FUNCTION many(n INT) RETURNS SETOF INT[] STABLE LANGUAGE sql AS 'SELECT ARRAY[n]';
CREATE FUNCTION rows_of() RETURNS SETOF parent LANGUAGE sql AS 'SELECT * FROM parent';
CREATE FUNCTION nothing() RETURNS VOID LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION twice(INOUT n BIGINT, OUT text VARCHAR) LANGUAGE plpgsql AS 'BEGIN n := 2 * n; END';
CREATE PROCEDURE note(t TEXT, INOUT n INT) LANGUAGE plpgsql AS 'BEGIN n := 1; END';
SELECT routine_schema, routine_name, routine_type, data_type, type_udt_schema, type_udt_name, dtd_identifier, routine_body, external_name,
  external_language, parameter_style, is_deterministic, sql_data_access, is_null_call, schema_level_routine, max_dynamic_result_sets,
  security_type, as_locator, is_udt_dependent, created FROM information_schema.routines WHERE routine_schema = 'public' ORDER BY 2;
SELECT routine_name, routine_definition FROM information_schema.routines WHERE specific_schema = 'public' ORDER BY 1;
SELECT r.routine_name, p.ordinal_position, p.parameter_mode, p.is_result, p.parameter_name, p.data_type, p.udt_schema, p.udt_name,
  p.dtd_identifier, p.parameter_default FROM information_schema.parameters p JOIN information_schema.routines r
  ON r.specific_name = p.specific_name WHERE r.specific_schema = 'public' ORDER BY 1, 2;
SELECT r.routine_name FROM information_schema.routines r JOIN pg_proc p ON r.specific_name = p.proname || '_' || p.oid
  WHERE r.specific_schema = 'public' ORDER BY 1;
SELECT object_type, collection_type_identifier, data_type, dtd_identifier FROM information_schema.element_types
  WHERE object_type = 'ROUTINE' AND object_schema = 'public' ORDER BY 2, 3;
SELECT count(*) FROM information_schema.triggers;
SELECT count(*) FROM information_schema.attributes WHERE udt_schema = 'public';
