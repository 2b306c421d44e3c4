# Sourced by tests: a scripted model server (tests/fake/README.md) of their own.
# shellcheck shell=sh disable=SC2154,SC2034 # dir comes from the test, MODEL_URL is for it
# Needs FAKE_MODEL = path of the program and $dir = a folder of the test that it removes at the end.
# The test stops the server on its way out:   trap 'stop_model; rm -rf -- "$dir"' EXIT

MODEL_PID=

# start_model [SCRIPT [OPTION...]]: a file, or - for standard input; sets MODEL_PORT, MODEL_URL (without /v1),
# MODEL_LOG (one JSON line per request) and MODEL_PID. Stops the one that was started before.
start_model() {
	stop_model
	MODEL_LOG=$dir/model.log
	rm -f -- "$dir/model.port" "$MODEL_LOG"
	if [ "${1-}" = - ]; then
		cat >"$dir/model.script"
		shift
		set -- --script "$dir/model.script" "$@"
	elif [ $# -gt 0 ]; then
		model_script=$1
		shift
		set -- --script "$model_script" "$@"
	fi
	"${FAKE_MODEL:?path of the program}" --log "$MODEL_LOG" --port-file "$dir/model.port" "$@" \
		>"$dir/model.out" 2>&1 </dev/null &
	MODEL_PID=$!
	model_tries=0
	while [ ! -s "$dir/model.port" ]; do
		if ! kill -0 "$MODEL_PID" 2>/dev/null || [ "$model_tries" -gt 1000 ]; then
			echo "not ok - the model server does not start"
			sed 's/^/  model: /' "$dir/model.out" | head -5
			stop_model
			return 1
		fi
		sleep 0.02
		model_tries=$((model_tries + 1))
	done
	MODEL_PORT=$(cat "$dir/model.port")
	MODEL_URL=http://127.0.0.1:$MODEL_PORT
}

# stop_model: false when it did not end cleanly (a sanitizer had something to say).
stop_model() {
	[ -n "$MODEL_PID" ] || return 0
	kill -TERM "$MODEL_PID" 2>/dev/null
	wait "$MODEL_PID"
	model_code=$?
	MODEL_PID=
	[ "$model_code" -eq 0 ] && return 0
	sed 's/^/  model: /' "$dir/model.out" | head -20
	return 1
}

# model_count WORD: lines of the log that hold the word.
model_count() {
	grep -cF -e "$1" "$MODEL_LOG"
}
