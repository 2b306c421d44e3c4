-- What a snapshot of shop.sql holds, as the lines of shop.catalog.
SELECT line FROM (
	SELECT 1 AS part, n.nspname::text AS a, c.relname::text AS b, concat_ws('|', 'relation', c.relkind, n.nspname, c.relname,
		coalesce((SELECT string_agg(a.attname, ',' ORDER BY a.attnum) FROM pg_attribute a
			WHERE a.attrelid = c.oid AND a.attnum > 0), ''),
		coalesce((SELECT string_agg(DISTINCT x.relnamespace::regnamespace || '.' || x.relname, ',')
			FROM pg_rewrite w JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
				AND d.refclassid = 'pg_class'::regclass
			JOIN pg_class x ON x.oid = d.refobjid
			WHERE w.ev_class = c.oid AND x.oid <> c.oid AND x.relkind IN ('r', 'p', 'v', 'm', 'f')), ''),
		coalesce((SELECT string_agg(x.relnamespace::regnamespace || '.' || x.relname, ',')
			FROM pg_inherits i JOIN pg_class x ON x.oid = i.inhparent WHERE i.inhrelid = c.oid), '')) AS line
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE n.nspname IN ('public', 'other', 'analytics') AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
	UNION ALL
	SELECT DISTINCT 2, p.proname::text, n.nspname::text, concat_ws('|', 'function', n.nspname, p.proname)
	FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname IN ('public', 'other', 'analytics')
	UNION ALL
	SELECT DISTINCT 3, o.oprname::text, n.nspname::text, concat_ws('|', 'operator', n.nspname, o.oprname)
	FROM pg_operator o JOIN pg_namespace n ON n.oid = o.oprnamespace WHERE n.nspname IN ('public', 'other', 'analytics')
	UNION ALL
	SELECT 4, t.typname::text, n.nspname::text, concat_ws('|', 'type', t.typtype, n.nspname, t.typname,
		coalesce((SELECT string_agg(a.attname, ',' ORDER BY a.attnum) FROM pg_attribute a
			WHERE a.attrelid = t.typrelid AND a.attnum > 0), ''),
		CASE WHEN EXISTS (SELECT FROM pg_cast k WHERE k.castfunc <> 0 AND t.oid IN (k.castsource, k.casttarget))
			THEN 'cast' ELSE '' END)
	FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace LEFT JOIN pg_class c ON c.oid = t.typrelid
	WHERE n.nspname IN ('public', 'other', 'analytics') AND t.typcategory <> 'A' AND (t.typtype <> 'c' OR c.relkind = 'c')
) AS q
ORDER BY part, a COLLATE "C", b COLLATE "C"
