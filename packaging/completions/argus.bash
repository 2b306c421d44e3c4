# Completion of argus in bash, made from the command table by tools/gen-docs; do not edit.
# shellcheck shell=bash

_argus_commands='audit verify repair inspect query ask chat prompt knowledge learnings recipe artifact eval runs show resume replay diff export history review rate purge mcp serve project token user log guard worker jobs schedule store init import doctor models accounts auth-status help version --help --version'
_argus_settings='store= retention_days= threads= output_format= log_level= log_format= color= deadline= model= max_tokens= max_cost= sample_size= max_iterations= max_calls= max_seconds= seed= history= as_of= show_values= min_severity= strict= max_scan= max_sample= max_ru= fail_on= planner= self_model= judge_model= eval_profile= action_evaluator= finding_evaluator= run_evaluator= rejected_finding_policy= run_fail_policy= action_pass_threshold= finding_pass_threshold= run_pass_threshold= escalation_low_threshold= escalation_high_threshold= escalation_cap= malformed_action= malformed_finding= malformed_run= field_coverage_min= early_termination_min= clean_collection_docs= critical_min_share= high_min_share= budget_warning_below= description_min_chars= evidence_tolerance= null_rate_warning_threshold= null_rate_critical_threshold= type_consistency_threshold= root= ask_api= api_base_url= read_only= api_methods= ask_calls= ask_deadline= ask_format= ask_offline= read_bytes= sandbox= chat_steps= chat_deadline= chat_retries= chat_messages= chat_result_bytes= chat_dictionary_bytes= chat_knowledge_bytes= database= max_queries_per_minute= max_queries_per_hour= max_queries_per_day= max_connections_per_project= audit_sync= questions_at_once= documents_memory_mb= connection_hosts= connection_folders= ask_folders= ask_apis= max_requests_per_minute= max_anonymous_per_minute= max_login_failures= login_wait= session_days= oidc_issuer= oidc_client_id= oidc_name= oidc_scopes= oidc_sign_up= oidc_link_email= oidc_name_claim= oidc_groups_claim= oidc_superuser= oidc_ends_session= oidc_clock_skew= access_log='

