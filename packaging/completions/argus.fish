# Completion of argus in fish, made from the command table by tools/gen-docs; do not edit.

# Does option $argv[2] of command $argv[1] take a value?
function __argus_takes_value
	switch "$argv[1]:$argv[2]"
		case audit:--sample-size audit:-n audit:--max-iterations audit:--max-calls audit:--max-seconds audit:--seed audit:--as-of audit:--min-severity audit:--fail-on audit:--planner audit:--self-model audit:--judge-model audit:--eval-profile audit:--action-evaluator audit:--finding-evaluator audit:--run-evaluator audit:--deadline audit:--model audit:--max-tokens audit:--max-cost audit:--record audit:--replay audit:--output audit:-o audit:--out audit:--baseline audit:--threads audit:--store verify:--source verify:--root verify:--output verify:-o verify:--deadline verify:--threads verify:--store inspect:--sample-size inspect:-n inspect:--seed inspect:--output inspect:-o inspect:--threads inspect:--deadline query:--limit query:-n query:--output query:-o query:--threads query:--deadline ask:--root ask:--api-base ask:--api-methods ask:--budget ask:--deadline ask:--format ask:--model ask:--max-tokens ask:--max-cost ask:--record ask:--replay ask:--store runs:--limit runs:-n runs:--output runs:-o runs:--store show:--output show:-o show:--store resume:--max-iterations resume:--max-calls resume:--max-tokens resume:--max-cost resume:--max-seconds resume:--deadline resume:--model resume:--self-model resume:--judge-model resume:--record resume:--replay resume:--output resume:-o resume:--out resume:--fail-on resume:--threads resume:--store replay:--output replay:-o replay:--store diff:--output diff:-o diff:--store history:--limit history:-n history:--output history:-o history:--store review:--reason review:--limit review:-n review:--output review:-o review:--store rate:--reason rate:--output rate:-o rate:--store purge:--older-than purge:--store mcp:--project mcp:--host mcp:--port mcp:--allow-hosts mcp:--allow-origins mcp:--resource mcp:--authorization-servers mcp:--store project:--source project:--name project:--password-file project:--output project:-o project:--store token:--user token:-u token:--project token:-p token:--role token:--scope token:--expires token:--name token:--output token:-o token:--store log:--user log:-u log:--project log:-p log:--tool log:-t log:--outcome log:--since log:--limit log:-n log:--head log:--output log:-o log:--store guard:--schema guard:--allowed-schemas guard:--allowed-tables guard:--excluded-tables guard:--allowed-functions guard:--allowed-views guard:--allowed-types guard:--allowed-extensions guard:--max-rows doctor:--output doctor:-o doctor:--store models:--output models:-o '*:--config' '*:--set' '*:--color' '*:--log-format'
			return 0
	end
	return 1
end

function __argus_settings
	printf '%s\n' store= retention_days= threads= output_format= log_level= log_format= color= deadline= model= max_tokens= max_cost= sample_size= max_iterations= max_calls= max_seconds= seed= history= as_of= show_values= min_severity= strict= fail_on= planner= self_model= judge_model= eval_profile= action_evaluator= finding_evaluator= run_evaluator= rejected_finding_policy= run_fail_policy= action_pass_threshold= finding_pass_threshold= run_pass_threshold= escalation_low_threshold= escalation_high_threshold= escalation_cap= malformed_action= malformed_finding= malformed_run= field_coverage_min= early_termination_min= clean_collection_docs= critical_min_share= high_min_share= budget_warning_below= description_min_chars= evidence_tolerance= null_rate_warning_threshold= null_rate_critical_threshold= type_consistency_threshold= root= ask_api= api_base_url= read_only= api_methods= ask_calls= ask_deadline= ask_format= ask_offline= read_bytes= sandbox= database= max_queries_per_minute= max_queries_per_hour= max_queries_per_day= max_connections_per_project= audit_sync= questions_at_once= documents_memory_mb=
end

# Is a command given: one of $argv, or any where none is asked for?
function __argus_is
	set -l words (commandline -opc)
	test (count $words) -ge 2; or return 1
	test (count $argv) -eq 0; or contains -- $words[2] $argv
end

# Is the cursor at argument $argv[2], from 0, of command $argv[1]?
function __argus_is_at
	set -l words (commandline -opc)
	set -l nth 0
	set -l is_value 0
	test (count $words) -ge 2; and test "$words[2]" = $argv[1]; or return 1
	for word in $words[3..]
		if test $is_value -eq 1
			set is_value 0
		else if string match -q -- '-?*' $word
			__argus_takes_value $argv[1] $word; and set is_value 1
		else
			set nth (math $nth + 1)
		end
	end
	test $is_value -eq 0; and test $nth -eq $argv[2]
