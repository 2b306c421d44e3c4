-- The database that the cases of the guard speak of. shop.catalog is what a snapshot says of it; guard_postgres.py
-- compares the two. Everything here that a statement could harm is looked at after the cases ran.
create type mood as enum ('sad', 'ok', 'happy');
create type address as (street text, city text);
create domain posint as int check (value > 0);

create table users (id int primary key, name text, email text, age int, created_at timestamptz, active bool, tags text[],
	profile jsonb, mood mood, address address, password_hash text, time_out time,
	pg_sleep text, pg_read_file text, set_config text, lo_import text, "pg_sleep(1)" text, "count" int,
	"delete" text, "update" text, update_count int, deleted_at date, created_by text, copy_of int, execute_after date,
	granted bool, intok int, into_account int, for_update bool, lock_count int, for_share bool);
insert into users (id, name, email, age, created_at, active, tags, profile, mood, address, password_hash)
	select n, 'name ' || n, 'user' || n || '@example.org', 18 + n % 60, timestamptz '2024-01-01' + n * interval '1 day', n % 3 > 0,
		array['a', 'b'], jsonb_build_object('a', jsonb_build_object('b', n), 'b', 'x'), 'ok', row('Street', 'City')::address, 'hash'
	from generate_series(1, 50) n;
create table orders (id int primary key, user_id int references users, total numeric(12, 2), status text, created_at timestamptz,
	items jsonb);
insert into orders select n, 1 + n % 50, n * 1.5, (array['paid', 'open', 'lost'])[1 + n % 3],
		timestamptz '2024-01-01' + n * interval '6 hours', '[{"sku":"a","qty":2}]' from generate_series(1, 200) n;
create table payments (id int primary key, user_id int, amount numeric, paid_at timestamptz);
insert into payments select n, n, n, now() from generate_series(1, 20) n;
create table secrets (id int primary key, token text);
insert into secrets values (1, 'the token');
create table secrets_of_nature (id int);
create table documents (id int, body text, tsv tsvector);
insert into documents values (1, 'The quick fox', to_tsvector('english', 'The quick fox'));
create table shapes (id int, p point, b box);
insert into shapes values (1, '(1,2)', '(0,0),(3,3)');
create table bookings (id int, room int, during tstzrange);
insert into bookings values (1, 1, '[2024-01-01, 2024-01-02)');
create table hosts (id int, ip inet);
insert into hosts values (1, '10.1.2.3/24');
create table events (id int, at timestamptz, kind text, data jsonb) partition by range (at);
create table events_2024 partition of events for values from ('2024-01-01') to ('2025-01-01');
create table events_2025 partition of events for values from ('2025-01-01') to ('2026-01-01');
insert into events select n, timestamptz '2024-06-01' + n * interval '7 days', 'kind', '{}' from generate_series(1, 40) n;
create table animals (id int, legs int);
create table birds (wings int) inherits (animals);
create table x (id int);
create table b (id int);
create table r (n int);
create table t (id int, leak text);
create table "X" (id int);
create table "Weird Table" ("Select" int, "a.b" text);
create table "drop table users;" (id int);
create table "a""b" (id int);
create table "таблица" ("имя" text);
create table limit_amounts (limit_amount int);
create table offsets ("limit" int, "offset" int);
create table information_schemas (id int);
create table commits (commit text, rollback text);
create table vacuum_log (analyze_time time, vacuum_time time);
create table explain_results ("analyze" text);
create table sets (set_id int, reset_at time, show bool);
create table pgbench (id int);
create table page_views (id int);
create sequence order_seq;

create view v_users as select id, name from users;
create view v_secrets as select id, token from secrets;
create view v_deep as select token from v_secrets;
create view v_both as select o.id, u.name from orders o join users u on u.id = o.user_id;
create view v_roles as select rolname from pg_authid;
create materialized view mv_totals as select user_id, sum(total) as total from orders group by user_id;
create materialized view mv_secrets as select token from secrets;

create schema other;
create table other.t (id int, x int);
create table other.x (id int);
create table other.users (id int);
create type other.evil as (a int);
create schema analytics;
create table analytics.facts (id int, day date, value numeric);

-- What a statement must not reach. Each leaves a mark where it runs: marks is looked at after the cases.
create table marks (what text);
create sequence mark_seq;
create function leak() returns text language plpgsql volatile as $$ begin perform nextval('mark_seq'); return 'leaked'; end $$;
create function leak(users) returns text language plpgsql volatile as $$ begin perform nextval('mark_seq'); return 'leaked'; end $$;
create function leak(int) returns bool language plpgsql volatile as $$ begin perform nextval('mark_seq'); return true; end $$;
create function leak(t) returns text language plpgsql volatile as $$ begin perform nextval('mark_seq'); return 'leaked'; end $$;
create function harm() returns text language plpgsql volatile as $$ begin
	perform nextval('mark_seq'); delete from payments; return 'harmed'; end $$;
create function lower(address) returns text language plpgsql volatile as $$ begin perform nextval('mark_seq'); return 'x'; end $$;
create function other.count(int) returns int language plpgsql volatile as $$ begin perform nextval('mark_seq'); return 1; end $$;
create function similarity(text, text) returns float8 language sql immutable as 'select 0.5::float8';
create function other.score(int) returns int language sql immutable as 'select 1';
create function evil_op(int, int) returns bool language plpgsql volatile as $$ begin perform nextval('mark_seq'); return true; end $$;
create operator @@@@ (leftarg = int, rightarg = int, function = evil_op);
create operator other.@@@@ (leftarg = int, rightarg = int, function = evil_op);
create function addresses(address, address) returns bool language plpgsql volatile as $$ begin
	perform nextval('mark_seq'); return true; end $$;
create operator |>> (leftarg = address, rightarg = address, function = addresses);
create type evil as (a int);
create function evil_in(text) returns evil language plpgsql volatile as $$ begin perform nextval('mark_seq'); return row(1)::evil; end $$;
create cast (text as evil) with function evil_in(text) as assignment;
