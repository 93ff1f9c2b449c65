/** `wheelwright completion`: what makes a shell complete these commands. */
import { CommandError } from "../commands/command.ts";
import { built } from "../release.ts";
import { type Noun, verb } from "./noun.ts";
import { print } from "./output.ts";
import { MISUSED } from "./status.ts";

/**
 * Each asks the program itself, which prints a candidate a line: the word, a tab, and what it is. By its place, not by what was
 * typed, which may be an alias: functions of bash know none, and zsh puts in its place what it stands for.
 */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_wheelwright() {
  local line word
  COMPREPLY=()
  while IFS= read -r line; do
    word="\${line%%$'\\t'*}"
    COMPREPLY+=("$word")
  done < <(PROGRAM __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _wheelwright wheelwright
`,
  zsh: `#compdef wheelwright
_wheelwright() {
  local -a found
  local line
  while IFS= read -r line; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(PROGRAM __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe wheelwright found; else _files; fi
}
compdef _wheelwright wheelwright wheelwright.js
`,
  fish: `function __wheelwright_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] __complete $words[2..-1] 2>/dev/null
end
complete -c wheelwright -f -a '(__wheelwright_complete)'
`,
};

/** Of what this runs from; its name where that cannot be started by itself. */
function programPlace(): string {
  const [, script = ""] = process.argv;
  return built() ? process.execPath : script.endsWith("wheelwright.js") ? script : "wheelwright";
}

export const completionNoun: Noun = {
  name: "completion",
  summary: "Print what completes these commands in your shell",
  verbs: [verb({
    name: "",
    summary: "Print what completes these commands in your shell, names of hubs and spokes included",
    words: ["SHELL"],
    more: "bash: source <(wheelwright completion bash), in ~/.bashrc\n" +
      "zsh:  source <(wheelwright completion zsh), in ~/.zshrc, after compinit\n" +
      "fish: wheelwright completion fish > ~/.config/fish/completions/wheelwright.fish",
    examples: ["completion bash"],
    async run(_, { words: [shell] }) {
      const script = Object.hasOwn(SCRIPTS, shell!) ? SCRIPTS[shell!] : undefined;
      if (script === undefined) throw new CommandError(MISUSED, "completion is for bash, zsh or fish");
      print(script.replace("PROGRAM", `'${programPlace().replaceAll("'", "'\\''")}'`));
    },
  })],
};
