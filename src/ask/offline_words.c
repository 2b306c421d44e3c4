/* offline_words -- general English that the judge of offline answers needs; nothing here is about a project. lint: table */
#include "ask/offline_judge.h"

#include "ask/search_parts.h"

/* A phrase, and the one word that it is compared as: a particle changes the meaning of a verb. */
static const char *const units[] = {
	"turn on=enable",       "turned on=enable",
	"switch on=enable",     "turn off=disable",
	"turned off=disable",   "switch off=disable",
	"switched on=enable",   "switched off=disable",
	"log in=login",         "logged in=login",
	"logging in=login",     "sign in=login",
	"signed in=login",      "log out=logout",
	"logged out=logout",    "log off=logout",
	"sign out=logout",      "signed out=logout",
	"sign off=logout",      "sign up=signup",
	"signing up=signup",    "opt out=optout",
	"opt in=optin",         "set up=setup",
	"back up=backup",       "roll back=rollback",
	"rolled back=rollback", "roll out=rollout",
	"shut down=shutdown",   "start up=startup",
	"clean up=cleanup",     "time out=timeout",
	"times out=timeout",    "timed out=timeout",
	"check out=checkout",   "lock out=lockout",
	"locked out=lockout",   "plug in=plugin",
	"opted out=optout",     "check in=checkin",
	"get rid of=remove",    "take back=undo",
	"take it back=undo",    "took back=undo",
	"start over=reset",     "by hand=manually",
	"virtual machine=vm",   "out of space=disk",
	"two times=twice",      "as a service=saas",
	"single sign-on=sso",   "single sign on=sso",
	"bring back=restore",   "get back=restore",
	"at most=maximum",      "up to=maximum",
	"at least=minimum",     "tries again=retry",
	"try again=retry",      "tried again=retry",
	"trying again=retry",   "read again=reload",
	"reads again=reload",   "at the same time=parallel",
	"brings back=restore",  "kept out=exclude",
	"keeps out=exclude",    "keep out=exclude",
	"left out=exclude",     "leaves out=exclude",
	"leave out=exclude",    "brought back=restore",
	"by default=default",
};

/* Words that mean the same wherever they are. */
static const char *const twins[] = {
	"repository repo",
	"configuration config",
	"picture photo photograph",
	"directory folder dir",
	"delete erase",
	"maximum max limit largest biggest longest highest",
	"minimum min smallest shortest lowest",
	"temperature temp",
	"retry reattempt",
	"require need necessary",
	"parallel simultaneous simultaneously concurrent concurrently",
	"restore recover",
	"forgot forgotten forget",
	"database db",
	"administrator admin",
	"documentation docs",
	"application app",
	"environment env",
	"parameter param",
	"argument arg",
	"percent percentage",
	"licence license",
	"colour color",
	"permit allow",
	"keep retain",
	"modify change alter edit",
	"down unavailable unreachable offline",
	"wrong incorrect invalid",
	"show display",
	"email mail",
	"replace supersede",
	"begin start",
	"reload reread",
	"computer machine pc",
	"per each every",
	"sync synchronise synchronize synchronisation synchronization",
	"deliver delivery",
	"correct fix",
	"place put mount",
	"attach connect",
};

/* Words that replace a unit where it is one word. */
static const char *const unit_words[] = {
	"logout signout logoff",
	"login signin",
	"signup register registration enroll enrol",
	"rollback revert back undo previous",
	"enable activate",
	"disable deactivate",
	"remove delete erase drop",
	"undo revert",
	"cleanup clean",
	"timeout deadline",
	"setup install configure",
	"backup copy dump",
	"lockout ban locked",
	"down fail failure unavailable unreachable offline outage away",
};

