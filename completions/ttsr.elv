
use builtin;
use str;

set edit:completion:arg-completer[ttsr] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'ttsr'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'ttsr'= {
            cand --color 'Colours in human output'
            cand --fail-on 'Lowest severity of a finding that makes the exit status 1'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Also show notes'
            cand --verbose 'Also show notes'
            cand --exit-zero 'Exit with 0 where the status would be 1'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand replay 'Run recorded sessions, event streams or scripts through the rules: what fires, where, and what follows'
            cand check-rules 'Lint rule files, or list what the agent makes of them'
            cand inspect-session 'Audit session files: tree, turns, persisted injections and their evidence'
            cand handoff 'Generate a handoff document from a session and write the new session file'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'ttsr;replay'= {
            cand --rules 'A rule file or a directory of rule files; of equal names the first counts. Without it the rules are discovered as the agent does'
            cand --project 'Where discovery starts'
            cand --only-rule 'Only the rule of this name'
            cand --settings 'A YAML or JSON file that holds a `ttsr:` group'
            cand --set 'One setting, such as ttsr.repeatMode=after-gap; wins over the file'
            cand --agent 'Agent name for rules with `agents:`'
            cand --bundled 'Rule files that count as bundled with the agent: they come last, and `ttsr.builtinRules: false` drops them'
            cand --lifecycle 'Which generation of the runtime to reproduce'
            cand --as-write 'Every file below this path as a finished write call to it'
            cand --expect 'Compare the trace with the one in this file, in place of a report: a diff, and status 1, where they differ'
            cand --baseline 'Other rules, as --rules names them: run both over the same inputs and tell only what --rules decides otherwise'
            cand --baseline-set 'A setting of the run that is compared with, as --set takes it; without --baseline its rules are the same'
            cand --script 'Scripted replies, a JSON array or JSON Lines: with --prompt a run of their own, beside an input its retries'
            cand --prompt 'A user prompt of a scripted run'
            cand --text 'One message, or one finished tool call, made of this text'
            cand --text-file 'As --text, from a file or - for standard input'
            cand --source 'What the text is'
            cand --tool 'The tool whose call the text is'
            cand --path 'The file the call writes'
            cand --resume 'Continue this session: its injected rules count, and what --write-session writes begins with its lines'
            cand --leaf 'Which branch of a session: the id of its last entry'
            cand --chunk 'How whole messages become deltas: chars:N, words, lines, block or all; without it chars:4 for recorded ones, and one delta for --text'
            cand --on-trigger 'What a match does'
            cand --arguments 'How streamed tool arguments are re-read'
            cand --verdicts 'Answers about judged rules: rows such as {"rule": "no-blame", "answer": "yes"}, as a JSON array or one a line'
            cand --cwd 'Working directory of the run, where the input names none'
            cand --home 'Home directory of the run'
            cand --interrupt-template 'Text of interrupt reminders, with {{name}}, {{path}} and {{content}}'
            cand --reminder-template 'Text of tool reminders, with {{name}}, {{path}} and {{content}}'
            cand --seed 'Seed of the ids that are written'
            cand --now 'Time at which the run begins'
            cand --jobs 'Inputs done at a time; the output order stays'
            cand --trace 'What a trace tells: the decisions, or also what receivers get, what the model is given, gates and reservations'
            cand --explain 'Say at each message why a rule did not fire'
            cand --write-session 'Write the session that results'
            cand --emit-events 'Write the run as an event stream'
            cand --format 'Form of the report'
            cand --color 'Colours in human output'
            cand --fail-on 'Lowest severity of a finding that makes the exit status 1'
            cand --all-branches 'Every branch of each session, each in a run of its own that names its last entry'
            cand --update 'Write the trace to the file of --expect, the one file that a replay ever replaces'
            cand --verify 'Compare with what the input itself records'
            cand --print-asks 'Print what a judge would be asked, one JSON line an output, in place of the report'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Also show notes'
            cand --verbose 'Also show notes'
            cand --exit-zero 'Exit with 0 where the status would be 1'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'ttsr;check-rules'= {
            cand --rules 'A rule file or a directory of rule files; of equal names the first counts. Without it the rules are discovered as the agent does'
            cand --project 'Where discovery starts'
            cand --only-rule 'Only the rule of this name'
            cand --settings 'A YAML or JSON file that holds a `ttsr:` group'
            cand --set 'One setting, such as ttsr.repeatMode=after-gap; wins over the file'
            cand --agent 'Agent name for rules with `agents:`'
            cand --bundled 'Rule files that count as bundled with the agent: they come last, and `ttsr.builtinRules: false` drops them'
            cand --lifecycle 'Which generation of the runtime to reproduce'
            cand --home 'Home directory for discovery'
            cand --explain 'Say what a code means, with a rule that gives it and one that does not; `all` lists the codes'
            cand --deny 'Treat a code (TTSR033 or comma-in-glob), or all, as an error'
            cand --warn 'Treat a code, or all, as a warning'
            cand --allow 'Leave a code, or all, out; a code that is named wins over all'
            cand --format 'Form of the report'
            cand --color 'Colours in human output'
            cand --fail-on 'Lowest severity of a finding that makes the exit status 1'
            cand --list 'List what became of each rule'
            cand --fix 'Show the repairs that cannot change what a valid rule matches, as a diff'
            cand --write 'Apply the repairs of --fix, and report what is left'
            cand --examples 'Run the samples that rule files hold under `examples:`: texts that must fire, and texts that must not'
            cand --examples-required 'As --examples, and every registered rule must have a sample that it fires on'
            cand --schema 'Print the JSON Schema of the JSON form and stop'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Also show notes'
            cand --verbose 'Also show notes'
            cand --exit-zero 'Exit with 0 where the status would be 1'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'ttsr;inspect-session'= {
            cand --rules 'A rule file or a directory of rule files; of equal names the first counts. Without it the rules are discovered as the agent does'
            cand --project 'Where discovery starts'
            cand --only-rule 'Only the rule of this name'
            cand --settings 'A YAML or JSON file that holds a `ttsr:` group'
            cand --set 'One setting, such as ttsr.repeatMode=after-gap; wins over the file'
            cand --agent 'Agent name for rules with `agents:`'
            cand --bundled 'Rule files that count as bundled with the agent: they come last, and `ttsr.builtinRules: false` drops them'
            cand --lifecycle 'Which generation of the runtime to reproduce'
            cand --leaf 'Which branch: the id of its last entry'
            cand --format 'Form of the report'
            cand --color 'Colours in human output'
            cand --fail-on 'Lowest severity of a finding that makes the exit status 1'
            cand --all-branches 'Every branch'
            cand --tree 'Draw the tree'
            cand --injections 'Only the persisted injections'
            cand --context 'The rebuilt context of the leaf'
            cand --faithful 'What the agent itself would see'
            cand --replay 'Replay the branch and compare'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Also show notes'
            cand --verbose 'Also show notes'
            cand --exit-zero 'Exit with 0 where the status would be 1'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'ttsr;handoff'= {
            cand --rules 'A rule file or a directory of rule files; of equal names the first counts. Without it the rules are discovered as the agent does'
            cand --project 'Where discovery starts'
            cand --only-rule 'Only the rule of this name'
            cand --settings 'A YAML or JSON file that holds a `ttsr:` group'
            cand --set 'One setting, such as ttsr.repeatMode=after-gap; wins over the file'
            cand --agent 'Agent name for rules with `agents:`'
            cand --bundled 'Rule files that count as bundled with the agent: they come last, and `ttsr.builtinRules: false` drops them'
            cand --lifecycle 'Which generation of the runtime to reproduce'
            cand --script 'Scripted replies that answer the handoff prompt'
            cand --document 'The document as given, or - for standard input'
            cand --focus 'What the document should focus on'
            cand --output 'The new session file'
            cand --output-dir 'Folder of the new session file'
            cand --pipeline 'Generation of the handoff pipeline'
            cand --write-source 'A copy of the old session with what the pipeline adds to it'
            cand --seed 'Seed of the ids that are written'
            cand --now 'The time that is written'
            cand --trace 'What the trace of --format jsonl tells: the decisions, or also the states of the handoff, what receivers get, what the model is given, gates and reservations'
            cand --format 'Form of the report'
            cand --color 'Colours in human output'
            cand --fail-on 'Lowest severity of a finding that makes the exit status 1'
            cand --lineage 'Write parentSession'
            cand --no-lineage 'Do not write parentSession'
            cand --faithful 'Write what the generation would, even from a failed or empty reply'
            cand --print-prompt 'Print the request and stop'
            cand --schema 'Print the JSON Schema of the JSON form and stop'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Also show notes'
            cand --verbose 'Also show notes'
            cand --exit-zero 'Exit with 0 where the status would be 1'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'ttsr;help'= {
            cand replay 'Run recorded sessions, event streams or scripts through the rules: what fires, where, and what follows'
            cand check-rules 'Lint rule files, or list what the agent makes of them'
            cand inspect-session 'Audit session files: tree, turns, persisted injections and their evidence'
            cand handoff 'Generate a handoff document from a session and write the new session file'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'ttsr;help;replay'= {
        }
        &'ttsr;help;check-rules'= {
        }
        &'ttsr;help;inspect-session'= {
        }
        &'ttsr;help;handoff'= {
        }
        &'ttsr;help;help'= {
        }
    ]
    $completions[$command]
}
