-- 002: the tables of the system that kept its reports in PostgreSQL before, as views with their names and columns.
-- A report may hold the character U+0000, which jsonb cannot: it is shown as U+FFFD.

CREATE VIEW argus_reports AS
SELECT r.id, r.collection, j.report ->> 'database' AS database, j.report ->> 'cosmos_account' AS cosmos_account,
	to_timestamp(r.started_at / 1000.0) AS run_at,
	CAST(j.report ->> 'duration_seconds' AS DOUBLE PRECISION) AS duration_secs,
	CAST(j.report ->> 'documents_sampled' AS BIGINT) AS docs_sampled,
	CAST(j.report ->> 'collection_size' AS BIGINT) AS collection_size, r.summary,
	CAST(j.report ->> 'overall_quality_score' AS DOUBLE PRECISION) AS overall_quality_score,
	j.report -> 'run_evaluation' ->> 'verdict' AS run_eval_verdict,
	j.report -> 'run_evaluation' ->> 'evaluated_by' AS run_eval_by,
	r.input_tokens AS total_input_tokens, r.output_tokens AS total_output_tokens,
	j.report -> 'run_trace' AS run_trace, j.report AS raw_report
FROM runs r JOIN reports p ON p.run = r.id
CROSS JOIN LATERAL (SELECT CAST(replace(p.body, '\u0000', '\ufffd') AS JSONB) AS report) j
WHERE r.agent = 'audit';

CREATE VIEW argus_findings AS
SELECT f.id, f.run AS report_id, f.field, f.category, f.severity, j.finding ->> 'description' AS description,
	j.finding ->> 'hypothesis' AS hypothesis, j.finding ->> 'evidence_query' AS evidence_query,
	f.affected AS affected_count, f.share AS affected_pct, j.finding -> 'sample_values' AS sample_values,
	CAST(j.finding ->> 'confirmed' AS BOOLEAN) AS confirmed,
	j.finding -> 'evaluation' ->> 'verdict' AS evaluation_verdict,
	CAST(j.finding -> 'evaluation' ->> 'score' AS DOUBLE PRECISION) AS evaluation_score,
	j.finding -> 'evaluation' ->> 'evaluated_by' AS evaluated_by,
	nullif(f.label, '') AS user_label, to_timestamp(r.started_at / 1000.0) AS created_at,
	CAST(j.finding ->> 'confidence' AS DOUBLE PRECISION) AS confidence, j.finding ->> 'detail' AS confidence_reason,
	CASE f.status WHEN 'committed' THEN 'published' ELSE f.status END AS status
FROM findings f JOIN runs r ON r.id = f.run
CROSS JOIN LATERAL (SELECT CAST(replace(f.body, '\u0000', '\ufffd') AS JSONB) AS finding) j
WHERE f.status <> 'dismissed';

CREATE VIEW argus_dismissed_findings AS
SELECT f.id, f.run AS report_id, f.field, f.category, f.severity, j.finding ->> 'description' AS description,
	j.finding -> 'dismissal' ->> 'evaluated_by' AS dismissed_by, j.finding -> 'dismissal' ->> 'verdict' AS dismiss_verdict,
	j.finding -> 'dismissal' ->> 'reason' AS dismiss_reason,
	CAST(j.finding -> 'dismissal' ->> 'score' AS DOUBLE PRECISION) AS dismiss_score,
	j.finding -> 'dismissal' ->> 'critique' AS critique, to_timestamp(r.started_at / 1000.0) AS created_at
FROM findings f JOIN runs r ON r.id = f.run
CROSS JOIN LATERAL (SELECT CAST(replace(f.body, '\u0000', '\ufffd') AS JSONB) AS finding) j
WHERE f.status = 'dismissed';

CREATE VIEW argus_evaluation_records AS
SELECT e.record ->> 'id' AS id, r.id AS report_id, e.record ->> 'gate' AS gate, e.record ->> 'evaluated_by' AS evaluated_by,
	e.record ->> 'verdict' AS verdict, CAST(e.record ->> 'score' AS DOUBLE PRECISION) AS score,
	e.record ->> 'reason' AS reason, e.record ->> 'critique' AS critique, e.record ->> 'target_id' AS target_id,
	CAST(e.record ->> 'iteration' AS BIGINT) AS iteration, to_timestamp(r.started_at / 1000.0) AS created_at
FROM runs r JOIN reports p ON p.run = r.id
CROSS JOIN LATERAL jsonb_array_elements(CAST(replace(p.body, '\u0000', '\ufffd') AS JSONB) -> 'evaluation_records') AS e (record)
WHERE r.agent = 'audit';