/* Words of which many questions are made and that no answer needs to have. */
static const char *const spare[] = {
	"able",       "accord",        "actual",     "afterwards", "ago",        "already",
	"always",     "another",       "answer",     "anybody",    "anyone",     "anything",
	"anywhere",   "apply",         "available",  "bad",        "become",     "beforehand",
	"begin",      "behind",        "belong",     "best",       "between",    "big",
	"bring",      "carry",         "cause",      "certain",    "certainly",  "chosen",
	"come",       "compare",       "concern",    "contain",    "current",    "currently",
	"describe",   "differ",        "difference", "different",  "directly",   "do",
	"docs",       "documentation", "does",       "doing",      "done",       "early",
	"easily",     "easy",          "else",       "end",        "entire",     "entirely",
	"ever",       "everybody",     "everyone",   "everything", "exact",      "exactly",
	"example",    "exist",         "explain",    "final",      "finally",    "find",
	"first",      "fully",         "get",        "give",       "go",         "good",
	"halfway",    "happen",        "happens",    "help",       "important",  "inside",
	"instead",    "keep",          "kind",       "know",       "large",      "late",
	"later",      "let",           "like",       "long",       "look",       "lot",
	"main",       "make",          "many",       "maybe",      "mean",       "meaning",
	"mention",    "mine",          "much",       "must",       "need",       "new",
	"nobody",     "normal",        "normally",   "nothing",    "now",        "often",
	"old",        "one",           "own",        "part",       "particular", "particularly",
	"people",     "perhaps",       "possible",   "proceed",    "project",    "proper",
	"properly",   "purpose",       "put",        "question",   "quick",      "quickly",
	"really",     "reason",        "regard",     "relate",     "repository", "right",
	"row",        "say",           "see",        "seem",       "several",    "show",
	"simple",     "simply",        "somebody",   "someone",    "something",  "sometime",
	"somewhere",  "soon",          "sort",       "special",    "specific",   "stand",
	"stands",     "step",          "steps",      "still",      "straight",   "support",
	"suppose",    "supposed",      "take",       "tell",       "there",      "thing",
	"think",      "time",          "times",      "today",      "together",   "true",
	"two",        "try",           "use",        "usual",      "usually",    "various",
	"additional", "extra",         "enough",     "re",         "versus",     "want",
	"way",        "well",          "whole",      "wiki",       "per",        "without",
	"word",       "work",          "yes",        "yet",
};

/* Forms that no rule makes, and the word that each is of. */
static const char *const irregular[] = {
	"made=make",
	"found=find",
	"written=write",
	"wrote=write",
	"kept=keep",
	"sent=send",
	"stolen=steal",
	"stole=steal",
	"built=build",
	"broke=break",
	"broken=break",
	"lost=lose",
	"ran=run",
	"chosen=choose",
	"chose=choose",
	"shown=show",
	"given=give",
	"gave=give",
	"taken=take",
	"took=take",
	"known=know",
	"told=tell",
	"came=come",
	"went=go",
	"gone=go",
	"left=leave",
	"held=hold",
	"meant=mean",
	"paid=pay",
	"hidden=hide",
	"forgot=forget",
	"forgotten=forget",
	"began=begin",
	"begun=begin",
	"got=get",
	"thrown=throw",
	"threw=throw",
	"said=say",
	"bought=buy",
	"brought=bring",
	"understood=understand",
	"bound=bind",
	"grown=grow",
	"drawn=draw",
	"children=child",
	"people=person",
	"indices=index",
	"spent=spend",
	"cancelled=cancel",
	"cancelling=cancel",
	"labelled=label",
	"labelling=label",
	"controlled=control",
	"controlling=control",
};

/* Verbs that are done to anything. */
static const char *const actions[] = {
	"change",    "clean",   "delete",  "disable", "download", "export",    "fix",
	"import",    "improve", "install", "move",    "pay",      "prevent",   "print",
	"remove",    "rename",  "replace", "reset",   "restart",  "schedule",  "stop",
	"subscribe", "switch",  "test",    "train",   "turn",     "uninstall", "unsubscribe",
	"update",    "upgrade", "upload",  "undo",    "restore",  "cancel",    "save",
};

/* Of those the ones that leave a thing what it is: a section about a thing mostly says how to use it. */
static const char *const neutral[] = {
	"add",    "apply", "check",   "configure", "create", "enable", "get",    "have", "make",
	"manage", "open",  "perform", "put",       "read",   "run",    "select", "send", "set",
	"setup",  "start", "support", "try",       "use",    "view",   "write",
};

/* Of those the ones after which there is more than before: that a thing exists does not say how to make one. */
static const char *const makers[] = { "create", "write", "send", "start", "open" };

