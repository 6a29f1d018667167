# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_ttsr_global_optspecs
    string join \n color= q/quiet v/verbose fail-on= limit= exit-zero h/help V/version
end

function __fish_ttsr_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_ttsr_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_ttsr_using_subcommand
    set -l cmd (__fish_ttsr_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c ttsr -n "__fish_ttsr_needs_command" -l color -d 'Colours in human output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c ttsr -n "__fish_ttsr_needs_command" -l fail-on -d 'Lowest severity of a finding that makes the exit status 1' -r -f -a "error\t'Errors'
warning\t'Warnings and errors'
note\t'Everything'"
complete -c ttsr -n "__fish_ttsr_needs_command" -l limit -d 'Another value for a limit on hostile input, with K, M or G behind it if need be (`ttsr help limits`); repeatable' -r
complete -c ttsr -n "__fish_ttsr_needs_command" -s q -l quiet -d 'No progress and no notes on standard error'
complete -c ttsr -n "__fish_ttsr_needs_command" -s v -l verbose -d 'Also show notes'
complete -c ttsr -n "__fish_ttsr_needs_command" -l exit-zero -d 'Exit with 0 where the status would be 1'
complete -c ttsr -n "__fish_ttsr_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ttsr -n "__fish_ttsr_needs_command" -s V -l version -d 'Print version'
complete -c ttsr -n "__fish_ttsr_needs_command" -f -a "replay" -d 'Run recorded sessions, event streams or scripts through the rules: what fires, where, and what follows'
complete -c ttsr -n "__fish_ttsr_needs_command" -f -a "check-rules" -d 'Lint rule files, or list what the agent makes of them'
complete -c ttsr -n "__fish_ttsr_needs_command" -f -a "inspect-session" -d 'Audit session files: tree, turns, persisted injections and their evidence'
complete -c ttsr -n "__fish_ttsr_needs_command" -f -a "handoff" -d 'Write the session that continues another from a handoff document'
complete -c ttsr -n "__fish_ttsr_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l files-from -d 'Paths of inputs, one a line, or separated by NUL as `find -print0` writes them; - for standard input' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l include -d 'Of the files below a directory only those whose path in it matches: `2026/**`, `*-nightly.jsonl`' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l exclude -d 'Of the files below a directory none whose path in it matches; it wins over --include' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l since -d 'Only inputs that began then or later, by the time in their header: 2026-01-31 or 2026-01-31T12:00:00.000Z' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l until -d 'Only inputs that began before then; a date is its first moment, in UTC' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l shard -d 'Of all inputs in their order every N-th, from the K-th on: 1/4, 2/4, 3/4 and 4/4 make the whole' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l count -d 'What the report over several inputs counts; without it: every, or agent where --on-trigger abort is given' -r -f -a "every\t'What matches in every message, however often the repeat policy lets it trigger'
agent\t'What the agent would have done'"
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l table -d 'Which table of the report --format csv writes; without it the one of rules' -r -f -a "rules\t'The counts of each rule'
samples\t'Places at which each rule matches'
refused\t'Inputs that could not be read'"
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l max-rate -d 'Status 1 when a rule triggers more than N times in 1,000 assistant messages of all inputs' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l require-coverage -d 'Status 1 when less than this percentage of the registered rules triggers in any input' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l max-premature -d 'Status 1 when more than this percentage of the triggers is premature: the rule does not match the whole block' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l rules -d 'A rule file or a directory of rule files; of equal names the first counts. Without it the rules are discovered as the agent does' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l project -d 'Where discovery starts' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l only-rule -d 'Only the rule of this name' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l settings -d 'A YAML or JSON file that holds a `ttsr:` group' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l set -d 'One setting, such as ttsr.repeatMode=after-gap; wins over the file' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l agent -d 'Agent name for rules with `agents:`' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l bundled -d 'Rule files that count as bundled with the agent: they come last, and `ttsr.builtinRules: false` drops them' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l lifecycle -d 'Which generation of the runtime to reproduce' -r -f -a "auto\t'By the marks in the input, else the newest'
v1\t'The early documents'
v2\t'The later document'
v3\t'Release 18.2'
v4\t'Release 18.3'"
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l as-write -d 'Every file below this path as a finished write call to it' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l expect -d 'Compare the trace with the one in this file, in place of a report: a diff, and status 1, where they differ' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l baseline -d 'Other rules, as --rules names them: run both over the same inputs and tell only what --rules decides otherwise' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l baseline-set -d 'A setting of the run that is compared with, as --set takes it; without --baseline its rules are the same' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l script -d 'Scripted replies, a JSON array or JSON Lines: with --prompt a run of their own, beside an input its retries' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l prompt -d 'A user prompt of a scripted run' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l text -d 'One message, or one finished tool call, made of this text' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l text-file -d 'As --text, from a file or - for standard input' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l source -d 'What the text is' -r -f -a "text\t'Prose'
thinking\t'Thinking'
tool\t'A finished tool call'"
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l tool -d 'The tool whose call the text is' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l path -d 'The file the call writes' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l resume -d 'Continue this session: its injected rules count, and what --write-session writes begins with its lines' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l leaf -d 'Which branch of a session: the id of its last entry' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l chunk -d 'How whole messages become deltas: chars:N, words, lines, block or all; without it chars:4 for recorded ones, and one delta for --text' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l on-trigger -d 'What a match does; without it abort, and observe in a report over several inputs' -r -f -a "abort\t'Abort, inject, retry, as the agent does'
observe\t'Note the decision and let the recorded stream go on'"
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l arguments -d 'How streamed tool arguments are re-read' -r -f -a "throttled\t'As lazily as providers do'
eager\t'At each delta'"
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l verdicts -d 'Answers about judged rules: rows such as {"rule": "no-blame", "answer": "yes"}, as a JSON array or one a line' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l cwd -d 'Working directory of the run, where the input names none' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l home -d 'Home directory of the run' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l interrupt-template -d 'Text of interrupt reminders, with {{name}}, {{path}} and {{content}}' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l reminder-template -d 'Text of tool reminders, with {{name}}, {{path}} and {{content}}' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l seed -d 'Seed of the ids that are written' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l now -d 'Time at which the run begins' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l jobs -d 'Inputs done at a time; the output order stays' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l trace -d 'What a trace tells: the decisions, or also what receivers get, what the model is given, gates and reservations' -r -f -a "decisions\t'Decisions, injections, persisted entries'
full\t'Also what receivers get, what the model is given, gates and reservations'"
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l explain -d 'Say at each message why a rule did not fire' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l write-session -d 'Write the session that results' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l emit-events -d 'Write the run as an event stream' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l format -d 'Form of the report' -r -f -a "human\t'Tables'
json\t'One document'
jsonl\t'One trace line per event'
csv\t'The totals'"
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l schema -d 'Print the JSON Schema of a JSON form; without a name that of a replay of single inputs' -r -f -a "replay\t'Single inputs: their traces'
trace\t'One line of a trace'
report\t'The report over several inputs'
change\t'What changes, with --baseline'
files\t'What rules say of files, with --as-write'"
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l color -d 'Colours in human output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l fail-on -d 'Lowest severity of a finding that makes the exit status 1' -r -f -a "error\t'Errors'
warning\t'Warnings and errors'
note\t'Everything'"
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l limit -d 'Another value for a limit on hostile input, with K, M or G behind it if need be (`ttsr help limits`); repeatable' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l allow-unreadable -d 'Count inputs that cannot be read as warnings: they are in the report, and the gates decide about the status'
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l each -d 'Tell of each of several inputs by itself, as of a single one, in place of a report over all'
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l merge -d 'The inputs are traces that `--format jsonl` wrote, of several processes: make one report of them'
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l fail-on-undecided -d 'Status 1 when a decision could not be reached'
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l all-branches -d 'Every branch of each session, each in a run of its own that names its last entry'
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l update -d 'Write the trace to the file of --expect, the one file that a replay ever replaces'
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l subagents -d 'In transcripts of other agents, play the messages of sub-agents too'
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l verify -d 'Compare with what the input itself records'
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l print-asks -d 'Print what a judge would be asked, one JSON line an output, in place of the report'
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -s q -l quiet -d 'No progress and no notes on standard error'
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -s v -l verbose -d 'Also show notes'
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -l exit-zero -d 'Exit with 0 where the status would be 1'
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ttsr -n "__fish_ttsr_using_subcommand replay" -s V -l version -d 'Print version'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l stdin-filename -d 'Name of the rule file that standard input holds, with - as PATH' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l rules -d 'A rule file or a directory of rule files; of equal names the first counts. Without it the rules are discovered as the agent does' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l project -d 'Where discovery starts' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l only-rule -d 'Only the rule of this name' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l settings -d 'A YAML or JSON file that holds a `ttsr:` group' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l set -d 'One setting, such as ttsr.repeatMode=after-gap; wins over the file' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l agent -d 'Agent name for rules with `agents:`' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l bundled -d 'Rule files that count as bundled with the agent: they come last, and `ttsr.builtinRules: false` drops them' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l lifecycle -d 'Which generation of the runtime to reproduce' -r -f -a "auto\t'By the marks in the input, else the newest'
v1\t'The early documents'
v2\t'The later document'
v3\t'Release 18.2'
v4\t'Release 18.3'"
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l home -d 'Home directory for discovery' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l explain -d 'Say what a code means, with a rule that gives it and one that does not; `all` lists the codes' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l deny -d 'Treat a code (TTSR033 or comma-in-glob), or all, as an error' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l warn -d 'Treat a code, or all, as a warning' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l allow -d 'Leave a code, or all, out; a code that is named wins over all' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l findings-baseline -d 'Only what this file does not list counts: the findings that are known' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l write-baseline -d 'Write what is found to a new file for --findings-baseline' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l config -d 'Read this configuration in place of the `ttsr.toml` (or `.ttsr.toml`) that is found upward to the root of the repository' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l help-uri -d 'Address that explains a code, with {code} or {name} in its place; for forms that hold one' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l format -d 'Form of the report' -r -f -a "human\t'Text'
json\t'One document'
sarif\t'SARIF 2.1.0'
github\t'Workflow annotations'
gitlab\t'Code quality report'
junit\t'JUnit XML'"
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l color -d 'Colours in human output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l fail-on -d 'Lowest severity of a finding that makes the exit status 1' -r -f -a "error\t'Errors'
warning\t'Warnings and errors'
note\t'Everything'"
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l limit -d 'Another value for a limit on hostile input, with K, M or G behind it if need be (`ttsr help limits`); repeatable' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l list -d 'List what became of each rule'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l fix -d 'Apply the repairs that cannot change what a valid rule matches, and report what is left'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l diff -d 'Show what --fix would do and write nothing; the exit status is 1 where it would'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l unsafe-fixes -d 'Let --fix and --diff also take repairs that change what a rule matches'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l write -d '--fix writes by itself'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l no-ignore -d 'Show the findings that rule files accept with `ttsr-ignore` like all others'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l add-ignores -d 'Have the rule files accept what is found and makes the run fail: a line `# ttsr-ignore CODE` above each key'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l update-baseline -d 'Take out of the file of --findings-baseline what is not found any more; nothing is added'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l examples -d 'Run the samples that rule files hold under `examples:`: texts that must fire, and texts that must not'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l examples-required -d 'As --examples, and every registered rule must have a sample that it fires on'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l no-config -d 'Read no configuration'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l show-config -d 'Print what holds after the configuration and the options, as a configuration, and stop'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l schema -d 'Print the JSON Schema of the JSON form and stop'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l frontmatter-schema -d 'Print the JSON Schema of the frontmatter of rule files, for editors, and stop'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -s q -l quiet -d 'No progress and no notes on standard error'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -s v -l verbose -d 'Also show notes'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -l exit-zero -d 'Exit with 0 where the status would be 1'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ttsr -n "__fish_ttsr_using_subcommand check-rules" -s V -l version -d 'Print version'
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l rules -d 'A rule file or a directory of rule files; of equal names the first counts. Without it the rules are discovered as the agent does' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l project -d 'Where discovery starts' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l only-rule -d 'Only the rule of this name' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l settings -d 'A YAML or JSON file that holds a `ttsr:` group' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l set -d 'One setting, such as ttsr.repeatMode=after-gap; wins over the file' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l agent -d 'Agent name for rules with `agents:`' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l bundled -d 'Rule files that count as bundled with the agent: they come last, and `ttsr.builtinRules: false` drops them' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l lifecycle -d 'Which generation of the runtime to reproduce' -r -f -a "auto\t'By the marks in the input, else the newest'
v1\t'The early documents'
v2\t'The later document'
v3\t'Release 18.2'
v4\t'Release 18.3'"
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l leaf -d 'Which branch: the id of its last entry' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l state-at -d 'Which rules were in force, pending and forgotten at that entry, and which entry decided it' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l follow -d 'One injection from its match to its reminder, the answer behind it, and what came later; with rules given also their text then and now' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l format -d 'Form of the report' -r -f -a "human\t'Text'
json\t'One document'
jsonl\t'One document a file, one a line'
csv\t'One table'
sarif\t'SARIF 2.1.0'"
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l table -d 'Which table --format csv prints' -r -f -a "injections\t'A row per rule of each persisted injection'
rules\t'A row per rule, over all files'
sessions\t'A row per file'
findings\t'A row per finding'
disabled\t'A row per rule that a switch turns off, and who did it'"
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l color -d 'Colours in human output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l fail-on -d 'Lowest severity of a finding that makes the exit status 1' -r -f -a "error\t'Errors'
warning\t'Warnings and errors'
note\t'Everything'"
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l limit -d 'Another value for a limit on hostile input, with K, M or G behind it if need be (`ttsr help limits`); repeatable' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l all-branches -d 'Every branch'
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l tree -d 'Draw the tree'
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l injections -d 'Only the persisted injections'
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l context -d 'The rebuilt context of the leaf'
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l faithful -d 'What the agent itself would see'
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l replay -d 'Replay the branch and compare'
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l timeline -d 'What happened, in order: turns, prompts, triggers, injections, ends of processes, compactions, changed settings'
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l compare -d 'What the agent reads of the file beside what is there'
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l each -d 'Of several files each one, behind the report of all'
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l by-project -d 'The sessions of one project together, in the order in which they came about'
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l schema -d 'Print the JSON Schema of the JSON forms, of one file and of several, and stop'
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -s q -l quiet -d 'No progress and no notes on standard error'
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -s v -l verbose -d 'Also show notes'
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -l exit-zero -d 'Exit with 0 where the status would be 1'
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ttsr -n "__fish_ttsr_using_subcommand inspect-session" -s V -l version -d 'Print version'
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l rules -d 'A rule file or a directory of rule files; of equal names the first counts. Without it the rules are discovered as the agent does' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l project -d 'Where discovery starts' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l only-rule -d 'Only the rule of this name' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l settings -d 'A YAML or JSON file that holds a `ttsr:` group' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l set -d 'One setting, such as ttsr.repeatMode=after-gap; wins over the file' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l agent -d 'Agent name for rules with `agents:`' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l bundled -d 'Rule files that count as bundled with the agent: they come last, and `ttsr.builtinRules: false` drops them' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l lifecycle -d 'Which generation of the runtime to reproduce' -r -f -a "auto\t'By the marks in the input, else the newest'
v1\t'The early documents'
v2\t'The later document'
v3\t'Release 18.2'
v4\t'Release 18.3'"
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l script -d 'Scripted replies that answer the handoff prompt' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l document -d 'The document as given, or - for standard input' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l focus -d 'What the document should focus on' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l output -d 'The new session file' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l output-dir -d 'Folder of the new session file' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l pipeline -d 'Generation of the handoff pipeline' -r -f -a "g1\t'The user\'s document'
g2\t'13.19'
g3\t'14.9'
g4\t'17.2'
g5\t'18.2'"
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l write-source -d 'A copy of the old session with what the pipeline adds to it' -r -F
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l seed -d 'Seed of the ids that are written' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l now -d 'The time that is written' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l trace -d 'What the trace of --format jsonl tells: the decisions, or also the states of the handoff, what receivers get, what the model is given, gates and reservations' -r -f -a "decisions\t'Decisions, injections, persisted entries'
full\t'Also what receivers get, what the model is given, gates and reservations'"
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l format -d 'Form of the report' -r -f -a "human\t'Text'
json\t'One document'
jsonl\t'The trace of the run instead of a report, one line per event'"
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l color -d 'Colours in human output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l fail-on -d 'Lowest severity of a finding that makes the exit status 1' -r -f -a "error\t'Errors'
warning\t'Warnings and errors'
note\t'Everything'"
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l limit -d 'Another value for a limit on hostile input, with K, M or G behind it if need be (`ttsr help limits`); repeatable' -r
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l lineage -d 'Write parentSession'
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l no-lineage -d 'Do not write parentSession'
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l faithful -d 'Write what the generation would, even from a failed or empty reply'
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l print-prompt -d 'Print the request and stop'
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l print-transcript -d 'Print the session\'s transcript with the request behind it, to be pasted into a model, and stop'
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l schema -d 'Print the JSON Schema of the JSON form and stop'
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -s q -l quiet -d 'No progress and no notes on standard error'
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -s v -l verbose -d 'Also show notes'
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -l exit-zero -d 'Exit with 0 where the status would be 1'
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ttsr -n "__fish_ttsr_using_subcommand handoff" -s V -l version -d 'Print version'
complete -c ttsr -n "__fish_ttsr_using_subcommand help; and not __fish_seen_subcommand_from replay check-rules inspect-session handoff help" -f -a "replay" -d 'Run recorded sessions, event streams or scripts through the rules: what fires, where, and what follows'
complete -c ttsr -n "__fish_ttsr_using_subcommand help; and not __fish_seen_subcommand_from replay check-rules inspect-session handoff help" -f -a "check-rules" -d 'Lint rule files, or list what the agent makes of them'
complete -c ttsr -n "__fish_ttsr_using_subcommand help; and not __fish_seen_subcommand_from replay check-rules inspect-session handoff help" -f -a "inspect-session" -d 'Audit session files: tree, turns, persisted injections and their evidence'
complete -c ttsr -n "__fish_ttsr_using_subcommand help; and not __fish_seen_subcommand_from replay check-rules inspect-session handoff help" -f -a "handoff" -d 'Write the session that continues another from a handoff document'
complete -c ttsr -n "__fish_ttsr_using_subcommand help; and not __fish_seen_subcommand_from replay check-rules inspect-session handoff help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
