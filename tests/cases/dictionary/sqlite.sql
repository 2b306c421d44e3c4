-- One thing of every kind that SQLite has. "CANARY" stands in every value that must not be told.
create table users (
	id integer primary key,
	name text not null collate nocase,
	mail varchar(80) default 'none',
	password_hash text default 'CANARY-default',
	"userSSN" text,
	api_key text,
	key_begin text as (substr(api_key, 1, 20)) stored,
	token_count int default 0,
	twice int as (token_count * 2),
	blob blob,
	document json,
	note text,
	untyped,
	boss int references users
);
create index users_lower on users (lower(name) desc, note, ifnull(mail, ','));
create unique index users_mail on users (mail) where mail is not null;
with recursive n (i) as (select 1 union all select i + 1 from n where i < 50)
	insert into users (name, mail, password_hash, "userSSN", api_key, token_count, blob, document, note, untyped)
	select 'user ' || i, 'u' || i || '@x', 'CANARY-pw', 'CANARY-ssn', 'CANARY-key', i % 2, x'43414e415259', '{"a":"CANARY-json"}',
		replace(printf('%.*c', 59 + i, 'x'), 'x', 'é'), case i % 3 when 0 then i when 1 then 1.5 else x'434152' end
	from n;

create table two (a int, b int, c text, primary key (b, a)) without rowid;
insert into two values (1, 2, null), (1, 3, ''), (1, 4, null);
create table three (id int primary key, x int, y int, foreign key (x, y) references two, foreign key (id) references three (id));
create table "We""ird Näme" ("Sel ect" int primary key, "a""b" text, "tab.le" text, "日本" text);
insert into "We""ird Näme" values (1, 'quo"te', 'back\slash', '日本語');
create table "UPPER" (id int);

create table Excluded (id int primary key, what text);
insert into Excluded values (1, 'CANARY-excluded');
create table points_there (id int primary key references excluded);
create view over_excluded as select id, what as w from excluded;
create view over_that as select * from over_excluded;
create view broken as select * from nowhere;

create table settings (key text, value text);
insert into settings values ('theme', 'dark'), ('smtp_password', 'CANARY-setting'), ('page_size', '20'), ('apiKey', 'CANARY-2');
create table passwords (id int, content text);
insert into passwords values (1, 'CANARY-table');
create table shipping (id int, monkey text, author text);
insert into shipping values (1, 'bonobo', 'Ann');
create view users_shown as select id, name, password_hash as ph from users;
create virtual table words using fts5 (word);
insert into words values ('CANARY-virtual');
create table large (id integer primary key);
with recursive n (i) as (select 1 union all select i + 1 from n where i < 100001) insert into large select i from n;
analyze;
create table larger as select * from large;