/* Verbs of what a thing does by itself; an answer seldom repeats them. */
static const char *const states[] = {
	"accept",  "allow",   "appear",  "behave",    "belong",  "carry",     "complain", "consist",
	"contain", "define",  "expose",  "guarantee", "handle",  "hang",      "happen",   "hold",
	"include", "involve", "listen",  "live",      "mention", "offer",     "permit",   "promise",
	"prove",   "provide", "publish", "refer",     "refuse",  "represent", "require",  "return",
	"ring",    "say",     "serve",   "sit",       "walk",    "warn",
};

/* Words that ranking takes for the first of the line, and an answer may not. */
static const char *const apart[] = {
	"rename name call naming",
	"clean delete remove drop erase wipe purge uninstall",
	"print show view display list see",
	"uninstall remove delete drop erase wipe clear clean purge",
};

/* Names of one thing. */
static const char *const aliases[] = {
	"postgres postgresql",
	"js javascript",
	"ts typescript",
	"k8s kubernetes",
	"node node.js nodejs",
	"go golang",
	"mac macos osx",
	"windows win32",
	"db database",
	"tls ssl https",
	"i18n internationalization",
	"gui ui",
	"c++ cpp",
	"2fa two-factor",
	"sso single-sign-on",
	"mongo mongodb",
	"md markdown",
	"sqlite sqlite3",
};

ag_word_table ag_judge_words(ag_judge_table which)
{
	switch (which) {
	case AG_JUDGE_UNITS: return (ag_word_table){ units, AG_NELEM(units) };
	case AG_JUDGE_TWINS: return (ag_word_table){ twins, AG_NELEM(twins) };
	case AG_JUDGE_UNIT_WORDS: return (ag_word_table){ unit_words, AG_NELEM(unit_words) };
	case AG_JUDGE_SPARE: return (ag_word_table){ spare, AG_NELEM(spare) };
	case AG_JUDGE_IRREGULAR: return (ag_word_table){ irregular, AG_NELEM(irregular) };
	case AG_JUDGE_ACTIONS: return (ag_word_table){ actions, AG_NELEM(actions) };
	case AG_JUDGE_NEUTRAL: return (ag_word_table){ neutral, AG_NELEM(neutral) };
	case AG_JUDGE_MAKERS: return (ag_word_table){ makers, AG_NELEM(makers) };
	case AG_JUDGE_STATES: return (ag_word_table){ states, AG_NELEM(states) };
	case AG_JUDGE_APART: return (ag_word_table){ apart, AG_NELEM(apart) };
	case AG_JUDGE_ALIASES: return (ag_word_table){ aliases, AG_NELEM(aliases) };
	}
	return (ag_word_table){ 0 };
}

ag_stem ag_judge_stem(ag_str word)
{
	const ag_word_table table = ag_judge_words(AG_JUDGE_IRREGULAR);

	for (size_t i = 0; i < table.n; i++) {
		ag_str of = ag_str_c(table.at[i]);

		if (ag_str_ieq(word, ag_str_split(&of, '=')))
			return ag_stem_of(of);
	}
	return ag_stem_of(word);
}

bool ag_judge_is_in(ag_judge_table which, ag_str word)
{
	const ag_word_table table = ag_judge_words(which);
	const ag_stem stem = ag_judge_stem(word);

	for (size_t i = 0; stem.len && i < table.n; i++) {
		ag_stem other;

		if (table.at[i][0] != stem.text[0])
			continue;
		other = ag_judge_stem(ag_str_c(table.at[i]));
		if (ag_stem_eq(&other, &stem))
			return true;
	}
	return false;
}

bool ag_judge_is_spare(ag_str low)
{
	return ag_judge_is_in(AG_JUDGE_SPARE, low);
}

bool ag_judge_is_common(ag_str low)
{
	return ag_search_is_stop(low) || ag_judge_is_spare(low);
}

bool ag_judge_is_action(ag_str word)
{
	return ag_judge_is_in(AG_JUDGE_ACTIONS, word) || ag_judge_is_in(AG_JUDGE_NEUTRAL, word);
}

bool ag_judge_is_past(ag_str word)
{
	const ag_word_table table = ag_judge_words(AG_JUDGE_IRREGULAR);

	for (size_t i = 0; i < table.n; i++) {
		ag_str of = ag_str_c(table.at[i]);

		if (ag_str_ieq(word, ag_str_split(&of, '=')))
			return true;
	}
	return word.len > 4 && ag_str_ends(word, AG_S("ed"));
}
