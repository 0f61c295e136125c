-- TPC-C's tables as far as NewOrder and Payment use them, for psql: W warehouses (-v w=W), and both transactions in PL/pgSQL.
CREATE TABLE warehouse (w_id INT PRIMARY KEY, w_name VARCHAR(10), w_tax DECIMAL(4,4), w_ytd DECIMAL(12,2));
CREATE TABLE district (d_w_id INT, d_id INT, d_tax DECIMAL(4,4), d_ytd DECIMAL(12,2), d_next_o_id INT, PRIMARY KEY (d_w_id, d_id));
CREATE TABLE customer (c_w_id INT, c_d_id INT, c_id INT, c_last VARCHAR(16), c_credit CHAR(2), c_discount DECIMAL(4,4),
    c_balance DECIMAL(12,2), c_ytd_payment DECIMAL(12,2), c_payment_cnt INT, c_data VARCHAR(500), PRIMARY KEY (c_w_id, c_d_id, c_id));
CREATE TABLE history (h_id BIGSERIAL PRIMARY KEY, h_c_id INT, h_c_d_id INT, h_c_w_id INT, h_d_id INT, h_w_id INT, h_date TIMESTAMP,
    h_amount DECIMAL(6,2), h_data VARCHAR(24));
CREATE TABLE item (i_id INT PRIMARY KEY, i_name VARCHAR(24), i_price DECIMAL(5,2), i_data VARCHAR(50));
CREATE TABLE stock (s_w_id INT, s_i_id INT, s_quantity INT, s_dist CHAR(24), s_ytd INT, s_order_cnt INT, s_data VARCHAR(50),
    PRIMARY KEY (s_w_id, s_i_id));
CREATE TABLE orders (o_w_id INT, o_d_id INT, o_id INT, o_c_id INT, o_entry_d TIMESTAMP, o_ol_cnt INT, PRIMARY KEY (o_w_id, o_d_id, o_id));
CREATE TABLE new_order (no_w_id INT, no_d_id INT, no_o_id INT, PRIMARY KEY (no_w_id, no_d_id, no_o_id));
CREATE TABLE order_line (ol_w_id INT, ol_d_id INT, ol_o_id INT, ol_number INT, ol_i_id INT, ol_quantity INT, ol_amount DECIMAL(8,2),
    ol_dist_info CHAR(24), PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number));

INSERT INTO warehouse SELECT w, 'warehouse', 0.1, 300000 FROM generate_series(1, :w) w;
INSERT INTO district SELECT w, d, 0.1, 30000, 1 FROM generate_series(1, :w) w, generate_series(1, 10) d;
INSERT INTO customer SELECT w, d, c, 'BARBARBAR', 'GC', 0.1, -10, 10, 1, repeat('x', 300)
    FROM generate_series(1, :w) w, generate_series(1, 10) d, generate_series(1, 3000) c;
INSERT INTO item SELECT i, 'item ' || i, i % 100 + 1, repeat('y', 30) FROM generate_series(1, 100000) i;
INSERT INTO stock SELECT w, i, 50, repeat('z', 24), 0, 0, repeat('y', 30) FROM generate_series(1, :w) w, generate_series(1, 100000) i;

CREATE PROCEDURE new_order(w INT, d INT, c INT, items INT[], quantity INT) LANGUAGE plpgsql AS $$
DECLARE
    o INT;
    price DECIMAL(5,2);
    left_over INT;
    dist CHAR(24);
    tax DECIMAL(4,4);
    discount DECIMAL(4,4);
BEGIN
    SELECT w_tax INTO tax FROM warehouse WHERE w_id = w;
    SELECT c_discount INTO discount FROM customer WHERE c_w_id = w AND c_d_id = d AND c_id = c;
    UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = w AND d_id = d RETURNING d_next_o_id - 1 INTO o;
    INSERT INTO orders VALUES (w, d, o, c, now(), array_length(items, 1));
    INSERT INTO new_order VALUES (w, d, o);
    FOR n IN 1..array_length(items, 1) LOOP
        SELECT i_price INTO price FROM item WHERE i_id = items[n];
        SELECT s_quantity, s_dist INTO left_over, dist FROM stock WHERE s_w_id = w AND s_i_id = items[n];
        IF left_over >= quantity + 10 THEN left_over := left_over - quantity; ELSE left_over := left_over - quantity + 91; END IF;
        UPDATE stock SET s_quantity = left_over, s_ytd = s_ytd + quantity, s_order_cnt = s_order_cnt + 1
            WHERE s_w_id = w AND s_i_id = items[n];
        INSERT INTO order_line VALUES (w, d, o, n, items[n], quantity, quantity * price, dist);
    END LOOP;
END $$;

CREATE PROCEDURE payment(w INT, d INT, c INT, amount DECIMAL(6,2)) LANGUAGE plpgsql AS $$
BEGIN
    UPDATE warehouse SET w_ytd = w_ytd + amount WHERE w_id = w;
    UPDATE district SET d_ytd = d_ytd + amount WHERE d_w_id = w AND d_id = d;
    UPDATE customer SET c_balance = c_balance - amount, c_ytd_payment = c_ytd_payment + amount, c_payment_cnt = c_payment_cnt + 1
        WHERE c_w_id = w AND c_d_id = d AND c_id = c;
    INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
        VALUES (c, d, w, d, w, now(), amount, 'payment');
END $$;
