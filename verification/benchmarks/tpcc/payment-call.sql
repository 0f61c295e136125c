\set w random(1, :warehouses)
\set d random(1, 10)
\set c random(1, 3000)
\set amount random(1, 5000)
CALL payment(:w, :d, :c, :amount);
