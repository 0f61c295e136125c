-- Errors that say what was meant.
CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(20), balance DECIMAL(12,2));
SELEC 1;
SELECT nme FROM customer;
SELECT c.balanse FROM customer AS c;
SELECT custmer.id FROM customer;
SELECT * FROM custmer;
INSERT INTO customer (id, nam) VALUES (1, 'x');
UPDATE customer SET customer.name = 'x';
SELECT id FROM customer WHERE id == 1;
SELECT id FROM customer WHERE name = "x";
SELECT lenght(name) FROM customer;
SELECT id + name FROM customer;
SELECT a b c FROM customer;
CREATE TABLE user (id INT);
EXECUTE missing;
SHOW nonsense;
SET statement_timeout = 'soon';
