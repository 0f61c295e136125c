-- The physical design of a table: it changes no result.
CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10)) WITH (versions = 8, bucket_size = 4, expected_rows = 1000, load = 70, inline = true);
INSERT INTO t VALUES (1, 10, 'x'), (2, 20, NULL);
UPDATE t SET a = a + 1;
SELECT * FROM t ORDER BY id;
CREATE TABLE n (a INT, b INT, PRIMARY KEY (a, b)) WITH (neighbours = 1);
CREATE TABLE m (a INT, b INT, PRIMARY KEY (a, b)) WITH (neighbours = 2);
CREATE TABLE u (id INT PRIMARY KEY) WITH (nonsense = 1);
CREATE TABLE u (id INT PRIMARY KEY) WITH (versions = 0);
CREATE TABLE u (id INT PRIMARY KEY) WITH (versions = 65);
CREATE TABLE u (id INT PRIMARY KEY) WITH (inline = maybe);
CREATE TABLE u (id INT PRIMARY KEY) WITH (load = 101);
CREATE TABLE s (id INT PRIMARY KEY) WITH (servers = 0);
CREATE TABLE u (id INT PRIMARY KEY) WITH (servers = 1);
CREATE INDEX t_a ON t USING HASH (a);
CREATE INDEX t_b ON t USING BTREE (b);
CREATE INDEX t_c ON t USING GIN (b);
SELECT b FROM t WHERE a = 11;
