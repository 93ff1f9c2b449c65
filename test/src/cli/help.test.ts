/** The table of commands: every verb has its help and examples that can be read, and every mistake is explained. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { suggestVerb } from "#src/cli/suggestions.ts";
import { renderNounHelp, renderVerbHelp } from "#src/cli/help.ts";
import type { CliNoun, CliVerb } from "#src/cli/verb-declaration.ts";
import { nouns } from "#src/cli/nouns.ts";
import { parseVerb } from "#src/cli/parse-verb.ts";
import { type Desk, hasTerminals, openDesk } from "./cli-fixture.ts";

const test = suite<{ desk: Desk; all: readonly (readonly [CliNoun, CliVerb])[] }>("wheelwright NOUN VERB");

test.before(async (context) => {
  context.desk = await openDesk();
  const loaded = await Promise.all(nouns.map(({ load }) => load()));
  context.all = loaded.flatMap((noun) => noun.verbs.map((verb) => [noun, verb] as const));
});
test.after(({ desk }) => desk.close());

/** As a shell would. */
function wordsIn(example: string): string[] {
  return [...example.replace(/ [|<>].*$/, "").matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!);
}

test("every verb has a help with examples, and every example is a line that it takes", ({ all }) => {
  for (const [noun, verb] of all) {
    assert.ok(verb.examples.length > 0, `${noun.name} ${verb.name}`);
    assert.match(renderVerbHelp(noun, verb), /\nExamples\n {2}\$ wheelwright /);
    for (const example of verb.examples) {
      const [first, ...rest] = wordsIn(example);
      assert.is(first, noun.name, example);
      if (verb.name !== "") assert.is(rest.shift(), verb.name, example);
      parseVerb(noun, verb, rest);
    }
  }
});

test("the noun's help names all of its verbs, those for this machine included", ({ all }) => {
  for (const [noun, verb] of all) assert.ok(renderNounHelp(noun).includes(`  ${verb.name}`));
  const [audit] = all.find(([noun]) => noun.name === "audit")!;
  assert.match(renderNounHelp(audit), /^ {2}heads .*^ {2}verify /ms);
});

test("fields after --json are taken for fields where the words that are needed stay", ({ all }) => {
  const parse = (noun: string, name: string, ...line: string[]) => {
    const [found, verb] = all.find(([each, verb]) => each.name === noun && verb.name === name)!;
    const { json, typed: { words } } = parseVerb(found, verb, line);
    return { json, words };
  };
  assert.equal(parse("hubs", "list", "--json", "slug"), { json: ["slug"], words: [] });
  assert.equal(parse("hubs", "show", "--json", "north"), { json: "all", words: ["north"] });
  assert.equal(parse("hubs", "show", "north", "--json", "slug"), { json: ["slug"], words: ["north"] });
  assert.equal(parse("hubs", "show", "--json=slug,state", "north"), { json: ["slug", "state"], words: ["north"] });
  assert.equal(parse("spokes", "suspend", "--json", "ash", "fir"), { json: "all", words: ["ash", "fir"] });
  assert.equal(parse("spokes", "list"), { json: null, words: [] });
});

test("help needs no server, and is the same however it is asked for", async ({ desk }) => {
  const [one, other, short] = await Promise.all([
    desk.run(["spokes", "create", "--help"]),
    desk.run(["help", "spokes", "create"]),
    desk.run(["spokes", "create", "-h"]),
  ]);
  assert.is(one.status, 0);
  assert.match(one.out, /^wheelwright spokes create \[HUB\/SLUG\.\.\.\]\n/);
  assert.equal([other.out, short.out, one.err], [one.out, one.out, ""]);
  assert.match((await desk.run(["--help"])).out, /Use a server that runs:[^]* spokes VERB [^]*Run one:[^]* serve /);
});

test("the list of commands names no options, which each command's own help shows whole", async ({ desk }) => {
  const { out } = await desk.run([]);
  assert.not.match(out.replace(/.*--help tells more/, ""), /--/);
  for (const row of ["doctor", "restore SPOKE", "backup FILE", "audit heads | verify"]) {
    assert.ok(out.includes(`  ${row}  `), row);
  }
  const { out: own } = await desk.run(["doctor", "--help"]);
  assert.match(own, /^wheelwright doctor \[--region NAME\] \[--no-probe\] \[--json\]\nwheelwright doctor --rbac\n/);
});

(hasTerminals ? test : test.skip)("help is no wider than the terminal", async ({ desk }) => {
  for (const columns of [40, 80]) {
    for (const line of [[], ["restore", "--help"], ["spokes", "--help"]]) {
      const terminal = desk.sit(line, columns);
      assert.is(await terminal.ended, 0);
      const lines = terminal.shown.split(/\r?\n/).filter((each) => !/^ {2}\$ |^Wheelwright: /.test(each)); // typed as they stand
      assert.ok(lines.length > 10);
      assert.equal(lines.filter((each) => each.length > columns), [], line.join(" "));
    }
  }
});

