#!/bin/sh
# The completions of bash, zsh and fish in the real shells, the manual page, and where the installation puts them.
# shellcheck disable=SC2016 # dollars belong to the inner shells
# Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case. ARGUS is the program.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"

made=$source_root/packaging
echo '{"a":1}' >orders.ndjson
echo '{"a":1}' >'two words.json'
mkdir folder
"$ARGUS" help | sed -n 's/^  \([a-z-]*\) *[A-Z].*/\1/p' >names

# offers NAME WANTED: the lines of out are these words, whatever their order.
offers() {
	: >err
	printf '%s\n' "$2" | tr ' ' '\n' | sed '/^$/d' | sort >wanted
	sort out >got
	holds "$1" cmp -s got wanted
}

# --- bash

cat >complete.bash <<'END'
# usage: complete.bash SCRIPT WORD...: what is offered in the place of the last word.
source "$1" || exit 1
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
function_of=$(complete -p argus) || exit 1
function_of=${function_of#*-F }
"${function_of%% *}" || :
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
END
in_bash() { bash complete.bash "$made/completions/argus.bash" "$@" >out 2>err; }
holds 'bash: syntax' bash -n "$made/completions/argus.bash"
in_bash argus ''; offers 'bash: commands' "$(tr '\n' ' ' <names)--help --version"
in_bash argus aud; offers 'bash: beginning of a command' audit
in_bash argus audit --fail-on ''; offers 'bash: words of a setting' 'none low medium high critical'
in_bash argus audit --fail-on h; offers 'bash: beginning of a word' high
in_bash argus audit --fail-on = h; offers 'bash: a value after =' high
in_bash argus audit --fail-on =; offers 'bash: nothing after = yet' 'none low medium high critical'
in_bash argus audit -o si; offers 'bash: a value after a letter' silent
in_bash argus runs -o si; offers 'bash: no word that the command refuses' ''
in_bash argus audit --seed ''; offers 'bash: nothing for a number' ''
in_bash argus audit --ou; offers 'bash: options' '--output --out'
in_bash argus audit or; offers 'bash: files' orders.ndjson
in_bash argus audit orders.ndjson fo; offers 'bash: more files' folder
in_bash argus audit two; printf 'two words.json\n' >wanted; holds 'bash: a blank in a name' cmp -s out wanted
in_bash argus audit --out or; offers 'bash: a file after an option' orders.ndjson
in_bash argus audit --color always or; offers 'bash: a file after an option with a value' orders.ndjson
in_bash argus audit --color = always or; offers 'bash: a file after an option with =' orders.ndjson
in_bash argus audit -- -x; offers 'bash: no options after --' ''
in_bash argus verify --root ''; offers 'bash: folders' "folder$(test ! -d state || echo ' state')"
in_bash argus rate la; offers 'bash: last for a run' last
in_bash argus rate last total t; offers 'bash: the third argument' tp
in_bash argus rate --reason 'so it is' last total t; offers 'bash: options do not count as arguments' tp
in_bash argus diff la; offers 'bash: words and files' last
in_bash argus diff or; offers 'bash: files and words' orders.ndjson
in_bash argus project me; offers 'bash: verbs' members
in_bash argus token create --role ''; offers 'bash: words of an option' 'viewer analyst admin'
in_bash argus help aud; offers 'bash: commands for help' audit
in_bash argus help sett; offers 'bash: settings for help' settings
in_bash argus audit --set min_sev; offers 'bash: keys of settings' min_severity=
in_bash argus audit --set color = n; offers 'bash: values of settings' never
in_bash argus audit --set color = never or; offers 'bash: a file after a setting' orders.ndjson
in_bash argus nonsense ''; offers 'bash: nothing for an unknown command' ''
while read -r c; do
	in_bash argus "$c" --
	sort out >got
	"$ARGUS" help "$c" | sed -n 's/^  \(-[a-z], \)*\(--[a-z-]*\).*/\2/p' | sort >wanted
	holds "bash: the options of argus $c are those of its help" cmp -s got wanted
done <names

# --- fish

if command -v fish >/dev/null 2>&1; then
	in_fish() {
		fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$made/completions/argus.fish" "$1" >all 2>err
		cut -f 1 all >out
	}
	holds 'fish: syntax' fish -n "$made/completions/argus.fish"
	in_fish 'argus '; offers 'fish: commands' "$(tr '\n' ' ' <names | sed 's/ $//')"
	holds 'fish: commands with their summaries' grep -q "^verify$(printf '\t')Check" all
	in_fish 'argus audit --fail-on '; offers 'fish: words of a setting' 'none low medium high critical'
	in_fish 'argus audit --fail-on=h'; offers 'fish: a value after =' '--fail-on=high'
	in_fish 'argus audit or'; offers 'fish: files' orders.ndjson
	in_fish 'argus audit --out or'; offers 'fish: a file after an option' orders.ndjson
	in_fish 'argus runs or'; offers 'fish: no files where none is taken' ''
	in_fish 'argus verify --root '; offers 'fish: folders' "folder/$(test ! -d state || echo ' state/')"
	in_fish 'argus rate last total '; offers 'fish: the third argument' 'tp fp none'
	in_fish 'argus rate --reason why last total '; offers 'fish: options do not count as arguments' 'tp fp none'
	in_fish 'argus help aud'; offers 'fish: commands for help' audit
	in_fish 'argus project me'; offers 'fish: verbs' members
	in_fish 'argus audit --set min_sev'; offers 'fish: keys of settings' min_severity=
	in_fish 'argus --ver'; offers 'fish: options before a command' --version
	while read -r c; do
		in_fish "argus $c --"
		sort out >got
		"$ARGUS" help "$c" | sed -n 's/^  \(-[a-z], \)*\(--[a-z-]*\).*/\2/p' | sort >wanted
		holds "fish: the options of argus $c are those of its help" cmp -s got wanted
	done <names
else
	echo 'skip - fish: it is not installed'
fi

# --- zsh

if command -v zsh >/dev/null 2>&1; then
	holds 'zsh: syntax' zsh -n "$made/completions/_argus"
	# A second zsh on a pseudo-terminal, which lists the choices of the line between two marks.
	cat >complete.zsh <<'END'
# usage: complete.zsh FOLDER LINE: what is offered at the end of the line.
zmodload zsh/zpty || exit 1
zpty z zsh -f -i
wait_for() { local text=; while zpty -r z text "*$1*" 2>/dev/null; do answer+=$text; return 0; done; return 1; }
zpty -w z "PS1=; stty -echo columns 1000; fpath=(${(q)1} \$fpath); autoload -U compinit; compinit -u -D; autoload -U _argus"
zpty -w z "zstyle ':completion:*' list-separator '|'; LISTMAX=10000"
zpty -w z 'show() { print -n "BEG"IN; local -a got=(); compadd() {
	if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
	builtin compadd -A got "$@"; (( $#got )) && print -l -- "" "C:"$^got; builtin compadd "$@"; }
	_main_complete; print -l "" "EN""D" }; zle -C show list-choices show; bindkey "^I" show; print REA"DY"'
wait_for READY || exit 1
answer=
zpty -n -w z "$2"$'\t'
wait_for END || exit 1
zpty -d z
print -r -- "$answer" | tr -d '\r' | sed -n 's/^C://p'
END
	in_zsh() { timeout 60 zsh -f complete.zsh "$made/completions" "$1" 2>err | sort -u >out; }
	in_zsh 'argus '; offers 'zsh: commands' "$(tr '\n' ' ' <names | sed 's/ $//')"
	in_zsh 'argus audit --fail-on='; offers 'zsh: words of a setting' 'none low medium high critical'
	in_zsh 'argus audit or'; offers 'zsh: files' orders.ndjson
	in_zsh 'argus rate last total '; offers 'zsh: the third argument' 'tp fp none'
	in_zsh 'argus project me'; offers 'zsh: verbs' members
else
	echo 'skip - zsh: it is not installed'
fi

# --- the manual page

if command -v man >/dev/null 2>&1 && command -v groff >/dev/null 2>&1; then
	MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 "$made/argus.1" >page 2>err
	holds 'man: no warnings' sh -c '[ -s page ] && [ ! -s err ]'
	sed "s/.$(printf '\010')//g; s/$(printf '\033')\\[[0-9]*m//g" page >plain
	groff -ww -b -man -Tutf8 -z "$made/argus.1" 2>err
	holds 'groff: no warnings' [ ! -s err ]
	: >out
	while read -r c; do
		grep -q "^   argus $c" plain || echo "$c" >>out
	done <names
	holds 'man: every command' [ ! -s out ]
	holds 'man: all headings' sh -c 'for h in NAME SYNOPSIS DESCRIPTION COMMANDS "COMMON OPTIONS" "EXIT STATUS" ENVIRONMENT FILES; do
		grep -qx "$h" plain || exit 1
	done'
else
	echo 'skip - the manual page: man or groff is not installed'
fi

# --- the installation

tree=$(dirname -- "$ARGUS")
if [ -f "$tree/build.ninja" ] && meson install --no-rebuild --quiet -C "$tree" --destdir "$dir/dest" >out 2>err; then
	(cd dest/usr/local && find . -type f | sort) >out
	sort >wanted <<-'END'
		./bin/argus
		./share/man/man1/argus.1
		./share/bash-completion/completions/argus
		./share/zsh/site-functions/_argus
		./share/fish/vendor_completions.d/argus.fish
	END
	holds 'meson install: every file in its place' cmp -s out wanted
	while read -r place; do
		grep -qF "${place#./}" "$source_root/run" || echo "$place" >>missing
	done <wanted
	holds './run install has the same places' [ ! -e missing ]
else
	echo 'skip - meson install: the program is in no build tree'
fi

exit $bad
