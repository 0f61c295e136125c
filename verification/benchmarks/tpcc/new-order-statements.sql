\set w random(1, :warehouses)
\set d random(1, 10)
\set c random(1, 3000)
\set i1 random(1, 100000)
\set i2 random(1, 100000)
\set i3 random(1, 100000)
\set i4 random(1, 100000)
\set i5 random(1, 100000)
\set i6 random(1, 100000)
\set i7 random(1, 100000)
\set i8 random(1, 100000)
\set i9 random(1, 100000)
\set i10 random(1, 100000)
\set q random(1, 10)
BEGIN;
SELECT w_tax FROM warehouse WHERE w_id = :w;
SELECT c_discount FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d RETURNING d_next_o_id - 1 AS o \gset
INSERT INTO orders VALUES (:w, :d, :o, :c, now(), 10);
INSERT INTO new_order VALUES (:w, :d, :o);
SELECT i_price AS price FROM item WHERE i_id = :i1 \gset
SELECT s_quantity AS quantity FROM stock WHERE s_w_id = :w AND s_i_id = :i1 \gset
\set quantity case when :quantity >= :q + 10 then :quantity - :q else :quantity - :q + 91 end
UPDATE stock SET s_quantity = :quantity, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w AND s_i_id = :i1;
INSERT INTO order_line VALUES (:w, :d, :o, 1, :i1, :q, :q * CAST(:price AS DECIMAL), 'of a district');
SELECT i_price AS price FROM item WHERE i_id = :i2 \gset
SELECT s_quantity AS quantity FROM stock WHERE s_w_id = :w AND s_i_id = :i2 \gset
\set quantity case when :quantity >= :q + 10 then :quantity - :q else :quantity - :q + 91 end
UPDATE stock SET s_quantity = :quantity, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w AND s_i_id = :i2;
INSERT INTO order_line VALUES (:w, :d, :o, 2, :i2, :q, :q * CAST(:price AS DECIMAL), 'of a district');
SELECT i_price AS price FROM item WHERE i_id = :i3 \gset
SELECT s_quantity AS quantity FROM stock WHERE s_w_id = :w AND s_i_id = :i3 \gset
\set quantity case when :quantity >= :q + 10 then :quantity - :q else :quantity - :q + 91 end
UPDATE stock SET s_quantity = :quantity, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w AND s_i_id = :i3;
INSERT INTO order_line VALUES (:w, :d, :o, 3, :i3, :q, :q * CAST(:price AS DECIMAL), 'of a district');
SELECT i_price AS price FROM item WHERE i_id = :i4 \gset
SELECT s_quantity AS quantity FROM stock WHERE s_w_id = :w AND s_i_id = :i4 \gset
\set quantity case when :quantity >= :q + 10 then :quantity - :q else :quantity - :q + 91 end
UPDATE stock SET s_quantity = :quantity, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w AND s_i_id = :i4;
INSERT INTO order_line VALUES (:w, :d, :o, 4, :i4, :q, :q * CAST(:price AS DECIMAL), 'of a district');
SELECT i_price AS price FROM item WHERE i_id = :i5 \gset
SELECT s_quantity AS quantity FROM stock WHERE s_w_id = :w AND s_i_id = :i5 \gset
\set quantity case when :quantity >= :q + 10 then :quantity - :q else :quantity - :q + 91 end
UPDATE stock SET s_quantity = :quantity, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w AND s_i_id = :i5;
INSERT INTO order_line VALUES (:w, :d, :o, 5, :i5, :q, :q * CAST(:price AS DECIMAL), 'of a district');
SELECT i_price AS price FROM item WHERE i_id = :i6 \gset
SELECT s_quantity AS quantity FROM stock WHERE s_w_id = :w AND s_i_id = :i6 \gset
\set quantity case when :quantity >= :q + 10 then :quantity - :q else :quantity - :q + 91 end
UPDATE stock SET s_quantity = :quantity, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w AND s_i_id = :i6;
INSERT INTO order_line VALUES (:w, :d, :o, 6, :i6, :q, :q * CAST(:price AS DECIMAL), 'of a district');
SELECT i_price AS price FROM item WHERE i_id = :i7 \gset
SELECT s_quantity AS quantity FROM stock WHERE s_w_id = :w AND s_i_id = :i7 \gset
\set quantity case when :quantity >= :q + 10 then :quantity - :q else :quantity - :q + 91 end
UPDATE stock SET s_quantity = :quantity, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w AND s_i_id = :i7;
INSERT INTO order_line VALUES (:w, :d, :o, 7, :i7, :q, :q * CAST(:price AS DECIMAL), 'of a district');
SELECT i_price AS price FROM item WHERE i_id = :i8 \gset
SELECT s_quantity AS quantity FROM stock WHERE s_w_id = :w AND s_i_id = :i8 \gset
\set quantity case when :quantity >= :q + 10 then :quantity - :q else :quantity - :q + 91 end
UPDATE stock SET s_quantity = :quantity, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w AND s_i_id = :i8;
INSERT INTO order_line VALUES (:w, :d, :o, 8, :i8, :q, :q * CAST(:price AS DECIMAL), 'of a district');
SELECT i_price AS price FROM item WHERE i_id = :i9 \gset
SELECT s_quantity AS quantity FROM stock WHERE s_w_id = :w AND s_i_id = :i9 \gset
\set quantity case when :quantity >= :q + 10 then :quantity - :q else :quantity - :q + 91 end
UPDATE stock SET s_quantity = :quantity, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w AND s_i_id = :i9;
INSERT INTO order_line VALUES (:w, :d, :o, 9, :i9, :q, :q * CAST(:price AS DECIMAL), 'of a district');
SELECT i_price AS price FROM item WHERE i_id = :i10 \gset
SELECT s_quantity AS quantity FROM stock WHERE s_w_id = :w AND s_i_id = :i10 \gset
\set quantity case when :quantity >= :q + 10 then :quantity - :q else :quantity - :q + 91 end
UPDATE stock SET s_quantity = :quantity, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w AND s_i_id = :i10;
INSERT INTO order_line VALUES (:w, :d, :o, 10, :i10, :q, :q * CAST(:price AS DECIMAL), 'of a district');
END;
