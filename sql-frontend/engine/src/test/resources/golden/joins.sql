-- Inner, left, right, cross joins; lists of tables; a table with itself.
CREATE TABLE dept (id INT PRIMARY KEY, name VARCHAR(8), city VARCHAR(8));
CREATE TABLE emp (id INT PRIMARY KEY, name VARCHAR(8), dept INT, boss INT, pay DECIMAL(7,2));
INSERT INTO dept VALUES (1, 'ops', 'Bonn'), (2, 'dev', 'Kiel'), (3, 'law', NULL), (4, 'idle', 'Bonn');
INSERT INTO emp VALUES (10, 'Ann', 1, NULL, 900), (11, 'Bob', 1, 10, 500), (12, 'Cyd', 2, 10, 700), (13, 'Dee', NULL, 12, 650), (14, 'Eve', 9, 12, NULL), (15, 'Fay', 2, 12, 500);
SELECT e.name, d.name FROM emp AS e JOIN dept AS d ON e.dept = d.id ORDER BY e.name;
SELECT emp.name, dept.name FROM emp INNER JOIN dept ON dept.id = emp.dept AND dept.city = 'Kiel' ORDER BY emp.name;
SELECT e.name, d.name FROM emp e LEFT JOIN dept d ON e.dept = d.id ORDER BY e.name;
SELECT e.name, d.name FROM emp e LEFT OUTER JOIN dept d ON e.dept = d.id AND d.city = 'Bonn' ORDER BY e.name;
SELECT e.name, d.name FROM emp e LEFT JOIN dept d ON e.dept = d.id WHERE d.city = 'Bonn' ORDER BY e.name;
SELECT e.name FROM emp e LEFT JOIN dept d ON e.dept = d.id WHERE d.id IS NULL ORDER BY e.name;
SELECT e.name, d.name FROM emp e LEFT JOIN dept d ON e.dept = d.id AND e.pay > 600 ORDER BY e.name;
SELECT d.name, e.name FROM emp e RIGHT JOIN dept d ON e.dept = d.id ORDER BY d.name, e.name;
SELECT d.name, COUNT(e.id) FROM dept d LEFT JOIN emp e ON e.dept = d.id GROUP BY d.name ORDER BY d.name;
SELECT COUNT(*) FROM emp CROSS JOIN dept;
SELECT e.name, d.name FROM emp e CROSS JOIN dept d WHERE e.id < 12 AND d.id > 2 ORDER BY e.name, d.name;
SELECT e.name, d.name FROM emp e, dept d WHERE e.dept = d.id ORDER BY e.name;
SELECT COUNT(*) FROM emp, dept;
SELECT COUNT(*) FROM emp a, emp b WHERE a.dept = b.dept;
-- A table with itself.
SELECT w.name, b.name AS boss FROM emp w JOIN emp b ON w.boss = b.id ORDER BY w.name;
SELECT w.name, b.name AS boss, c.name AS upper FROM emp w LEFT JOIN emp b ON w.boss = b.id LEFT JOIN emp c ON b.boss = c.id ORDER BY w.name;
SELECT a.name, b.name FROM emp a JOIN emp b ON a.pay = b.pay AND a.id < b.id;
-- Three tables.
CREATE TABLE town (name VARCHAR(8) PRIMARY KEY, size INT);
INSERT INTO town VALUES ('Bonn', 330), ('Kiel', 250), ('Ulm', 130);
SELECT e.name, d.name, t.size FROM emp e JOIN dept d ON e.dept = d.id JOIN town t ON t.name = d.city ORDER BY e.name;
SELECT e.name, d.name, t.size FROM emp e LEFT JOIN dept d ON e.dept = d.id LEFT JOIN town t ON t.name = d.city ORDER BY e.name;
SELECT t.name, d.name, e.name FROM town t LEFT JOIN (dept d JOIN emp e ON e.dept = d.id) ON d.city = t.name ORDER BY t.name, e.name;
SELECT e.name, t.name FROM emp e, dept d, town t WHERE e.dept = d.id AND d.city = t.name AND t.size > 300 ORDER BY e.name;
SELECT e.name, t.name FROM emp e JOIN dept d ON e.dept = d.id, town t WHERE t.name = d.city ORDER BY e.name;
-- Conditions that are no equality.
SELECT a.name, b.name FROM emp a JOIN emp b ON a.pay < b.pay WHERE b.id = 13 ORDER BY a.name;
SELECT d.name, t.name FROM dept d JOIN town t ON d.city <> t.name ORDER BY d.name, t.name;
SELECT d.name, t.name FROM dept d LEFT JOIN town t ON t.size > d.id * 120 ORDER BY d.name, t.name;
SELECT COUNT(*) FROM emp e JOIN dept d ON TRUE;
SELECT COUNT(*) FROM emp e LEFT JOIN dept d ON FALSE;
SELECT e.name FROM emp e JOIN dept d ON e.dept = d.id OR e.pay = 650 GROUP BY e.name ORDER BY e.name;
SELECT e.name, d.name FROM emp e JOIN dept d ON e.dept + 1 = d.id * 1 ORDER BY e.name;
-- USING gives the column once.
CREATE TABLE badge (id INT PRIMARY KEY, colour VARCHAR(6));
INSERT INTO badge VALUES (10, 'red'), (12, 'blue'), (99, 'grey');
SELECT id, emp.name, colour FROM emp JOIN badge USING (id) ORDER BY id;
SELECT * FROM badge JOIN emp USING (id) ORDER BY id;
SELECT id, name, colour FROM badge LEFT JOIN emp USING (id) ORDER BY id;
-- Stars.
SELECT * FROM dept d JOIN town t ON t.name = d.city ORDER BY d.id;
SELECT t.*, d.id FROM dept d JOIN town t ON t.name = d.city ORDER BY d.id;
-- NULL joins nothing.
SELECT COUNT(*) FROM dept a JOIN dept b ON a.city = b.city;
SELECT COUNT(*) FROM dept a JOIN dept b ON a.city IS NOT DISTINCT FROM b.city;
-- Errors.
SELECT name FROM emp JOIN dept ON emp.dept = dept.id;
SELECT e.name FROM emp e JOIN dept e ON e.id = e.id;
SELECT * FROM emp JOIN emp ON TRUE;
SELECT e.name FROM emp e JOIN dept d;
SELECT e.name FROM emp e JOIN dept d ON e.dept = x.id;
SELECT e.name FROM emp e JOIN dept d ON e.dept;
SELECT e.name FROM emp e JOIN dept d ON e.name = d.id;
SELECT emp.name FROM emp e;
SELECT id FROM emp JOIN badge USING (colour);