end

function __argus_is_first
	test (count (commandline -opc)) -eq 1
end

complete -c argus -f
complete -c argus -n __argus_is_first -s h -l help -d 'List the commands'
complete -c argus -n __argus_is_first -s V -l version -d 'Print the version'
complete -c argus -n __argus_is_first -a audit -d 'Look for data-quality problems in collections'
complete -c argus -n __argus_is_first -a verify -d 'Check a report or an answer again'
complete -c argus -n __argus_is_first -a inspect -d 'Show the schema of collections'
complete -c argus -n __argus_is_first -a query -d 'Run a MongoDB filter or pipeline over a collection'
complete -c argus -n __argus_is_first -a ask -d 'Answer a question about a project'
complete -c argus -n __argus_is_first -a runs -d 'List earlier runs'
complete -c argus -n __argus_is_first -a show -d 'Show the report or the answer of an earlier run'
complete -c argus -n __argus_is_first -a resume -d 'Continue a run that did not end'
complete -c argus -n __argus_is_first -a replay -d 'Go through a run again, from its log'
complete -c argus -n __argus_is_first -a diff -d 'Compare two runs'
complete -c argus -n __argus_is_first -a history -d 'Show what the runs of a source found again and again'
complete -c argus -n __argus_is_first -a review -d 'List and decide findings that wait for a person'
complete -c argus -n __argus_is_first -a rate -d 'Say whether a finding is a true or a false positive'
complete -c argus -n __argus_is_first -a purge -d 'Remove old runs from the store'
complete -c argus -n __argus_is_first -a mcp -d 'Serve databases, documents and projects to agents: the MCP server'
complete -c argus -n __argus_is_first -a project -d 'Manage projects: databases, their limits and their members'
complete -c argus -n __argus_is_first -a token -d 'Make, list and revoke tokens for the servers'
complete -c argus -n __argus_is_first -a log -d 'Show and check the audit table: who asked what'
complete -c argus -n __argus_is_first -a guard -d 'Say whether a SQL statement may run, and why not'
complete -c argus -n __argus_is_first -a doctor -d 'Check the set-up, and say what is wrong'
complete -c argus -n __argus_is_first -a models -d 'List the models that can be used, and ask their servers'
complete -c argus -n __argus_is_first -a help -d 'Explain a command, or the settings'
complete -c argus -n __argus_is_first -a version -d 'Print the version'
complete -c argus -n '__argus_is audit' -l sample-size -s n -x -d 'documents to learn the schema from (default: the planner\'s choice)'
complete -c argus -n '__argus_is audit' -l max-iterations -x -d 'steps of the planner'
complete -c argus -n '__argus_is audit' -l max-calls -x -d 'tool calls that may run'
complete -c argus -n '__argus_is audit' -l max-seconds -x -d 'reading included; then no new step begins: a partial report'
complete -c argus -n '__argus_is audit' -l seed -x -d 'chooses the sample'
complete -c argus -n '__argus_is audit' -l no-history -d 'do not look at earlier runs'
complete -c argus -n '__argus_is audit' -l as-of -x -d 'what "today" means for dates in the data'
complete -c argus -n '__argus_is audit' -l show-values -d 'personal values as they are, not masked'
complete -c argus -n '__argus_is audit' -l min-severity -x -a 'low medium high critical' -d 'list no findings below it'
complete -c argus -n '__argus_is audit' -l strict -d 'a document that cannot be read is an error'
complete -c argus -n '__argus_is audit' -l fail-on -x -a 'none low medium high critical' -d 'exit with 3 when there is a finding of low, medium, high, critical or above'
complete -c argus -n '__argus_is audit' -l planner -x -a 'builtin llm' -d 'builtin (no model), or llm'
complete -c argus -n '__argus_is audit' -l self-model -x -d 'of the evaluator self'
complete -c argus -n '__argus_is audit' -l judge-model -x -d 'of the evaluator judge'
complete -c argus -n '__argus_is audit' -l eval-profile -x -a 'fast balanced thorough' -d 'who judges: fast (rules), balanced (self as well), thorough (and a judge)'
complete -c argus -n '__argus_is audit' -l action-evaluator -x -a 'profile rules none self judge composite escalation' -d 'rules, none, self, judge or composite'
complete -c argus -n '__argus_is audit' -l finding-evaluator -x -a 'profile rules none self judge composite escalation' -d 'the same, or escalation'
complete -c argus -n '__argus_is audit' -l run-evaluator -x -a 'profile rules none self judge composite escalation' -d 'rules, none, self, judge or composite'
complete -c argus -n '__argus_is audit' -l deadline -x -d 'then everything stops: a failed run'
complete -c argus -n '__argus_is audit' -l model -x -d 'the planner\'s model: see `argus models`'
complete -c argus -n '__argus_is audit' -l max-tokens -x -d 'tokens of all models, in and out'
complete -c argus -n '__argus_is audit' -l max-cost -x -d 'US dollars of all models'
complete -c argus -n '__argus_is audit' -l record -r -F -d 'write every exchange with a model, without keys'
complete -c argus -n '__argus_is audit' -l replay -r -F -d 'answer from a recording, without network'
complete -c argus -n '__argus_is audit' -l details -d 'in text: evidence, examples, cause and repair of each finding'
complete -c argus -n '__argus_is audit' -l output -s o -x -a 'text json silent short csv markdown github junit sarif html' -d 'text, short, json, html, sarif, junit, github, markdown, csv or silent'
complete -c argus -n '__argus_is audit' -l out -r -F -d 'write the report to a file, whole or not at all; - is standard output'
complete -c argus -n '__argus_is audit' -l baseline -r -F -d 'a JSON report: exit with 3 only for what it does not have'
complete -c argus -n '__argus_is audit' -l fail-on-new -d 'exit with 3 only for what --baseline, or the previous run, does not have'
complete -c argus -n '__argus_is audit' -l threads -x -d 'worker threads'
complete -c argus -n '__argus_is audit' -l store -r -F -d 'where runs are kept: a path, or memory:'
complete -c argus -n '__argus_is audit' -F
complete -c argus -n '__argus_is verify' -l source -r -F -d 'of a report: check other data with the same evidence'
complete -c argus -n '__argus_is verify' -l root -x -a '(__fish_complete_directories)' -d 'of an answer: the project\'s folder (default: the answer\'s own)'
complete -c argus -n '__argus_is verify' -l output -s o -x -a 'text json silent' -d 'text, json or silent'
complete -c argus -n '__argus_is verify' -l deadline -x -d 'then everything stops'
complete -c argus -n '__argus_is verify' -l threads -x -d 'worker threads'
complete -c argus -n '__argus_is verify' -l store -r -F -d 'where runs are kept: a path, or memory:'
complete -c argus -n '__argus_is_at verify 0' -F
complete -c argus -n '__argus_is inspect' -l sample-size -s n -x -d 'documents to look at (default: all)'
complete -c argus -n '__argus_is inspect' -l seed -x -d 'chooses the sample'
complete -c argus -n '__argus_is inspect' -l output -s o -x -a 'text json' -d 'text or json'
complete -c argus -n '__argus_is inspect' -l show-values -d 'personal values as they are, not masked'
complete -c argus -n '__argus_is inspect' -l strict -d 'a document that cannot be read is an error'
complete -c argus -n '__argus_is inspect' -l threads -x -d 'worker threads'
complete -c argus -n '__argus_is inspect' -l deadline -x -d 'then everything stops'
complete -c argus -n '__argus_is_at inspect 0' -F
complete -c argus -n '__argus_is query' -l limit -s n -x -d 'documents to print (20); 0 only counts'
complete -c argus -n '__argus_is query' -l output -s o -x -a 'text json' -d 'text or json'
complete -c argus -n '__argus_is query' -l strict -d 'a document that cannot be read is an error'
complete -c argus -n '__argus_is query' -l threads -x -d 'worker threads'
complete -c argus -n '__argus_is query' -l deadline -x -d 'then everything stops'
complete -c argus -n '__argus_is_at query 0' -F
complete -c argus -n '__argus_is ask' -l root -x -a '(__fish_complete_directories)' -d 'the project\'s folder (default: the one you are in)'
complete -c argus -n '__argus_is ask' -l no-api -d 'do not ask the project\'s API: no key is needed'
complete -c argus -n '__argus_is ask' -l api-base -x -d 'where the project\'s API runs'
complete -c argus -n '__argus_is ask' -l read-only -d 'send only GET and HEAD to it'
complete -c argus -n '__argus_is ask' -l api-methods -x -d 'send it these methods, like GET,HEAD,POST (default: GET, HEAD and what the question orders)'
complete -c argus -n '__argus_is ask' -l budget -x -d 'tool calls (default 10)'
complete -c argus -n '__argus_is ask' -l deadline -x -d 'the answer is there by then, whole or partial (default 55)'
complete -c argus -n '__argus_is ask' -l format -x -a 'json text markdown' -d 'json (default), text or markdown'
complete -c argus -n '__argus_is ask' -l offline -d 'ask no model: the best section of the project\'s files'
complete -c argus -n '__argus_is ask' -l model -x -d 'which model: see `argus models`'
complete -c argus -n '__argus_is ask' -l max-tokens -x -d 'tokens of the model, in and out'
complete -c argus -n '__argus_is ask' -l max-cost -x -d 'US dollars of the model'
complete -c argus -n '__argus_is ask' -l record -r -F -d 'write every exchange with a model, without keys'
complete -c argus -n '__argus_is ask' -l replay -r -F -d 'answer from a recording, without network'
complete -c argus -n '__argus_is ask' -l store -r -F -d 'where runs are kept: a path, or memory:'
complete -c argus -n '__argus_is runs' -l limit -s n -x -d 'how many, newest first (20)'
complete -c argus -n '__argus_is runs' -l output -s o -x -a 'text json' -d 'text or json'
complete -c argus -n '__argus_is runs' -l store -r -F -d 'where runs are kept: a path, or memory:'
complete -c argus -n '__argus_is show' -l details -d 'in text: evidence, examples, cause and repair of each finding'
complete -c argus -n '__argus_is show' -l trace -d 'every step: what was tried, why, and the result'
complete -c argus -n '__argus_is show' -l set-aside -d 'findings that do not count as well: marked as false positives, or ignored'
complete -c argus -n '__argus_is show' -l output -s o -x -a 'text json short csv markdown github junit sarif html' -d 'text, short, json, html, sarif, junit, github, markdown, csv or silent'
complete -c argus -n '__argus_is show' -l store -r -F -d 'where runs are kept: a path, or memory:'
complete -c argus -n '__argus_is_at show 0' -a 'last'
complete -c argus -n '__argus_is resume' -l max-iterations -x -d 'steps of the planner, of all sittings'
complete -c argus -n '__argus_is resume' -l max-calls -x -d 'tool calls, of all sittings'
complete -c argus -n '__argus_is resume' -l max-tokens -x -d 'tokens of all models, of all sittings'
complete -c argus -n '__argus_is resume' -l max-cost -x -d 'US dollars of all models, of all sittings'
complete -c argus -n '__argus_is resume' -l max-seconds -x -d 'of this sitting, reading included'
complete -c argus -n '__argus_is resume' -l deadline -x -d 'then everything stops: a failed run'
complete -c argus -n '__argus_is resume' -l model -x -d 'another model for the planner'
complete -c argus -n '__argus_is resume' -l self-model -x -d 'of the evaluator self'
complete -c argus -n '__argus_is resume' -l judge-model -x -d 'of the evaluator judge'
complete -c argus -n '__argus_is resume' -l record -r -F -d 'write every exchange with a model, without keys'
complete -c argus -n '__argus_is resume' -l replay -r -F -d 'answer from a recording, without network'
complete -c argus -n '__argus_is resume' -l details -d 'in text: evidence, examples, cause and repair of each finding'
complete -c argus -n '__argus_is resume' -l output -s o -x -a 'text json silent short csv markdown github junit sarif html' -d 'text, short, json, html, sarif, junit, github, markdown, csv or silent'
complete -c argus -n '__argus_is resume' -l out -r -F -d 'write the report to a file, whole or not at all; - is standard output'
complete -c argus -n '__argus_is resume' -l fail-on -x -a 'none low medium high critical' -d 'exit with 3 when there is a finding of low, medium, high, critical or above'
complete -c argus -n '__argus_is resume' -l show-values -d 'personal values as they are, not masked'
complete -c argus -n '__argus_is resume' -l threads -x -d 'worker threads'
complete -c argus -n '__argus_is resume' -l store -r -F -d 'where runs are kept: a path, or memory:'
complete -c argus -n '__argus_is_at resume 0' -a 'last'
complete -c argus -n '__argus_is replay' -l output -s o -x -a 'text json' -d 'text, or json: one event a line (docs/events.md)'
complete -c argus -n '__argus_is replay' -l show-values -d 'personal values as they are, not masked'
complete -c argus -n '__argus_is replay' -l store -r -F -d 'where runs are kept: a path, or memory:'
complete -c argus -n '__argus_is_at replay 0' -a 'last'
complete -c argus -n '__argus_is diff' -l output -s o -x -a 'text json' -d 'text or json'
complete -c argus -n '__argus_is diff' -l store -r -F -d 'where runs are kept: a path, or memory:'
complete -c argus -n '__argus_is_at diff 0' -F -a 'last'
complete -c argus -n '__argus_is_at diff 1' -a 'last'
complete -c argus -n '__argus_is history' -l limit -s n -x -d 'how many runs are listed, newest first (20)'
complete -c argus -n '__argus_is history' -l output -s o -x -a 'text json' -d 'text or json'
complete -c argus -n '__argus_is history' -l store -r -F -d 'where runs are kept: a path, or memory:'
complete -c argus -n '__argus_is_at history 0' -F
complete -c argus -n '__argus_is review' -l reason -x -d 'why: later runs show it'
complete -c argus -n '__argus_is review' -l limit -s n -x -d 'how many, newest run first (50)'
complete -c argus -n '__argus_is review' -l output -s o -x -a 'text json' -d 'text or json'
complete -c argus -n '__argus_is review' -l store -r -F -d 'where runs are kept: a path, or memory:'
complete -c argus -n '__argus_is_at review 0' -a 'last'
complete -c argus -n '__argus_is_at review 2' -a 'tp fp need_info'
complete -c argus -n '__argus_is rate' -l reason -x -d 'why: later runs show it'
complete -c argus -n '__argus_is rate' -l output -s o -x -a 'text json' -d 'text or json'
complete -c argus -n '__argus_is rate' -l store -r -F -d 'where runs are kept: a path, or memory:'
complete -c argus -n '__argus_is_at rate 0' -a 'last'
complete -c argus -n '__argus_is_at rate 2' -a 'tp fp none'
complete -c argus -n '__argus_is purge' -l older-than -x -d 'remove runs that ended so many days ago; 0 removes all'
complete -c argus -n '__argus_is purge' -l store -r -F -d 'where runs are kept: a path, or memory:'
complete -c argus -n '__argus_is mcp' -l project -x -d 'only these projects, with commas between them'
complete -c argus -n '__argus_is mcp' -l http -d 'serve over HTTP instead of standard input and output'
complete -c argus -n '__argus_is mcp' -l host -x -d 'listen there (127.0.0.1)'
complete -c argus -n '__argus_is mcp' -l port -x -d 'listen there (8100); 0 = any that is free'
complete -c argus -n '__argus_is mcp' -l no-auth -d 'ask for no token; only on a loopback address'
complete -c argus -n '__argus_is mcp' -l allow-hosts -x -d 'further names of this server in the Host header'
complete -c argus -n '__argus_is mcp' -l allow-origins -x -d 'pages that may call it from a browser'
complete -c argus -n '__argus_is mcp' -l resource -x -d 'the server\'s address as clients know it (OAuth metadata)'
complete -c argus -n '__argus_is mcp' -l authorization-servers -x -d 'who gives out tokens (OAuth metadata)'
complete -c argus -n '__argus_is mcp' -l store -r -F -d 'projects, tokens and the audit table: a path'
complete -c argus -n '__argus_is_at mcp 0' -F
complete -c argus -n '__argus_is project' -l source -r -F -d 'add, set: the database: postgresql://user@host/name, or sqlite:PATH'
complete -c argus -n '__argus_is project' -l name -x -d 'add, set: what people call it'
complete -c argus -n '__argus_is project' -l password-file -r -F -d 'add, set: where the database\'s password stands; - is standard input'
complete -c argus -n '__argus_is project' -l no-password -d 'set: forget the password'
complete -c argus -n '__argus_is project' -l disable -d 'set: nobody may call it any more'
complete -c argus -n '__argus_is project' -l enable -d 'set: take that back'
complete -c argus -n '__argus_is project' -l output -s o -x -a 'text json' -d 'text or json'
complete -c argus -n '__argus_is project' -l store -r -F -d 'where runs are kept: a path, or memory:'
complete -c argus -n '__argus_is_at project 0' -a 'list show add set remove members grant revoke test key'
complete -c argus -n '__argus_is token' -l user -s u -x -d 'whom the token stands for'
complete -c argus -n '__argus_is token' -l project -s p -x -d 'create: a project that it may reach; repeat it for more, or put commas between. Without it: all of its user\'s'
complete -c argus -n '__argus_is token' -l role -x -a 'viewer analyst admin' -d 'create: never more than viewer, analyst or admin, whatever the user is (viewer)'
complete -c argus -n '__argus_is token' -l scope -x -a 'sql audit ask' -d 'create: sql, audit or ask; repeat it for more. Without it: all'
complete -c argus -n '__argus_is token' -l expires -x -d 'create: so many days from now. Without it: never'
complete -c argus -n '__argus_is token' -l name -x -d 'create: what it is for, as the list shows it'
complete -c argus -n '__argus_is token' -l output -s o -x -a 'text json' -d 'text or json'
complete -c argus -n '__argus_is token' -l store -r -F -d 'where runs are kept: a path, or memory:'
complete -c argus -n '__argus_is_at token 0' -a 'create list revoke'
complete -c argus -n '__argus_is log' -l user -s u -x -d 'only calls of this user'
complete -c argus -n '__argus_is log' -l project -s p -x -d 'only calls of this project'
complete -c argus -n '__argus_is log' -l tool -s t -x -d 'only calls of this tool'
complete -c argus -n '__argus_is log' -l outcome -x -a 'ok running interrupted' -d 'only calls that ended so: ok, the code of an error, running, or interrupted'
complete -c argus -n '__argus_is log' -l since -x -d 'only calls since then: 30m, 12h, 7d, or a date, also with a time'
complete -c argus -n '__argus_is log' -l limit -s n -x -d 'how many, the newest (20)'
complete -c argus -n '__argus_is log' -l verify -d 'check the whole table: was a row changed, added or removed?'
complete -c argus -n '__argus_is log' -l head -x -d 'with --verify: what an earlier check printed as its end; it must still stand there'
complete -c argus -n '__argus_is log' -l output -s o -x -a 'text json' -d 'text or json'
complete -c argus -n '__argus_is log' -l store -r -F -d 'where runs are kept: a path, or memory:'
complete -c argus -n '__argus_is guard' -l schema -x -d 'where names without a schema live (public)'
complete -c argus -n '__argus_is guard' -l allowed-schemas -x -d 'further schemas, with commas between them'
complete -c argus -n '__argus_is guard' -l allowed-tables -x -d 'only these tables'
complete -c argus -n '__argus_is guard' -l excluded-tables -x -d 'never these tables, whatever else allows them'
complete -c argus -n '__argus_is guard' -l allowed-functions -x -d 'beside the built-in list'
complete -c argus -n '__argus_is guard' -l allowed-views -x -d 'these may show tables of schemas that are not allowed'
complete -c argus -n '__argus_is guard' -l allowed-types -x -d 'casts to these types, or to all of an extension'
complete -c argus -n '__argus_is guard' -l allowed-extensions -x -d 'all functions, operators and types of these extensions'
complete -c argus -n '__argus_is guard' -l max-rows -x -d 'rows that a query gives back (500)'
complete -c argus -n '__argus_is guard' -l ndjson -d 'read requests from standard input, one a line; write one verdict a line'
complete -c argus -n '__argus_is doctor' -l output -s o -x -a 'text json' -d 'text or json'
complete -c argus -n '__argus_is doctor' -l store -r -F -d 'the store to look at'
complete -c argus -n '__argus_is models' -l no-ping -d 'only list them, ask no server'
complete -c argus -n '__argus_is models' -l output -s o -x -a 'text json' -d 'text or json'
complete -c argus -n '__argus_is_at help 0' -a 'audit verify inspect query ask runs show resume replay diff history review rate purge mcp project token log guard doctor models help version settings'
complete -c argus -n '__argus_is ' -l config -r -F -d 'settings file instead of ./argus.yaml'
complete -c argus -n '__argus_is ' -l set -x -a '(__argus_settings)' -d 'any setting of `argus help settings`; may be repeated'
complete -c argus -n '__argus_is ' -l color -x -a 'auto always never' -d 'colours: auto (on a terminal), always or never'
complete -c argus -n '__argus_is ' -l log-format -x -a 'json text' -d 'log lines as json or text'
complete -c argus -n '__argus_is ' -l verbose -s v -d 'log to standard error; twice for more'
complete -c argus -n '__argus_is ' -l quiet -s q -d 'no progress and no notes, only results and errors'
complete -c argus -n '__argus_is ' -l help -s h -d 'this page'
