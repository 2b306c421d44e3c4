-- The database of user_code.cases: what users wrote, behind types, casts, operators and views. Each function of a user that must
-- not run leaves a mark, and some show what is excluded.
create schema hidden; create schema contrib;
create table secrets (id serial primary key, token text);
insert into secrets (token) values ('tok-en');
create table hidden.plans (id serial primary key, plan text);
insert into hidden.plans (plan) values ('pl-an');
create sequence mark;
create function spy(text) returns bool language plpgsql as $$ begin perform nextval('mark'); return true; end $$;
create function spy(int) returns bool language plpgsql as $$ begin perform nextval('mark'); return true; end $$;
create function spies(text[]) returns bool language plpgsql as $$ begin perform nextval('mark'); return true; end $$;
create function peek() returns text language plpgsql as $$ begin perform nextval('mark'); return (select token from secrets); end $$;
create function hidden.peek() returns text language plpgsql as $$ begin perform nextval('mark'); return (select token from secrets); end $$;

-- tables like any other
create table users (id int primary key, name text, born date, mail text);
insert into users values (1, 'ann', '1990-01-02', 'ann@example.org'), (2, 'bob', '1980-03-04', 'Bob@example.org');
create table orders (id int primary key, user_id int references users, total numeric, status text);
insert into orders values (1, 1, 10.5, 'open'), (2, 1, 3, 'paid'), (3, 2, 7, 'paid');
create type mood as enum ('sad', 'ok');
create domain posint as int check (value > 0);
create type address as (street text, city text);
create table people (id int, feels mood, age posint, home address, homes address[]);
insert into people values (1, 'ok', 30, '(s,c)', '{"(s,c)"}');
create type span as range (subtype = float8);

-- domains
create domain dom as text check (spy(value));
create domain dom2 as dom;
create domain domlist as text[] check (spies(value));
create domain domint as int check (spy(value));
create type comp as (a dom, b int);
create type deep as (c comp, d text);
create table tdom (id int, d dom, ds dom[], c comp, plain text);
insert into tdom values (1, 'x', '{x}', '(x,1)', 'p');
create domain hidden.dom as text check (spy(value));

-- casts
create type peeked as (token text);
create function to_peeked(int) returns peeked language plpgsql as $$ begin perform nextval('mark'); return row(peek())::peeked; end $$;
create cast (int as peeked) with function to_peeked(int) as implicit;
create table tpeek (id int, p peeked);
insert into tpeek values (1, null);
create type level as enum ('low', 'high');
create function level_text(level) returns text language plpgsql as $$ begin perform nextval('mark'); return peek(); end $$;
create cast (level as text) with function level_text(level) as implicit;
create table tlevel (id int, l level, ls level[]);
insert into tlevel values (1, 'low', '{low}');
create type grade as enum ('a', 'b');
create function grade_int(grade) returns int language plpgsql as $$ begin perform nextval('mark'); return 1; end $$;
create cast (grade as int) with function grade_int(grade);
create table tgrade (id int, g grade);
insert into tgrade values (1, 'a');
create type doc as enum ('a');
create function doc_json(doc) returns json language plpgsql as $$ begin perform nextval('mark'); return '{}'; end $$;
create cast (doc as json) with function doc_json(doc);
create table tdoc (id int, j doc);
insert into tdoc values (1, 'a');