# The value of option $2 of command $1, or of --set $2.
_argus_value() {
	case $1:$2 in
	audit:--sample-size | audit:-n) kind=any ;;
	audit:--max-iterations) kind=any ;;
	audit:--max-calls) kind=any ;;
	audit:--max-seconds) kind=any ;;
	audit:--seed) kind=any ;;
	audit:--as-of) kind=any ;;
	audit:--min-severity) kind=words words='low medium high critical' ;;
	audit:--max-scan) kind=any ;;
	audit:--max-sample) kind=any ;;
	audit:--max-ru) kind=any ;;
	audit:--fail-on) kind=words words='none low medium high critical' ;;
	audit:--planner) kind=words words='builtin llm both' ;;
	audit:--self-model) kind=any ;;
	audit:--judge-model) kind=any ;;
	audit:--eval-profile) kind=words words='fast balanced thorough' ;;
	audit:--action-evaluator) kind=words words='profile rules none self judge composite escalation' ;;
	audit:--finding-evaluator) kind=words words='profile rules none self judge composite escalation' ;;
	audit:--run-evaluator) kind=words words='profile rules none self judge composite escalation' ;;
	audit:--account | audit:-a) kind=any ;;
	audit:--database | audit:-d) kind=any ;;
	audit:--collection | audit:-c) kind=any ;;
	audit:--jobs | audit:-j) kind=any ;;
	audit:--collections) kind=any ;;
	audit:--deadline) kind=any ;;
	audit:--model) kind=any ;;
	audit:--max-tokens) kind=any ;;
	audit:--max-cost) kind=any ;;
	audit:--record) kind=files ;;
	audit:--replay) kind=files ;;
	audit:--output | audit:-o) kind=words words='text json silent short csv markdown github junit sarif html' ;;
	audit:--out) kind=files ;;
	audit:--baseline) kind=files ;;
	audit:--cells) kind=files ;;
	audit:--repairs) kind=files ;;
	audit:--threads) kind=any ;;
	audit:--store) kind=files ;;
	verify:--source) kind=files ;;
	verify:--root) kind=folders ;;
	verify:--output | verify:-o) kind=words words='text json silent' ;;
	verify:--deadline) kind=any ;;
	verify:--threads) kind=any ;;
	verify:--store) kind=files ;;
	repair:--as) kind=words words='mongosh sql csv repairs cells' ;;
	repair:--key) kind=any ;;
	repair:--table) kind=any ;;
	repair:--flatten) kind=any ;;
	repair:--source) kind=files ;;
	repair:--out) kind=files ;;
	repair:--deadline) kind=any ;;
	repair:--threads) kind=any ;;
	repair:--store) kind=files ;;
	inspect:--account | inspect:-a) kind=any ;;
	inspect:--database | inspect:-d) kind=any ;;
	inspect:--collection | inspect:-c) kind=any ;;
	inspect:--path | inspect:-p) kind=any ;;
	inspect:--sample-size | inspect:-n) kind=any ;;
	inspect:--seed) kind=any ;;
	inspect:--output | inspect:-o) kind=words words='text json html' ;;
	inspect:--max-scan) kind=any ;;
	inspect:--max-ru) kind=any ;;
	inspect:--threads) kind=any ;;
	inspect:--deadline) kind=any ;;
	query:--account | query:-a) kind=any ;;
	query:--database | query:-d) kind=any ;;
	query:--collection | query:-c) kind=any ;;
	query:--limit | query:-n) kind=any ;;
	query:--output | query:-o) kind=words words='text json' ;;
	query:--max-scan) kind=any ;;
	query:--max-ru) kind=any ;;
	query:--threads) kind=any ;;
	query:--deadline) kind=any ;;
	ask:--root) kind=folders ;;
	ask:--api-base) kind=any ;;
	ask:--api-methods) kind=any ;;
	ask:--budget) kind=any ;;
	ask:--deadline) kind=any ;;
	ask:--format) kind=words words='json text markdown' ;;
	ask:--model) kind=any ;;
	ask:--max-tokens) kind=any ;;
	ask:--max-cost) kind=any ;;
	ask:--record) kind=files ;;
	ask:--replay) kind=files ;;
	ask:--store) kind=files ;;
	chat:--deadline) kind=any ;;
	chat:--project | chat:-p) kind=any ;;
	chat:--question | chat:-q) kind=any ;;
	chat:--thread) kind=any ;;
	chat:--branch) kind=any ;;
	chat:--model) kind=any ;;
	chat:--max-tokens) kind=any ;;
	chat:--max-cost) kind=any ;;
	chat:--record) kind=files ;;
	chat:--replay) kind=files ;;
	chat:--output | chat:-o) kind=words words='text json' ;;
	chat:--store) kind=files ;;
	prompt:--question | prompt:-q) kind=any ;;
	prompt:--output | prompt:-o) kind=words words='text json' ;;
	prompt:--store) kind=files ;;
	knowledge:--project | knowledge:-p) kind=any ;;
	knowledge:--file) kind=files ;;
	knowledge:--output | knowledge:-o) kind=words words='text json' ;;
	knowledge:--store) kind=files ;;
	learnings:--project | learnings:-p) kind=any ;;
	learnings:--why) kind=any ;;
	learnings:--output | learnings:-o) kind=words words='text json' ;;
	learnings:--store) kind=files ;;
	recipe:--deadline) kind=any ;;
	recipe:--project | recipe:-p) kind=any ;;
	recipe:--var) kind=any ;;
	recipe:--run) kind=any ;;
	recipe:--file) kind=files ;;
	recipe:--limit | recipe:-n) kind=any ;;
	recipe:--model) kind=any ;;
	recipe:--max-tokens) kind=any ;;
	recipe:--max-cost) kind=any ;;
	recipe:--record) kind=files ;;
	recipe:--replay) kind=files ;;
	recipe:--output | recipe:-o) kind=words words='text json' ;;
	recipe:--store) kind=files ;;
	artifact:--project | artifact:-p) kind=any ;;
	artifact:--search) kind=any ;;
	artifact:--version) kind=any ;;
	artifact:--query) kind=any ;;
	artifact:--output | artifact:-o) kind=words words='text json' ;;
	artifact:--store) kind=files ;;
	eval:--deadline) kind=any ;;
	eval:--tag) kind=any ;;
	eval:--min-accuracy) kind=any ;;
	eval:--junit) kind=files ;;
	eval:--add) kind=any ;;
	eval:--mode) kind=words words='exact approximate row_count contains structure' ;;
	eval:--model) kind=any ;;
	eval:--max-tokens) kind=any ;;
	eval:--max-cost) kind=any ;;
	eval:--record) kind=files ;;
	eval:--replay) kind=files ;;
	eval:--output | eval:-o) kind=words words='text json' ;;
	eval:--store) kind=files ;;
	runs:--limit | runs:-n) kind=any ;;
	runs:--output | runs:-o) kind=words words='text json' ;;
	runs:--store) kind=files ;;
	show:--output | show:-o) kind=words words='text json short csv markdown github junit sarif html' ;;
	show:--store) kind=files ;;
	resume:--max-iterations) kind=any ;;
	resume:--max-calls) kind=any ;;
	resume:--max-tokens) kind=any ;;
	resume:--max-cost) kind=any ;;
	resume:--max-ru) kind=any ;;
	resume:--max-seconds) kind=any ;;
	resume:--deadline) kind=any ;;
	resume:--model) kind=any ;;
	resume:--self-model) kind=any ;;
	resume:--judge-model) kind=any ;;
	resume:--record) kind=files ;;
	resume:--replay) kind=files ;;
	resume:--output | resume:-o) kind=words words='text json silent short csv markdown github junit sarif html' ;;
	resume:--out) kind=files ;;
	resume:--fail-on) kind=words words='none low medium high critical' ;;
	resume:--threads) kind=any ;;
	resume:--store) kind=files ;;
	replay:--output | replay:-o) kind=words words='text json' ;;
	replay:--store) kind=files ;;
	diff:--output | diff:-o) kind=words words='text json' ;;
	diff:--store) kind=files ;;
	export:--as) kind=words words='validator jsonschema dbt gx soda' ;;
	export:--table) kind=any ;;
	export:--flatten) kind=any ;;
	export:--from) kind=words words='low medium high critical' ;;
	export:--store) kind=files ;;
	history:--limit | history:-n) kind=any ;;
	history:--output | history:-o) kind=words words='text json' ;;
	history:--store) kind=files ;;
	review:--reason) kind=any ;;
	review:--limit | review:-n) kind=any ;;
	review:--output | review:-o) kind=words words='text json' ;;
	review:--store) kind=files ;;
	rate:--reason) kind=any ;;
	rate:--output | rate:-o) kind=words words='text json' ;;
	rate:--store) kind=files ;;
	purge:--older-than) kind=any ;;
	purge:--store) kind=files ;;
	mcp:--project) kind=any ;;
	mcp:--host) kind=any ;;
	mcp:--port) kind=any ;;
	mcp:--allow-hosts) kind=any ;;
	mcp:--allow-origins) kind=any ;;
	mcp:--resource) kind=any ;;
	mcp:--authorization-servers) kind=any ;;
	mcp:--store) kind=files ;;
	serve:--project) kind=any ;;
	serve:--host) kind=any ;;
	serve:--port) kind=any ;;
	serve:--allow-hosts) kind=any ;;
	serve:--allow-origins) kind=any ;;
	serve:--resource) kind=any ;;
	serve:--authorization-servers) kind=any ;;
	serve:--questions) kind=any ;;
	serve:--proxy-header) kind=any ;;
	serve:--grace) kind=any ;;
	serve:--workers) kind=any ;;
	serve:--store) kind=files ;;
	project:--source) kind=files ;;
	project:--name) kind=any ;;
	project:--password-file) kind=files ;;
	project:--output | project:-o) kind=words words='text json' ;;
	project:--store) kind=files ;;
	token:--user | token:-u) kind=any ;;
	token:--project | token:-p) kind=any ;;
	token:--role) kind=words words='viewer analyst admin' ;;
	token:--scope) kind=words words='sql audit ask' ;;
	token:--expires) kind=any ;;
	token:--name) kind=any ;;
	token:--output | token:-o) kind=words words='text json' ;;
	token:--store) kind=files ;;
	user:--output | user:-o) kind=words words='text json' ;;
	user:--store) kind=files ;;
	log:--user | log:-u) kind=any ;;
	log:--project | log:-p) kind=any ;;
	log:--tool | log:-t) kind=any ;;
	log:--outcome) kind=words words='ok running interrupted' ;;
	log:--since) kind=any ;;
	log:--limit | log:-n) kind=any ;;
	log:--head) kind=any ;;
	log:--output | log:-o) kind=words words='text json' ;;
	log:--store) kind=files ;;
	guard:--schema) kind=any ;;
	guard:--allowed-schemas) kind=any ;;
	guard:--allowed-tables) kind=any ;;
	guard:--excluded-tables) kind=any ;;
	guard:--allowed-functions) kind=any ;;
	guard:--allowed-views) kind=any ;;
	guard:--allowed-types) kind=any ;;
	guard:--allowed-extensions) kind=any ;;
	guard:--max-rows) kind=any ;;
	worker:--sample-size | worker:-n) kind=any ;;
	worker:--max-iterations) kind=any ;;
	worker:--max-calls) kind=any ;;
	worker:--max-seconds) kind=any ;;
	worker:--seed) kind=any ;;
	worker:--as-of) kind=any ;;
	worker:--min-severity) kind=words words='low medium high critical' ;;
	worker:--max-scan) kind=any ;;
	worker:--max-sample) kind=any ;;
	worker:--max-ru) kind=any ;;
	worker:--fail-on) kind=words words='none low medium high critical' ;;
	worker:--planner) kind=words words='builtin llm both' ;;
	worker:--self-model) kind=any ;;
	worker:--judge-model) kind=any ;;
	worker:--eval-profile) kind=words words='fast balanced thorough' ;;
	worker:--action-evaluator) kind=words words='profile rules none self judge composite escalation' ;;
	worker:--finding-evaluator) kind=words words='profile rules none self judge composite escalation' ;;
	worker:--run-evaluator) kind=words words='profile rules none self judge composite escalation' ;;
	worker:--queue) kind=any ;;
	worker:--jobs | worker:-j) kind=any ;;
	worker:--per-target) kind=any ;;
	worker:--lease) kind=any ;;
	worker:--grace) kind=any ;;
	worker:--poll) kind=any ;;
	worker:--model) kind=any ;;
	worker:--max-tokens) kind=any ;;
	worker:--max-cost) kind=any ;;
	worker:--threads) kind=any ;;
	worker:--store) kind=files ;;
	jobs:--queue) kind=any ;;
	jobs:--state) kind=words words='queued running done dead cancelled' ;;
	jobs:--kind) kind=words words='audit recipe' ;;
	jobs:--var) kind=any ;;
	jobs:--schedule) kind=any ;;
	jobs:--attempts) kind=any ;;
	jobs:--limit | jobs:-n) kind=any ;;
	jobs:--output | jobs:-o) kind=words words='text json' ;;
	jobs:--store) kind=files ;;
	schedule:--zone) kind=any ;;
	schedule:--queue) kind=any ;;
	schedule:--kind) kind=words words='audit recipe' ;;
	schedule:--var) kind=any ;;
	schedule:--count | schedule:-n) kind=any ;;
	schedule:--after) kind=any ;;
	schedule:--output | schedule:-o) kind=words words='text json' ;;
	schedule:--store) kind=files ;;
	store:--store) kind=files ;;
	init:--project | init:-p) kind=any ;;
	init:--output | init:-o) kind=words words='text json' ;;
	init:--store) kind=files ;;
	init:--deadline) kind=any ;;
	import:--project | import:-p) kind=any ;;
	import:--table) kind=any ;;
	import:--output | import:-o) kind=words words='text json' ;;
	import:--store) kind=files ;;
	import:--deadline) kind=any ;;
	import:--threads) kind=any ;;
	doctor:--output | doctor:-o) kind=words words='text json' ;;
	doctor:--store) kind=files ;;
	models:--output | models:-o) kind=words words='text json' ;;
	accounts:--output | accounts:-o) kind=words words='text json' ;;
	accounts:--deadline) kind=any ;;
	auth-status:--output | auth-status:-o) kind=words words='text json' ;;
	auth-status:--deadline) kind=any ;;
	--set:output_format) kind=words words='text json silent short csv markdown github junit sarif html' ;;
	--set:log_level) kind=words words='off error warn info debug' ;;
	--set:log_format) kind=words words='json text' ;;
	--set:color) kind=words words='auto always never' ;;
	--set:history) kind=words words='true false' ;;
	--set:show_values) kind=words words='true false' ;;
	--set:min_severity) kind=words words='low medium high critical' ;;
	--set:strict) kind=words words='true false' ;;
	--set:fail_on) kind=words words='none low medium high critical' ;;
	--set:planner) kind=words words='builtin llm both' ;;
	--set:eval_profile) kind=words words='fast balanced thorough' ;;
	--set:action_evaluator) kind=words words='profile rules none self judge composite escalation' ;;
	--set:finding_evaluator) kind=words words='profile rules none self judge composite escalation' ;;
	--set:run_evaluator) kind=words words='profile rules none self judge composite escalation' ;;
	--set:rejected_finding_policy) kind=words words='log_only drop demote_severity' ;;
	--set:run_fail_policy) kind=words words='continue warn_only abort' ;;
	--set:malformed_action) kind=words words='fail warn pass' ;;
	--set:malformed_finding) kind=words words='fail warn pass' ;;
	--set:malformed_run) kind=words words='fail warn pass' ;;
	--set:ask_api) kind=words words='true false' ;;
	--set:read_only) kind=words words='true false' ;;
	--set:ask_format) kind=words words='json text markdown' ;;
	--set:ask_offline) kind=words words='true false' ;;
	--set:sandbox) kind=words words='auto off required' ;;
	--set:audit_sync) kind=words words='normal full' ;;
	--set:oidc_link_email) kind=words words='true false' ;;
	--set:oidc_ends_session) kind=words words='true false' ;;
	*:--config) kind=files ;;
	*:--set) kind=setting ;;
	*:--color) kind=words words='auto always never' ;;
	*:--log-format) kind=words words='json text' ;;
	esac
}