test("what is mistyped is refused with status 2, and with what was meant", async ({ desk }) => {
  const mistakes: readonly (readonly [string[], RegExp])[] = [
    [["spokes", "lits"], /no wheelwright spokes lits; did you mean list\?/],
    [["spokes", "list", "--stat", "failed"], /no option --stat; did you mean --state\?/],
    [["spokes", "show"], /needs SPOKE: a spoke's id, HUB\/SLUG, or its domain/],
    [["spokes", "show", "a", "b"], /"b" is one word too many/],
    [["spokes", "show", ""], /is a variable not set\?/],
    [["spokes", "suspend", "ash", "--timeout", "soon"], /--timeout must be a span of time/],
    [["spokes", "--quiet", "list"], /needs a verb before --quiet/],
    [["completion", "csh"], /for bash, zsh or fish/],
    [["login", "ftp://example.org"], /must be an http or https URL/],
    [["login", "http://localhost:3000", "--password", "s3cret"], /one word too many; secrets come from standard/],
    [["operations", "watch"], /needs either ids of operations or --hub HUB/],
    [["audit", "verfy"], /no wheelwright audit verfy; did you mean verify\?/],
    [
      ["spokes", "delete", "north/ash"],
      /no wheelwright spokes delete; here it is wheelwright spokes destroy SPOKE\.\.\.$/m,
    ],
    [
      ["spokes", "delet", "north/ash"],
      /no wheelwright spokes delet; here it is wheelwright spokes destroy SPOKE\.\.\.$/m,
    ],
    [["tokens", "rm", "x"], /here it is wheelwright tokens revoke /],
    [["spokes", "get"], /here it is wheelwright spokes list \[HUB\] or wheelwright spokes show SPOKE$/m],
    [["hubs", "describe", "north"], /here it is wheelwright hubs show HUB$/m],
    [["hubs", "logs", "north"], /here it is wheelwright hubs operations HUB$/m],
    [["spokes", "ls"], /here it is wheelwright spokes list \[HUB\]$/m],
    [["spokes", "list", "-o", "json"], /-o is for wide alone; --json prints JSON/],
    [["spokes", "list", "--output=yaml"], /-o is for wide alone; --json prints JSON/],
    [["spokes", "list", "-o", "name"], /-o is for wide alone; --quiet prints ids/],
    [["doctor", "-o", "json"], /no option -o; --json prints JSON/],
    [["spokes", "--version"], /wheelwright --version prints the version/],
    [["spokes", "destroy", "ash", "--force"], /no option --force; --yes answers the question/],
    [["spokes", "list", "north", "--hub", "south"], /Either north or --hub south, not both/],
    [["spokes", "upgrade", "north/ash"], /needs --to VERSION; wheelwright catalog lists the versions/],
    [["spokes", "resize", "north/ash", "north/elm"], /needs --size SIZE; wheelwright catalog lists the sizes/],
    [
      ["delete", "north/ash"],
      /no command "delete"; here it is wheelwright spokes destroy SPOKE or wheelwright hubs destroy HUB/,
    ],
    [["get", "spokes"], /here it is wheelwright spokes list or wheelwright hubs list/],
    [["logs", "north/ash"], /here it is wheelwright spokes logs SPOKE/],
    [["status"], /here it is wheelwright overview/],
    [["whoami"], /here it is wheelwright me$/m],
  ];
  const found = await Promise.all(mistakes.map(([line]) => desk.run(line)));
  found.forEach(({ status, out, err }, i) => {
    assert.equal([status, out], [2, ""], mistakes[i]![0].join(" "));
    assert.match(err, mistakes[i]![1]);
  });
  assert.match((await desk.run(["spoke"])).err, /no command "spoke"; did you mean spokes\?/);
});

test("no word of another tool is suggested that no command takes", ({ all }) => {
  for (const [noun] of all) {
    for (const word of ["delete", "rm", "get", "describe", "ls", "logs", "status", "add", "edit"]) {
      const [, line] = /here it is wheelwright (.*?)(?: or |$)/.exec(suggestVerb(noun, word)) ?? [];
      const [name, verb] = line?.split(" ") ?? [];
      assert.ok(!line || (name === noun.name && noun.verbs.some((each) => each.name === verb)), `${noun.name} ${word}`);
      assert.not.match(suggestVerb(noun, word), "delegate");
    }
  }
  const [spokes] = all.find(([noun]) => noun.name === "spokes")!;
  assert.is(suggestVerb(spokes, "delegat"), "; did you mean delegate?");
});

test("a token on the line is never said again", async ({ desk }) => {
  const secret = "ww_cli_abcdefghijklmnopqrstuvwxyz0123456789";
  for (
    const line of [["login", "--token", secret], ["login", "http://localhost", "--password", secret], ["me", secret], [
      "me",
      `--tokn=${secret}`,
    ], [
      "spokes",
      "show",
      "a",
      secret,
    ]]
  ) {
    const { status, err } = await desk.run(line);
    assert.is(status, 2, err);
    assert.not(err.includes("abcdefghij"), err);
  }
});

test.run();
