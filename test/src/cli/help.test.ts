/** Tests the help of every command, and the messages for mistyped command lines. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Command, CommandGroup } from "#src/cli/command.ts";
import { CLIENT_COMMANDS, loadCommand, SERVER_COMMANDS } from "#src/cli/commands.ts";
import { renderCommandHelp, renderGroupHelp } from "#src/cli/help.ts";
import { parseCommand } from "#src/cli/parse.ts";
import { suggestVerb } from "#src/cli/suggestions.ts";
import { type CliFixture, hasTerminals, openCliFixture } from "./cli-fixture.ts";

const test = suite<{ cli: CliFixture; all: readonly (readonly [CommandGroup, Command])[] }>(
  "wheelwright NOUN VERB",
);

test.before(async (context) => {
  context.cli = await openCliFixture();
  const names = new Set([...CLIENT_COMMANDS, ...SERVER_COMMANDS].map(({ name }) => name));
  const loaded = await Promise.all([...names].map((name) => loadCommand(name)));
  context.all = loaded.flatMap((noun) => noun!.verbs.map((verb) => [noun!, verb] as const));
});
test.after(({ cli }) => cli.close());

/** Splits a command line into words, as a shell does. */
function wordsIn(example: string): string[] {
  return [...example.replace(/ [|<>].*$/, "").matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!);
}

test("every command has a summary, and a verb of a client command has valid examples", ({ all }) => {
  for (const [noun, verb] of all) {
    const title = `${noun.name} ${verb.name}`, help = renderCommandHelp(noun, verb);
    assert.ok(verb.summary || verb.name === "", title);
    assert.ok(help.startsWith(`wheelwright ${title}`.trim()), title);
    if (!verb.local) assert.match(help, /\nExamples\n {2}\$ wheelwright /);
    for (const example of verb.examples) {
      const [first, ...rest] = wordsIn(example);
      assert.is(first, noun.name, example);
      if (verb.name !== "") assert.is(rest.shift(), verb.name, example);
      parseCommand(title, verb, rest);
    }
  }
});

test("the help of a noun lists all verbs, including those for this machine", ({ all }) => {
  for (const [noun, verb] of all) assert.ok(renderGroupHelp(noun).includes(`  ${verb.name}`));
  const [audit] = all.find(([noun]) => noun.name === "audit")!;
  assert.match(renderGroupHelp(audit), /^ {2}heads .*^ {2}verify /ms);
});

test("reads the argument after --json as fields if all required arguments are present", ({ all }) => {
  const parse = (noun: string, name: string, ...line: string[]) => {
    const [, verb] = all.find(([each, verb]) => each.name === noun && verb.name === name)!;
    const { json, typed: { words } } = parseCommand(noun, verb, line);
    return { json, words };
  };
  assert.equal(parse("hubs", "list", "--json", "slug"), { json: ["slug"], words: [] });
  assert.equal(parse("hubs", "show", "--json", "north"), { json: "all", words: ["north"] });
  assert.equal(parse("hubs", "show", "north", "--json", "slug"), { json: ["slug"], words: ["north"] });
  assert.equal(parse("hubs", "show", "--json=slug,state", "north"), { json: ["slug", "state"], words: ["north"] });
  assert.equal(parse("spokes", "suspend", "--json", "ash", "fir"), { json: "all", words: ["ash", "fir"] });
  assert.equal(parse("spokes", "list"), { json: null, words: [] });
});

test("prints the same help for --help, -h and help, without a server", async ({ cli }) => {
  const [one, other, short] = await Promise.all([
    cli.run(["spokes", "create", "--help"]),
    cli.run(["help", "spokes", "create"]),
    cli.run(["spokes", "create", "-h"]),
  ]);
  assert.is(one.status, 0);
  assert.match(one.out, /^wheelwright spokes create \[HUB\/SLUG\.\.\.\]\n/);
  assert.equal([other.out, short.out, one.err], [one.out, one.out, ""]);
  assert.match(
    (await cli.run(["--help"])).out,
    /Client commands, for a running server:[^]* spokes VERB [^]*Server commands, for this machine:[^]* serve /,
  );
});

