/** Refuses words, openings of comments and names that a stranger would read twice. docs/glossary.md has the words to use. */
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("plain language");

/** Generated files, recorded data, and this file, which quotes what it refuses. */
const SKIPPED =
  /^test\/(?:golden|data|language\.test\.ts)|^package-lock|^LICENSE|^lib\/client\/(?:endpoints|schemas)\.ts$|\/kubernetes-fields\.ts$|^src\/(?:migrations|blueprints|manifest|releases)\.ts$/;

/** Words and phrases, each with a plainer one. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:whoever|whosoever)\b/i, "the user who"],
  [/\banew\b/i, "again"],
  [/\b(?:beneath|hitherto|thereof|wherein|lest|forthwith|for ever|in place of|once more)\b/i, "a modern word"],
  [/\bbesides\b/i, "also, except, next to"],
  [
    /\b(?:wish(?:es|ed)?|deeds?|foreseen|footing|asker|particulars)\b/i,
    "request, action, preview, base, requester, record",
  ],
  [/\btold\b/i, "reported, shown, notified"],
  [/\b(?:says so|say so|said so)\b/i, "is reported"],
  [/\b(?:asked for|looks? whether|looked whether|asks whether)\b/i, "request, check whether"],
  [/\b(?:of one that|of those (?:that|who)|one that there|that is none|by none|names no)\b/i, "the thing itself"],
  [/\b(?:at work|under way|on the way back|put to the proof)\b/i, "running, in progress, verified"],
  [/\b(?:lets? go of|go(?:es|ne)? on with|comes? to an end)\b/i, "release, continue, end"],
  [/\bno more(?:[.,;:]|$)/i, "no longer"],
  [/\b(?:as (?:it|they) stands?|stands? beside|stands? for itself|goes by the name)\b/i, "the state or place"],
  [/\bmade (?:of|from|after)\b/i, "created from, copied from"],
];

/** Openings of a comment that has no subject. */
const OPENERS = /^(?:Of|Those|What|Whose|Who|The same|As|That|One|None|Such|Besides?|In place of|Theirs)\b/;

/** Parts of names that say nothing, or what only this project would say. */
const NAMES =
  /^(?:wish(?:es|ed)?|deeds?|told|tells?|telling|said|heard|sights?|footing|foreseen|asker|asked|asks|judge[ds]?|demand(?:ed|s)?|besides?|whoever|bell|voices?|pour|furniture|beneath|anew|particulars)$/;

interface Finding {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

async function readTracked(): Promise<(readonly [path: string, lines: string[]])[]> {
  const root = new URL("../", import.meta.url);
  const paths = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 }).trim().split(
    "\n",
  )
    .filter((path) => /\.(?:ts|js|md|sql|ya?ml|css|php|tpl)$/.test(path) && !SKIPPED.test(path));
  return await Promise.all(paths.map(async (path) => {
    const url = new URL(path.split("/").map(encodeURIComponent).join("/"), root);
    return [path, (await readFile(url, "utf8")).split("\n")] as const;
  }));
}

/** Returns the prose of a line: of documents all, of code its comments and sentences. */
function proseOf(path: string, line: string): string[] {
  if (path.endsWith(".md")) return [line];
  if (!/\.(?:ts|js)$/.test(path)) return [/^\s*(?:--|#|\/\/|\*|\/\*)\s?(.*)$/.exec(line)?.[1] ?? ""];
  const comment = /^\s*(?:\/\*\*|\*|\/\/)(.*)$/.exec(line)?.[1] ?? /\s\/\/\s(.*)$/.exec(line)?.[1] ?? "";
  const sentences = [...line.matchAll(/(["'`])((?:(?!\1).)*\s(?:(?!\1).)*)\1/g)].map(([, , words]) => words!);
  return [comment, ...sentences.filter((words) => /[a-z]{3,} [a-z]{2,}/.test(words))];
}

function report(findings: readonly Finding[]): void {
  assert.equal(findings.map(({ path, line, text }) => `${path}:${line}: ${text}`), []);
}

test("uses the plain word", async () => {
  const findings: Finding[] = [];
  for (const [path, lines] of await readTracked()) {
    for (const [i, line] of lines.entries()) {
      for (const text of proseOf(path, line)) {
        const [, better] = WORDS.find(([word]) => word.test(text)) ?? [];
        if (better) findings.push({ path, line: i + 1, text: `${text.trim()} (better: ${better})` });
      }
    }
  }
  report(findings);
});

test("begins a comment with its subject or a verb", async () => {
  const findings: Finding[] = [];
  for (const [path, lines] of await readTracked()) {
    for (const [i, line] of lines.entries()) {
      const opens = /^\s*\/\*\*\s*(.*?)(?:\*\/)?$/.exec(line),
        first = opens?.[1] || (opens ? lines[i + 1]!.replace(/^\s*\*\s?/, "") : "");
      if (/\.(?:ts|js)$/.test(path) && OPENERS.test(first)) findings.push({ path, line: i + 1, text: first });
    }
  }
  report(findings);
});

test("gives plain names to functions, types, constants and files", async () => {
  const findings: Finding[] = [];
  const parts = (name: string) => name.split(/(?=[A-Z])|[_./-]/).map((part) => part.toLowerCase());
  for (const [path, lines] of await readTracked()) {
    if (parts(path).some((part) => NAMES.test(part))) findings.push({ path, line: 1, text: "the path" });
    if (!/\.(?:ts|js)$/.test(path)) continue;
    for (const [i, line] of lines.entries()) {
      for (const [, name] of line.matchAll(/\b(?:function|const|interface|type|class|let)\s+([A-Za-z_]\w*)/g)) {
        if (parts(name!).some((part) => NAMES.test(part))) findings.push({ path, line: i + 1, text: name! });
      }
    }
  }
  report(findings);
});

test.run();