# Argument $2 of command $1, from 0.
_argus_argument() {
	case $1:$2 in
	audit:*) kind=files ;;
	verify:0) kind=files ;;
	repair:*) kind=words words='last' ;;
	inspect:0) kind=files ;;
	query:0) kind=files ;;
	learnings:0) kind=words words='list review forget' ;;
	learnings:2) kind=words words='right wrong' ;;
	artifact:0) kind=words words='list show refresh diff export import rename delete undelete' ;;
	artifact:2) kind=files ;;
	show:0) kind=words words='last' ;;
	resume:0) kind=words words='last' ;;
	replay:0) kind=words words='last' ;;
	diff:0) kind=files words='last' ;;
	diff:1) kind=words words='last' ;;
	export:0) kind=words words='last' ;;
	history:0) kind=files ;;
	review:0) kind=words words='last' ;;
	review:2) kind=words words='tp fp need_info' ;;
	rate:0) kind=words words='last' ;;
	rate:2) kind=words words='tp fp none' ;;
	mcp:0) kind=files ;;
	serve:0) kind=files ;;
	project:0) kind=words words='list show add set remove members grant revoke test key' ;;
	token:0) kind=words words='create list revoke' ;;
	user:0) kind=words words='create list link password disable enable delete' ;;
	schedule:0) kind=words words='list add remove pause resume next run' ;;
	store:0) kind=words words='copy check import' ;;
	init:0) kind=files ;;
	help:0) kind=words words='audit verify repair inspect query ask chat prompt knowledge learnings recipe artifact eval runs show resume replay diff export history review rate purge mcp serve project token user log guard worker jobs schedule store init import doctor models accounts auth-status help version settings' ;;
	esac
}