-- operators
create type pair as (x int, y int);
create function pairs(pair, pair) returns bool language plpgsql as $$ begin perform nextval('mark'); return true; end $$;
create operator = (leftarg = pair, rightarg = pair, function = pairs);
create operator < (leftarg = pair, rightarg = pair, function = pairs);
create operator hidden.= (leftarg = int, rightarg = int, function = int4eq);
create function hidden.ints(int, int) returns bool language plpgsql as $$ begin perform nextval('mark'); return true; end $$;
create operator hidden.<> (leftarg = int, rightarg = int, function = hidden.ints);
create operator hidden.+ (leftarg = text, rightarg = text, function = texteq);
create function hidden.anys(anyelement, anyelement) returns bool language plpgsql as $$ begin perform nextval('mark'); return true; end $$;
create operator hidden.< (leftarg = anyelement, rightarg = anyelement, function = hidden.anys);
create function texts(text, text) returns bool language plpgsql as $$ begin perform nextval('mark'); return true; end $$;
create operator %% (leftarg = text, rightarg = text, function = texts);
create operator << (leftarg = text, rightarg = text, function = texts);
create function domints(domint, domint) returns bool language plpgsql as $$ begin perform nextval('mark'); return true; end $$;
create operator ~= (leftarg = domint, rightarg = domint, function = domints);
create table tpair (id int, c pair);
insert into tpair values (1, '(1,2)'), (2, '(1,2)');
create type ord as (x int);
create function ord_cmp(ord, ord) returns int language plpgsql as $$ begin perform nextval('mark'); return 0; end $$;
create function ord_lt(ord, ord) returns bool language plpgsql as $$ begin perform nextval('mark'); return false; end $$;
create operator <<# (leftarg = ord, rightarg = ord, function = ord_lt);
create operator <=# (leftarg = ord, rightarg = ord, function = ord_lt);
create operator ==# (leftarg = ord, rightarg = ord, function = ord_lt);
create operator >=# (leftarg = ord, rightarg = ord, function = ord_lt);
create operator >># (leftarg = ord, rightarg = ord, function = ord_lt);
create operator class ord_ops default for type ord using btree as operator 1 <<#, operator 2 <=#, operator 3 ==#, operator 4 >=#,
	operator 5 >>#, function 1 ord_cmp(ord, ord);
create table tord (id int, o ord);
insert into tord values (1, '(1)'), (2, '(2)'), (3, '(3)');

-- views
create view v_users as select id, name from users;
create view v_plain as select u.name, sum(o.total) as total, lower(u.name) as low from users u join orders o on o.user_id = u.id group by 1, 3;
create view v_hidden as select plan from hidden.plans;
create view v_over as select plan from v_hidden;
create view v_sub as select id, (select plan from hidden.plans limit 1) as plan from users;
create materialized view mv_hidden as select plan from hidden.plans;
create view v_peek as select peek() as token;
create view v_peeks as select id from users where name < peek();
create view v_from as select * from peek() as p(token);
create view v_hidden_peek as select hidden.peek() as token;
create view v_dom as select mail::dom as mail from users;
create view v_pair as select a.id from tpair a join tpair b on a.c = b.c and a.id < b.id;
create view v_cast as select l::text as l from tlevel;
create view v_xml as select query_to_xml('select token from secrets', true, true, '') as x;
create aggregate last_of(text) (sfunc = textcat, stype = text);
create function keep(text, text) returns text language plpgsql as $$ begin perform nextval('mark'); return $2; end $$;
create aggregate kept(text) (sfunc = keep, stype = text);
create view v_agg as select kept(name) as k from users;
create view v_secret as select token from secrets;
create view v_published as select plan from hidden.plans;
create view hidden.v_inner as select name from public.users;
create view v_inner as select name from hidden.v_inner;
create function double(int) returns int language sql immutable as 'select $1 * 2';
create view v_double as select double(id) as d from users;

-- parts
create table parent (id int);
create table hidden.child (note text) inherits (parent);
insert into hidden.child values (7, 'n-ote');
create table parts (id int) partition by list (id);
create table hidden.part_1 partition of parts for values in (1);
insert into parts values (1);

-- names
create type hidden.labels as enum ('la-bel');
create table labelled (id int, label hidden.labels); insert into labelled values (1, null);
create type hidden.two as (se_cret int, other int);

create sequence free_seq;
create table log (id int, rel regclass, typ regtype);
insert into log values (1, 'secrets', 'int');
