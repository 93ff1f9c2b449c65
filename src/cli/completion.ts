/** Implements `wheelwright completion`, which prints a completion script for a shell. */
import { findBuildInfo } from "../release.ts";
import { defineCommand } from "./command.ts";
import { print } from "./output.ts";

/**
 * The completion script for each shell. A script runs `wheelwright __complete`, which prints a word, a tab and a
 * description per line. Scripts for bash and zsh call the program by its path, because `wheelwright` may be an alias.
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

/** Returns this program's path, or only the name `wheelwright` if the current script is not executable. */
function programPath(): string {
  const [, script = ""] = process.argv;
  return findBuildInfo() ? process.execPath : script.endsWith("wheelwright.js") ? script : "wheelwright";
}

export const completionCommand = defineCommand({
  words: ["bash|zsh|fish"],
  more: "The script also completes the names of hubs and spokes.\n" +
    "bash: source <(wheelwright completion bash), in ~/.bashrc\n" +
    "zsh:  source <(wheelwright completion zsh), in ~/.zshrc, after compinit\n" +
    "fish: wheelwright completion fish > ~/.config/fish/completions/wheelwright.fish",
  examples: ["completion bash"],
  run: (_, { words: [shell] }) =>
    print(SCRIPTS[shell]!.replace("PROGRAM", `'${programPath().replaceAll("'", "'\\''")}'`)),
});