# All options of command $1.
_argus_options() {
	kind=words
	case $1 in
	audit) words='--sample-size --max-iterations --max-calls --max-seconds --seed --no-history --as-of --show-values --min-severity --strict --max-scan --max-sample --max-ru --fail-on --planner --self-model --judge-model --eval-profile --action-evaluator --finding-evaluator --run-evaluator --account --database --collection --allow-read-write --all --jobs --collections --deadline --model --max-tokens --max-cost --record --replay --details --output --out --baseline --fail-on-new --cells --repairs --threads --store' ;;
	verify) words='--source --root --output --deadline --threads --store' ;;
	repair) words='--as --key --table --flatten --source --changed --out --deadline --threads --store' ;;
	inspect) words='--account --database --collection --allow-read-write --details --path --sample-size --seed --output --show-values --strict --max-scan --max-ru --threads --deadline' ;;
	query) words='--account --database --collection --allow-read-write --limit --output --strict --max-scan --max-ru --threads --deadline' ;;
	ask) words='--root --no-api --api-base --read-only --api-methods --budget --deadline --format --offline --model --max-tokens --max-cost --record --replay --store' ;;
	chat) words='--deadline --project --question --continue --thread --branch --demo --threads --model --max-tokens --max-cost --record --replay --output --store' ;;
	prompt) words='--question --output --store' ;;
	knowledge) words='--project --file --no-check --comments --output --store' ;;
	learnings) words='--project --why --output --store' ;;
	recipe) words='--deadline --project --var --run --file --no-check --limit --demo --model --max-tokens --max-cost --record --replay --output --store' ;;
	artifact) words='--project --search --deleted --version --code --query --all --output --store' ;;
	eval) words='--deadline --tag --min-accuracy --junit --history --add --mode --model --max-tokens --max-cost --record --replay --output --store' ;;
	runs) words='--limit --output --store' ;;
	show) words='--details --trace --set-aside --output --store' ;;
	resume) words='--max-iterations --max-calls --max-tokens --max-cost --max-ru --max-seconds --deadline --model --self-model --judge-model --record --replay --details --output --out --fail-on --show-values --threads --store' ;;
	replay) words='--output --show-values --store' ;;
	diff) words='--output --store' ;;
	export) words='--as --table --flatten --from --store' ;;
	history) words='--limit --output --store' ;;
	review) words='--reason --limit --output --store' ;;
	rate) words='--reason --output --store' ;;
	purge) words='--older-than --store' ;;
	mcp) words='--project --http --host --port --no-auth --allow-hosts --allow-origins --resource --authorization-servers --store' ;;
	serve) words='--project --host --port --demo --no-auth --allow-hosts --allow-origins --resource --authorization-servers --questions --proxy-header --grace --workers --openapi --store' ;;
	project) words='--source --name --password-file --no-password --disable --enable --output --store' ;;
	token) words='--user --project --role --scope --expires --name --output --store' ;;
	user) words='--superuser --output --store' ;;
	log) words='--user --project --tool --outcome --since --limit --verify --head --output --store' ;;
	guard) words='--schema --allowed-schemas --allowed-tables --excluded-tables --allowed-functions --allowed-views --allowed-types --allowed-extensions --max-rows --ndjson' ;;
	worker) words='--sample-size --max-iterations --max-calls --max-seconds --seed --no-history --as-of --show-values --min-severity --strict --max-scan --max-sample --max-ru --fail-on --planner --self-model --judge-model --eval-profile --action-evaluator --finding-evaluator --run-evaluator --queue --jobs --drain --per-target --lease --grace --poll --no-schedules --model --max-tokens --max-cost --threads --store' ;;
	jobs) words='--queue --state --kind --var --schedule --all --attempts --limit --output --store' ;;
	schedule) words='--zone --queue --kind --var --all --count --after --output --store' ;;
	store) words='--show-values --store' ;;
	init) words='--project --demo --output --store --deadline' ;;
	import) words='--project --table --output --store --deadline --threads' ;;
	doctor) words='--output --store' ;;
	models) words='--no-ping --output' ;;
	accounts) words='--output --deadline' ;;
	auth-status) words='--output --deadline' ;;
	esac
	words+=' --config --set --color --log-format --verbose --quiet --help'
}

