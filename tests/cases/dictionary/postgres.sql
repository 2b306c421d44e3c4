-- One thing of every kind. "CANARY" stands in every value that must not be told; so does the name "excluded".
create schema sales;
create schema hidden;

create type mood as enum ('sad', 'ok', 'it''s, "fine"');
create type sales.kind as enum ('retail');
create type hidden.unused as enum ('CANARY');
create domain email as text check (value like '%@%');
create domain short_mood as mood;

-- Whatever fits a type better than the server's own function would run instead.
create function left(text, integer) returns text language plpgsql as $$ begin raise 'CANARY left'; end $$;
create function format(text, mood) returns text language plpgsql as $$ begin raise 'CANARY format'; end $$;
create function pg_column_size(mood) returns int language plpgsql as $$ begin raise 'CANARY size'; end $$;
create function mood_text(mood) returns text language plpgsql as $$ begin raise 'CANARY cast'; end $$;
create cast (mood as text) with function mood_text(mood);

create table users (
	id bigint generated always as identity primary key,
	name text not null,
	mail email,
	feeling mood default 'ok',
	feelings mood[],
	hidden_feeling short_mood,
	password_hash text default 'CANARY-default',
	"userSSN" text,
	api_key text,
	key_begin text generated always as (substr(api_key, 1, 20)) stored,
	token_count integer default 0,
	joined timestamp default '2026-03-01 08:30:00',
	price numeric(10, 2),
	twice numeric generated always as (price * 2) stored,
	blob bytea,
	document jsonb,
	note text,
	numbers integer[],
	boss bigint references users
);
comment on table users is 'who may log in';
comment on column users.name is 'as "shown"';
create index users_lower on users (lower(name), joined desc) where name is not null;
create unique index users_mail on users (mail) include (name);
insert into users (name, mail, feeling, hidden_feeling, password_hash, "userSSN", api_key, price, blob, document, note, numbers)
	select 'user ' || i, 'u' || i || '@x', (array ['sad', 'ok'])[1 + i % 2]::mood, 'sad', 'CANARY-pw-' || i, 'CANARY-ssn-' || i,
		'CANARY-key-' || i, i, 'CANARY-blob', '{"a":"CANARY-json"}', repeat('é', 59 + i), array [1]
	from generate_series(1, 50) i;

create table two (a int, b int, c text, primary key (b, a));
insert into two values (1, 2, null), (1, 3, ''), (1, 4, null);
create table three (
	id int primary key,
	x int,
	y int,
	foreign key (x, y) references two (a, b),
	constraint itself foreign key (id) references three (id)
);
create table "We""ird Näme" ("Sel ect" int primary key, "a""b" text, "tab.le" text, "日本" text);
insert into "We""ird Näme" values (1, 'quo"te', 'back\slash', '日本語');
create table "UPPER" (id int);
create table "upper" (id int);

create table events (id int, day date not null, what text) partition by range (day);
create table events_2024 partition of events for values from ('2024-01-01') to ('2025-01-01');
create table events_2025 partition of events for values from ('2025-01-01') to ('2026-01-01');
create table events_later partition of events default;
insert into events select i, '2024-03-01', 'x' || i % 2 from generate_series(1, 30) i;
insert into events select i, '2025-03-01', 'y' from generate_series(1, 12) i;
create table animal (name text);
create table dog (bark text) inherits (animal);
insert into animal values ('generic');
insert into dog values ('rex', 'wuff');

create table excluded (id int primary key, what text);
comment on table excluded is 'CANARY-comment';
insert into excluded values (1, 'CANARY-excluded');
create table points_there (id int primary key references excluded);
create view over_excluded as select id, what as w from excluded;
create view over_that as select * from over_excluded;

create table settings (key text, value text);
insert into settings values ('theme', 'dark'), ('smtp_password', 'CANARY-setting'), ('page_size', '20'), ('apiKey', 'CANARY-2');
create table passwords (id int, content text);
insert into passwords values (1, 'CANARY-table');
create table shipping (id int, monkey text, author text);
insert into shipping values (1, 'bonobo', 'Ann');
create table noread (id int, secret_note text, note text);
insert into noread values (1, 'CANARY-note', 'not for readers');

create view users_shown as select id, name, password_hash as ph from users;
create materialized view users_kept as select name, ph from users_shown;
create materialized view shipping_kept as select monkey, author from shipping;
create table sales.orders (id int primary key, user_id bigint references users (id), kind sales.kind, at date);
insert into sales.orders values (7, 1, 'retail', '2026-03-01');
create table hidden.h (x text);
insert into hidden.h values ('CANARY-schema');
create view over_hidden as select x from hidden.h;
create table fails (id int);
insert into fails values (5);
alter table fails enable row level security;
create policy never on fails using (1 / (id - 5) = 1);
analyze;

create role reader;
grant usage on schema public to reader;
grant select on users, two, fails, shipping to reader;
