
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'ttsr' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'ttsr'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'ttsr' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours in human output')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Lowest severity of a finding that makes the exit status 1')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Another value for a limit on hostile input, with K, M or G behind it if need be (`ttsr help limits`); repeatable')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Also show notes')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Also show notes')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'Exit with 0 where the status would be 1')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('replay', 'replay', [CompletionResultType]::ParameterValue, 'Run recorded sessions, event streams or scripts through the rules: what fires, where, and what follows')
            [CompletionResult]::new('check-rules', 'check-rules', [CompletionResultType]::ParameterValue, 'Lint rule files, or list what the agent makes of them')
            [CompletionResult]::new('inspect-session', 'inspect-session', [CompletionResultType]::ParameterValue, 'Audit session files: tree, turns, persisted injections and their evidence')
            [CompletionResult]::new('handoff', 'handoff', [CompletionResultType]::ParameterValue, 'Write the session that continues another from a handoff document')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'ttsr;replay' {
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Paths of inputs, one a line, or separated by NUL as `find -print0` writes them; - for standard input')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Of the files below a directory only those whose path in it matches: `2026/**`, `*-nightly.jsonl`')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Of the files below a directory none whose path in it matches; it wins over --include')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Only inputs that began then or later, by the time in their header: 2026-01-31 or 2026-01-31T12:00:00.000Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Only inputs that began before then; a date is its first moment, in UTC')
            [CompletionResult]::new('--shard', '--shard', [CompletionResultType]::ParameterName, 'Of all inputs in their order every N-th, from the K-th on: 1/4, 2/4, 3/4 and 4/4 make the whole')
            [CompletionResult]::new('--count', '--count', [CompletionResultType]::ParameterName, 'What the report over several inputs counts; without it: every, or agent where --on-trigger abort is given')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'Which table of the report --format csv writes; without it the one of rules')
            [CompletionResult]::new('--max-rate', '--max-rate', [CompletionResultType]::ParameterName, 'Status 1 when a rule triggers more than N times in 1,000 assistant messages of all inputs')
            [CompletionResult]::new('--require-coverage', '--require-coverage', [CompletionResultType]::ParameterName, 'Status 1 when less than this percentage of the registered rules triggers in any input')
            [CompletionResult]::new('--max-premature', '--max-premature', [CompletionResultType]::ParameterName, 'Status 1 when more than this percentage of the triggers is premature: the rule does not match the whole block')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'A rule file or a directory of rule files; of equal names the first counts. Without it the rules are discovered as the agent does')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Where discovery starts')
            [CompletionResult]::new('--only-rule', '--only-rule', [CompletionResultType]::ParameterName, 'Only the rule of this name')
            [CompletionResult]::new('--settings', '--settings', [CompletionResultType]::ParameterName, 'A YAML or JSON file that holds a `ttsr:` group')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'One setting, such as ttsr.repeatMode=after-gap; wins over the file')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Agent name for rules with `agents:`')
            [CompletionResult]::new('--bundled', '--bundled', [CompletionResultType]::ParameterName, 'Rule files that count as bundled with the agent: they come last, and `ttsr.builtinRules: false` drops them')
            [CompletionResult]::new('--lifecycle', '--lifecycle', [CompletionResultType]::ParameterName, 'Which generation of the runtime to reproduce')
            [CompletionResult]::new('--as-write', '--as-write', [CompletionResultType]::ParameterName, 'Every file below this path as a finished write call to it')
            [CompletionResult]::new('--expect', '--expect', [CompletionResultType]::ParameterName, 'Compare the trace with the one in this file, in place of a report: a diff, and status 1, where they differ')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Other rules, as --rules names them: run both over the same inputs and tell only what --rules decides otherwise')
            [CompletionResult]::new('--baseline-set', '--baseline-set', [CompletionResultType]::ParameterName, 'A setting of the run that is compared with, as --set takes it; without --baseline its rules are the same')
            [CompletionResult]::new('--script', '--script', [CompletionResultType]::ParameterName, 'Scripted replies, a JSON array or JSON Lines: with --prompt a run of their own, beside an input its retries')
            [CompletionResult]::new('--prompt', '--prompt', [CompletionResultType]::ParameterName, 'A user prompt of a scripted run')
            [CompletionResult]::new('--text', '--text', [CompletionResultType]::ParameterName, 'One message, or one finished tool call, made of this text')
            [CompletionResult]::new('--text-file', '--text-file', [CompletionResultType]::ParameterName, 'As --text, from a file or - for standard input')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'What the text is')
            [CompletionResult]::new('--tool', '--tool', [CompletionResultType]::ParameterName, 'The tool whose call the text is')
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'The file the call writes')
            [CompletionResult]::new('--resume', '--resume', [CompletionResultType]::ParameterName, 'Continue this session: its injected rules count, and what --write-session writes begins with its lines')
            [CompletionResult]::new('--leaf', '--leaf', [CompletionResultType]::ParameterName, 'Which branch of a session: the id of its last entry')
            [CompletionResult]::new('--chunk', '--chunk', [CompletionResultType]::ParameterName, 'How whole messages become deltas: chars:N, words, lines, block or all; without it chars:4 for recorded ones, and one delta for --text')
            [CompletionResult]::new('--on-trigger', '--on-trigger', [CompletionResultType]::ParameterName, 'What a match does; without it abort, and observe in a report over several inputs')
            [CompletionResult]::new('--arguments', '--arguments', [CompletionResultType]::ParameterName, 'How streamed tool arguments are re-read')
            [CompletionResult]::new('--verdicts', '--verdicts', [CompletionResultType]::ParameterName, 'Answers about judged rules: rows such as {"rule": "no-blame", "answer": "yes"}, as a JSON array or one a line')
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Working directory of the run, where the input names none')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Home directory of the run')
            [CompletionResult]::new('--interrupt-template', '--interrupt-template', [CompletionResultType]::ParameterName, 'Text of interrupt reminders, with {{name}}, {{path}} and {{content}}')
            [CompletionResult]::new('--reminder-template', '--reminder-template', [CompletionResultType]::ParameterName, 'Text of tool reminders, with {{name}}, {{path}} and {{content}}')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the ids that are written')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'Time at which the run begins')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Inputs done at a time; the output order stays')
            [CompletionResult]::new('--trace', '--trace', [CompletionResultType]::ParameterName, 'What a trace tells: the decisions, or also what receivers get, what the model is given, gates and reservations')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say at each message why a rule did not fire')
            [CompletionResult]::new('--write-session', '--write-session', [CompletionResultType]::ParameterName, 'Write the session that results')
            [CompletionResult]::new('--emit-events', '--emit-events', [CompletionResultType]::ParameterName, 'Write the run as an event stream')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the report')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Print the JSON Schema of a JSON form; without a name that of a replay of single inputs')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours in human output')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Lowest severity of a finding that makes the exit status 1')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Another value for a limit on hostile input, with K, M or G behind it if need be (`ttsr help limits`); repeatable')
            [CompletionResult]::new('--allow-unreadable', '--allow-unreadable', [CompletionResultType]::ParameterName, 'Count inputs that cannot be read as warnings: they are in the report, and the gates decide about the status')
            [CompletionResult]::new('--each', '--each', [CompletionResultType]::ParameterName, 'Tell of each of several inputs by itself, as of a single one, in place of a report over all')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'The inputs are traces that `--format jsonl` wrote, of several processes: make one report of them')
            [CompletionResult]::new('--fail-on-undecided', '--fail-on-undecided', [CompletionResultType]::ParameterName, 'Status 1 when a decision could not be reached')
            [CompletionResult]::new('--all-branches', '--all-branches', [CompletionResultType]::ParameterName, 'Every branch of each session, each in a run of its own that names its last entry')
            [CompletionResult]::new('--update', '--update', [CompletionResultType]::ParameterName, 'Write the trace to the file of --expect, the one file that a replay ever replaces')
            [CompletionResult]::new('--subagents', '--subagents', [CompletionResultType]::ParameterName, 'In transcripts of other agents, play the messages of sub-agents too')
            [CompletionResult]::new('--verify', '--verify', [CompletionResultType]::ParameterName, 'Compare with what the input itself records')
            [CompletionResult]::new('--print-asks', '--print-asks', [CompletionResultType]::ParameterName, 'Print what a judge would be asked, one JSON line an output, in place of the report')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Also show notes')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Also show notes')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'Exit with 0 where the status would be 1')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'ttsr;check-rules' {
            [CompletionResult]::new('--stdin-filename', '--stdin-filename', [CompletionResultType]::ParameterName, 'Name of the rule file that standard input holds, with - as PATH')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'A rule file or a directory of rule files; of equal names the first counts. Without it the rules are discovered as the agent does')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Where discovery starts')
            [CompletionResult]::new('--only-rule', '--only-rule', [CompletionResultType]::ParameterName, 'Only the rule of this name')
            [CompletionResult]::new('--settings', '--settings', [CompletionResultType]::ParameterName, 'A YAML or JSON file that holds a `ttsr:` group')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'One setting, such as ttsr.repeatMode=after-gap; wins over the file')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Agent name for rules with `agents:`')
            [CompletionResult]::new('--bundled', '--bundled', [CompletionResultType]::ParameterName, 'Rule files that count as bundled with the agent: they come last, and `ttsr.builtinRules: false` drops them')
            [CompletionResult]::new('--lifecycle', '--lifecycle', [CompletionResultType]::ParameterName, 'Which generation of the runtime to reproduce')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Home directory for discovery')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say what a code means, with a rule that gives it and one that does not; `all` lists the codes')
            [CompletionResult]::new('--deny', '--deny', [CompletionResultType]::ParameterName, 'Treat a code (TTSR033 or comma-in-glob), or all, as an error')
            [CompletionResult]::new('--warn', '--warn', [CompletionResultType]::ParameterName, 'Treat a code, or all, as a warning')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Leave a code, or all, out; a code that is named wins over all')
            [CompletionResult]::new('--findings-baseline', '--findings-baseline', [CompletionResultType]::ParameterName, 'Only what this file does not list counts: the findings that are known')
            [CompletionResult]::new('--write-baseline', '--write-baseline', [CompletionResultType]::ParameterName, 'Write what is found to a new file for --findings-baseline')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration in place of the `ttsr.toml` (or `.ttsr.toml`) that is found upward to the root of the repository')
            [CompletionResult]::new('--help-uri', '--help-uri', [CompletionResultType]::ParameterName, 'Address that explains a code, with {code} or {name} in its place; for forms that hold one')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the report')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours in human output')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Lowest severity of a finding that makes the exit status 1')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Another value for a limit on hostile input, with K, M or G behind it if need be (`ttsr help limits`); repeatable')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List what became of each rule')
            [CompletionResult]::new('--fix', '--fix', [CompletionResultType]::ParameterName, 'Apply the repairs that cannot change what a valid rule matches, and report what is left')
            [CompletionResult]::new('--diff', '--diff', [CompletionResultType]::ParameterName, 'Show what --fix would do and write nothing; the exit status is 1 where it would')
            [CompletionResult]::new('--unsafe-fixes', '--unsafe-fixes', [CompletionResultType]::ParameterName, 'Let --fix and --diff also take repairs that change what a rule matches')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, '--fix writes by itself')
            [CompletionResult]::new('--no-ignore', '--no-ignore', [CompletionResultType]::ParameterName, 'Show the findings that rule files accept with `ttsr-ignore` like all others')
            [CompletionResult]::new('--add-ignores', '--add-ignores', [CompletionResultType]::ParameterName, 'Have the rule files accept what is found and makes the run fail: a line `# ttsr-ignore CODE` above each key')
            [CompletionResult]::new('--update-baseline', '--update-baseline', [CompletionResultType]::ParameterName, 'Take out of the file of --findings-baseline what is not found any more; nothing is added')
            [CompletionResult]::new('--examples', '--examples', [CompletionResultType]::ParameterName, 'Run the samples that rule files hold under `examples:`: texts that must fire, and texts that must not')
            [CompletionResult]::new('--examples-required', '--examples-required', [CompletionResultType]::ParameterName, 'As --examples, and every registered rule must have a sample that it fires on')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no configuration')
            [CompletionResult]::new('--show-config', '--show-config', [CompletionResultType]::ParameterName, 'Print what holds after the configuration and the options, as a configuration, and stop')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Print the JSON Schema of the JSON form and stop')
            [CompletionResult]::new('--frontmatter-schema', '--frontmatter-schema', [CompletionResultType]::ParameterName, 'Print the JSON Schema of the frontmatter of rule files, for editors, and stop')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Also show notes')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Also show notes')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'Exit with 0 where the status would be 1')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'ttsr;inspect-session' {
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'A rule file or a directory of rule files; of equal names the first counts. Without it the rules are discovered as the agent does')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Where discovery starts')
            [CompletionResult]::new('--only-rule', '--only-rule', [CompletionResultType]::ParameterName, 'Only the rule of this name')
            [CompletionResult]::new('--settings', '--settings', [CompletionResultType]::ParameterName, 'A YAML or JSON file that holds a `ttsr:` group')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'One setting, such as ttsr.repeatMode=after-gap; wins over the file')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Agent name for rules with `agents:`')
            [CompletionResult]::new('--bundled', '--bundled', [CompletionResultType]::ParameterName, 'Rule files that count as bundled with the agent: they come last, and `ttsr.builtinRules: false` drops them')
            [CompletionResult]::new('--lifecycle', '--lifecycle', [CompletionResultType]::ParameterName, 'Which generation of the runtime to reproduce')
            [CompletionResult]::new('--leaf', '--leaf', [CompletionResultType]::ParameterName, 'Which branch: the id of its last entry')
            [CompletionResult]::new('--state-at', '--state-at', [CompletionResultType]::ParameterName, 'Which rules were in force, pending and forgotten at that entry, and which entry decided it')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'One injection from its match to its reminder, the answer behind it, and what came later; with rules given also their text then and now')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the report')
            [CompletionResult]::new('--table', '--table', [CompletionResultType]::ParameterName, 'Which table --format csv prints')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours in human output')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Lowest severity of a finding that makes the exit status 1')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Another value for a limit on hostile input, with K, M or G behind it if need be (`ttsr help limits`); repeatable')
            [CompletionResult]::new('--all-branches', '--all-branches', [CompletionResultType]::ParameterName, 'Every branch')
            [CompletionResult]::new('--tree', '--tree', [CompletionResultType]::ParameterName, 'Draw the tree')
            [CompletionResult]::new('--injections', '--injections', [CompletionResultType]::ParameterName, 'Only the persisted injections')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'The rebuilt context of the leaf')
            [CompletionResult]::new('--faithful', '--faithful', [CompletionResultType]::ParameterName, 'What the agent itself would see')
            [CompletionResult]::new('--replay', '--replay', [CompletionResultType]::ParameterName, 'Replay the branch and compare')
            [CompletionResult]::new('--timeline', '--timeline', [CompletionResultType]::ParameterName, 'What happened, in order: turns, prompts, triggers, injections, ends of processes, compactions, changed settings')
            [CompletionResult]::new('--compare', '--compare', [CompletionResultType]::ParameterName, 'What the agent reads of the file beside what is there')
            [CompletionResult]::new('--each', '--each', [CompletionResultType]::ParameterName, 'Of several files each one, behind the report of all')
            [CompletionResult]::new('--by-project', '--by-project', [CompletionResultType]::ParameterName, 'The sessions of one project together, in the order in which they came about')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Print the JSON Schema of the JSON forms, of one file and of several, and stop')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Also show notes')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Also show notes')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'Exit with 0 where the status would be 1')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'ttsr;handoff' {
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'A rule file or a directory of rule files; of equal names the first counts. Without it the rules are discovered as the agent does')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Where discovery starts')
            [CompletionResult]::new('--only-rule', '--only-rule', [CompletionResultType]::ParameterName, 'Only the rule of this name')
            [CompletionResult]::new('--settings', '--settings', [CompletionResultType]::ParameterName, 'A YAML or JSON file that holds a `ttsr:` group')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'One setting, such as ttsr.repeatMode=after-gap; wins over the file')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Agent name for rules with `agents:`')
            [CompletionResult]::new('--bundled', '--bundled', [CompletionResultType]::ParameterName, 'Rule files that count as bundled with the agent: they come last, and `ttsr.builtinRules: false` drops them')
            [CompletionResult]::new('--lifecycle', '--lifecycle', [CompletionResultType]::ParameterName, 'Which generation of the runtime to reproduce')
            [CompletionResult]::new('--script', '--script', [CompletionResultType]::ParameterName, 'Scripted replies that answer the handoff prompt')
            [CompletionResult]::new('--document', '--document', [CompletionResultType]::ParameterName, 'The document as given, or - for standard input')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'What the document should focus on')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The new session file')
            [CompletionResult]::new('--output-dir', '--output-dir', [CompletionResultType]::ParameterName, 'Folder of the new session file')
            [CompletionResult]::new('--pipeline', '--pipeline', [CompletionResultType]::ParameterName, 'Generation of the handoff pipeline')
            [CompletionResult]::new('--write-source', '--write-source', [CompletionResultType]::ParameterName, 'A copy of the old session with what the pipeline adds to it')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the ids that are written')
            [CompletionResult]::new('--now', '--now', [CompletionResultType]::ParameterName, 'The time that is written')
            [CompletionResult]::new('--trace', '--trace', [CompletionResultType]::ParameterName, 'What the trace of --format jsonl tells: the decisions, or also the states of the handoff, what receivers get, what the model is given, gates and reservations')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the report')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours in human output')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Lowest severity of a finding that makes the exit status 1')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Another value for a limit on hostile input, with K, M or G behind it if need be (`ttsr help limits`); repeatable')
            [CompletionResult]::new('--lineage', '--lineage', [CompletionResultType]::ParameterName, 'Write parentSession')
            [CompletionResult]::new('--no-lineage', '--no-lineage', [CompletionResultType]::ParameterName, 'Do not write parentSession')
            [CompletionResult]::new('--faithful', '--faithful', [CompletionResultType]::ParameterName, 'Write what the generation would, even from a failed or empty reply')
            [CompletionResult]::new('--print-prompt', '--print-prompt', [CompletionResultType]::ParameterName, 'Print the request and stop')
            [CompletionResult]::new('--print-transcript', '--print-transcript', [CompletionResultType]::ParameterName, 'Print the session''s transcript with the request behind it, to be pasted into a model, and stop')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Print the JSON Schema of the JSON form and stop')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Also show notes')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Also show notes')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'Exit with 0 where the status would be 1')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'ttsr;help' {
            [CompletionResult]::new('replay', 'replay', [CompletionResultType]::ParameterValue, 'Run recorded sessions, event streams or scripts through the rules: what fires, where, and what follows')
            [CompletionResult]::new('check-rules', 'check-rules', [CompletionResultType]::ParameterValue, 'Lint rule files, or list what the agent makes of them')
            [CompletionResult]::new('inspect-session', 'inspect-session', [CompletionResultType]::ParameterValue, 'Audit session files: tree, turns, persisted injections and their evidence')
            [CompletionResult]::new('handoff', 'handoff', [CompletionResultType]::ParameterValue, 'Write the session that continues another from a handoff document')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'ttsr;help;replay' {
            break
        }
        'ttsr;help;check-rules' {
            break
        }
        'ttsr;help;inspect-session' {
            break
        }
        'ttsr;help;handoff' {
            break
        }
        'ttsr;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