# Reads the words before the cursor: sets kind and words for what the cursor is in.
_argus_look() {
	local command=${COMP_WORDS[1]} nth=0 ended='' word i

	for ((i = 2; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]} kind='' words=''
		if [[ -z $ended && $word == -- ]]; then
			ended=1
		elif [[ -z $ended && $word == -?* ]]; then
			_argus_value "$command" "$word"
			[[ $kind ]] || continue
			i=$((i + 1))
			[[ ${COMP_WORDS[i]} != = ]] || i=$((i + 1))
			if [[ $kind == setting && ${COMP_WORDS[i + 1]-} == = ]]; then
				kind=any words=''
				_argus_value --set "${COMP_WORDS[i]}"
				i=$((i + 2))
			fi
		elif [[ $word != [:=] && ${COMP_WORDS[i - 1]} != [:=] ]]; then
			nth=$((nth + 1))
		fi
	done
	((i == COMP_CWORD)) || return # the cursor is in the value of an option
	kind='' words=''
	if [[ -z $ended && $cur == -* ]]; then
		_argus_options "$command"
	else
		_argus_argument "$command" "$nth"
	fi
}

_argus() {
	local cur=${COMP_WORDS[COMP_CWORD]} kind=words words

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		words=$_argus_commands
	else
		_argus_look
	fi
	[[ $cur != [=:] ]] || cur=
	if [[ $kind == setting ]]; then
		words=$_argus_settings
		compopt -o nospace 2>/dev/null
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	case $kind in
	files) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur") ;;
	folders) mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	*) return ;;
	esac
	compopt -o filenames 2>/dev/null
}

complete -F _argus argus