test("lists options only in the help of a command, not in the list of commands", async ({ cli }) => {
  const { out } = await cli.run([]);
  assert.not.match(out.replace(/.*--help' for details/, ""), /--/);
  for (const row of ["doctor", "restore SPOKE", "backup FILE", "audit heads | verify"]) {
    assert.ok(out.includes(`  ${row}  `), row);
  }
  const { out: own } = await cli.run(["doctor", "--help"]);
  assert.match(own, /^wheelwright doctor \[--region NAME\] \[--no-probe\] \[--json\]\nwheelwright doctor --rbac\n/);
});

(hasTerminals ? test : test.skip)("wraps the help at the width of the terminal", async ({ cli }) => {
  for (const columns of [40, 80]) {
    for (const line of [[], ["restore", "--help"], ["spokes", "--help"]]) {
      const terminal = cli.openTerminal(line, columns);
      assert.is(await terminal.ended, 0);
      const lines = terminal.output.split(/\r?\n/).filter((each) => !/^ {2}\$ |^Wheelwright runs /.test(each)); // examples are not wrapped
      assert.ok(lines.length > 10);
      assert.equal(lines.filter((each) => each.length > columns), [], line.join(" "));
    }
  }
});

test("rejects a mistyped command line with status 2 and a suggestion", async ({ cli }) => {
  const mistakes: readonly (readonly [string[], RegExp])[] = [
    [["spokes", "lits"], /Unknown subcommand "lits" of wheelwright spokes\. Did you mean list\?/],
    [["spokes", "list", "--stat", "failed"], /Unknown option --stat\. Did you mean --state\?/],
    [["spokes", "show"], /needs SPOKE: the ID, HUB\/SLUG or domain of a spoke/],
    [["spokes", "show", "a", "b"], /Unexpected argument "b"/],
    [["spokes", "show", ""], /Check that all shell variables are set/],
    [["spokes", "suspend", "ash", "--timeout", "soon"], /--timeout must be a duration/],
    [["spokes", "--quiet", "list"], /needs a subcommand before --quiet/],
    [["completion", "csh"], /must be bash, zsh or fish/],
    [["spokes", "list", "--state", "sleeping"], /--state must be provisioning, active, .* or removed/],
    [["users", "update", "x", "--disabled", "true"], /--disabled must be yes or no/],
    [["hubs"], /wheelwright hubs needs a subcommand\n\nwheelwright hubs VERB\n[^]* list /],
    [["admin"], /wheelwright admin needs a subcommand\n\nwheelwright admin VERB\n[^]* reset-password EMAIL /],
    [
      ["admin", "reset-pasword"],
      /Unknown subcommand "reset-pasword" of wheelwright admin\. Did you mean reset-password\?/,
    ],
    [["admin", "reset-password"], /wheelwright admin reset-password needs EMAIL\n/],
    [["backup"], /wheelwright backup needs FILE: a path, or - for standard input or output/],
    [["backup", "a", "b"], /Unexpected argument "b"/],
    [["restore-database", ""], /Check that all shell variables are set/],
    [["doctor", "--regoin", "x"], /Unknown option --regoin\. Did you mean --region\?/],
    [["serve", "--force"], /Unknown option --force\n/],
    [["login", "ftp://example.org"], /must use http or https/],
    [["login", "http://localhost:3000", "--password", "s3cret"], /too many arguments\. Pass secrets on standard input/],
    [["operations", "watch"], /needs either OPERATION IDs or --hub HUB/],
    [["audit", "verfy"], /Unknown subcommand "verfy" of wheelwright audit\. Did you mean verify\?/],
    [
      ["spokes", "delete", "north/ash"],
      /Unknown subcommand "delete" of wheelwright spokes\. Did you mean: wheelwright spokes destroy SPOKE\.\.\.$/m,
    ],
    [
      ["spokes", "delet", "north/ash"],
      /Unknown subcommand "delet" of wheelwright spokes\. Did you mean: wheelwright spokes destroy SPOKE\.\.\.$/m,
    ],
    [["tokens", "rm", "x"], /Did you mean: wheelwright tokens revoke /],
    [["spokes", "get"], /Did you mean: wheelwright spokes list \[HUB\] or wheelwright spokes show SPOKE$/m],
    [["hubs", "describe", "north"], /Did you mean: wheelwright hubs show HUB$/m],
    [["hubs", "logs", "north"], /Did you mean: wheelwright hubs operations HUB$/m],
    [["spokes", "ls"], /Did you mean: wheelwright spokes list \[HUB\]$/m],
    [["spokes", "list", "-o", "json"], /-o accepts only the value wide\. For JSON, use --json/],
    [["spokes", "list", "--output=yaml"], /-o accepts only the value wide\. For JSON, use --json/],
    [["spokes", "list", "-o", "name"], /-o accepts only the value wide\. For IDs, use --quiet/],
    [["doctor", "-o", "json"], /Unknown option -o\. For JSON, use --json/],
    [["spokes", "--version"], /To print the version, run 'wheelwright --version'/],
    [["spokes", "destroy", "ash", "--force"], /Unknown option --force\. To skip the confirmation, use --yes/],
    [["spokes", "list", "north", "--hub", "south"], /Use either north or --hub south, not both/],
    [["spokes", "upgrade", "north/ash"], /needs --to VERSION\. For the versions, see 'wheelwright catalog'/],
    [["spokes", "resize", "north/ash", "north/elm"], /needs --size SIZE\. For the sizes, see 'wheelwright catalog'/],
    [
      ["delete", "north/ash"],
      /Unknown command "delete"\. Did you mean: wheelwright spokes destroy SPOKE or wheelwright hubs destroy HUB/,
    ],
    [["get", "spokes"], /Did you mean: wheelwright spokes list or wheelwright hubs list/],
    [["logs", "north/ash"], /Did you mean: wheelwright spokes logs SPOKE/],
    [["status"], /Did you mean: wheelwright overview/],
    [["whoami"], /Did you mean: wheelwright me$/m],
  ];
  const found = await Promise.all(mistakes.map(([line]) => cli.run(line)));
  found.forEach(({ status, out, err }, i) => {
    assert.equal([status, out], [2, ""], mistakes[i]![0].join(" "));
    assert.match(err, mistakes[i]![1]);
    const isFromServer = err.includes("(invalid_call)");
    if (!isFromServer) assert.match(err, /\n\n(?:Usage: )?wheelwright .*\n[^]*Run 'wheelwright .*--help' for /);
  });
  assert.match((await cli.run(["spoke"])).err, /Unknown command "spoke"\. Did you mean spokes\?/);
});

test("completes commands, verbs, options and values without a server", async ({ cli }) => {
  const cases: readonly (readonly [line: string[], offered: string[]])[] = [
    [["rest"], ["restore-requests", "restore", "restore-database"]],
    [["audit", ""], ["list", "export", "heads", "verify"]],
    [["admin", ""], ["reset-password", "reset-factors"]],
    [["doctor", "--re"], ["--region", "--reconcile", "--resume"]],
    [["spokes", "show", "oak", "--pro"], ["--profile"]],
    [["completion", ""], ["bash", "zsh", "fish"]],
  ];
  for (const [line, offered] of cases) {
    const { out } = await cli.run(["__complete", ...line]);
    assert.equal(out.trimEnd().split("\n").map((each) => each.split("\t")[0]), offered, line.join(" "));
  }
});

test("suggests only verbs that exist", ({ all }) => {
  for (const [noun] of all) {
    for (const word of ["delete", "rm", "get", "describe", "ls", "logs", "status", "add", "edit"]) {
      const [, line] = /Did you mean: wheelwright (.*?)(?: or |$)/.exec(suggestVerb(noun, word)) ?? [];
      const [name, verb] = line?.split(" ") ?? [];
      assert.ok(!line || (name === noun.name && noun.verbs.some((each) => each.name === verb)), `${noun.name} ${word}`);
      assert.not.match(suggestVerb(noun, word), "delegate");
    }
  }
  const [spokes] = all.find(([noun]) => noun.name === "spokes")!;
  assert.is(suggestVerb(spokes, "delegat"), ". Did you mean delegate?");
});

test("never repeats a token from the command line", async ({ cli }) => {
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
    const { status, err } = await cli.run(line);
    assert.is(status, 2, err);
    assert.not(err.includes("abcdefghij"), err);
  }
});

test.run();
