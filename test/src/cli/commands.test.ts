/** Tests the output for people and programs, and the exit status, of each command. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStage, type Stage } from "#test/lib/client/stage.ts";
import { createTestToken } from "#test/support/users.ts";
import type { SceneRole } from "#test/support/scene.ts";
import { type CliFixture, hasTerminals, openCliFixture, PROGRAM, withoutEscapes } from "./cli-fixture.ts";

interface Context {
  stage: Stage;
  cli: CliFixture;
  /** Returns a command line that is signed in as another user. */
  cliOf(who: SceneRole, scope?: "cli" | "readonly"): Promise<CliFixture>;
}

const test = suite<Context>("commands");
const opened: CliFixture[] = [];

test.before(async (context) => {
  const stage = context.stage = await openStage(), url = stage.proxy.url;
  context.cliOf = async (who, scope = "cli") => {
    const { plaintext } = await createTestToken(stage.scene.db, stage.scene.people[who], scope);
    const cli = await openCliFixture({ WHEELWRIGHT_URL: url, WHEELWRIGHT_TOKEN: plaintext });
    opened.push(cli);
    return cli;
  };
  context.cli = await context.cliOf("operator");
});
test.after(async ({ stage }) => {
  for (const cli of opened) await cli.close();
  await stage.close();
});

test("lists records as JSON, as IDs with --quiet, and as tab-separated values", async ({ cli }) => {
  const lists = [
    ["hubs", "list"],
    ["hubs", "members", "north"],
    ["hubs", "operations", "north"],
    ["spokes", "list"],
    ["spokes", "list", "--hub", "north", "--state", "active"],
    ["spokes", "list", "north"],
    ["spokes", "operations", "north/oak"],
    ["spokes", "activity", "north/oak"],
    ["spokes", "members", "north/oak"],
    ["operations", "list", "--hub", "north"],
    ["operations", "list", "--spoke", "oak"],
    ["requests", "list"],
    ["notifications", "list", "--unread"],
    ["users", "list", "--limit", "2"],
    ["audit", "list", "--all"],
    ["tokens", "list"],
  ];
  const found = await Promise.all(lists.map(async (line) => [line, await cli.json(...line)] as const));
  for (const [line, records] of found) assert.ok(Array.isArray(records), line.join(" "));
  const [spoke] = await cli.json("spokes", "list", "--q", "oak");
  assert.equal([spoke.slug, spoke.state, spoke.operation], ["oak", "active", null]);
  assert.is((await cli.run(["spokes", "list", "-q"])).out, `${spoke.id}\n`);
  const [oak] = (await cli.run(["spokes", "list"])).out.split("\n");
  assert.equal(oak!.split("\t").slice(0, 2), ["north/oak", "active"]);
  assert.is((await cli.json("users", "list", "--limit", "2")).length, 2);
});

test("shows records, and finds a spoke by each of its names", async ({ cli, stage }) => {
  const { scene } = stage, one = await cli.json("spokes", "show", "north/oak");
  for (const name of [scene.spoke, one.domain, "oak", `${scene.hub}/oak`]) {
    assert.is((await cli.json("spokes", "show", name)).id, scene.spoke, name);
  }
  assert.match((await cli.run(["spokes", "show", "oak"])).out, /^spoke\tnorth\/oak\n[^]*^state\tactive$/m);
  assert.match((await cli.run(["hubs", "show", "north"])).out, /^hub\tnorth\n/);
  assert.is((await cli.json("users", "show", "hub-admin@example.org")).id, scene.people.hubAdmin.id);
  assert.is((await cli.run(["spokes", "open", "oak"])).out, `${one.url}\n`);
  assert.is((await cli.json("me")).user.role, "operator");
  assert.ok((await cli.json("catalog")).sizes.length > 0);
  assert.equal(await cli.json("cost", "north", "--size", "large"), { available: false });
  assert.is((await cli.json("changelog")).api, "v0");
  assert.is((await cli.json("hubs", "billing", "north")).connected, false);
  assert.equal((await cli.json("spokes", "backups", "oak")).snapshots, []);
});

test("lists backups with the results of their restore tests", async ({ cli, stage }) => {
  const { db, spoke, hub } = stage.scene, at = "2026-11-20T05:00:00.000Z";
  const verification = JSON.stringify({ courses: 41, users: 1280, seconds: 96, compared: true });
  await db.sql(
    `insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind, state, ready_at, verified_at, verification)
      values ('bak_1', $1, $2, 'op_1', 'default', 'n', 'nightly', 'ready', now(), $3, $4::text::jsonb)`,
    [spoke, hub, at, verification],
  );
  await db.sql("update spokes set state = 'active', verified_at = $2, unverified_since = now() where id = $1", [
    spoke,
    at,
  ]);
  const { out, err } = await cli.run(["spokes", "backups", "oak"]);
  assert.match(out, /^bak_1\tready\t\S+\t\t\t2026-11-20T05:00:00.000Z\t96\t41\t1280\t\t\n$/);
  assert.match(err, /The last restore test failed just now/);
  assert.match((await cli.run(["overview"])).out, /^HUB\tSPOKES\tACTIVE\t[^]*\t1\t2026-11-20T05:00:00.000Z\n/);
});

(hasTerminals ? test : test.skip)("columns that do not fit are counted, and shown by -o wide", async ({ cli }) => {
  const narrow = cli.openTerminal(["spokes", "list"], 60),
    wide = cli.openTerminal(["spokes", "list", "-o", "wide"], 60);
  assert.equal(await Promise.all([narrow.ended, wide.ended]), [0, 0]);
  assert.match(withoutEscapes(narrow.output), /^\d columns hidden\. Show all with -o wide$/m);
  const [heads = ""] = withoutEscapes(wide.output).split("\n");
  for (const head of ["SPOKE", "STATE", "DOMAIN", "SIZE", "CREATED", "ID"]) assert.match(heads, head);
  assert.not.match(wide.output, "hidden");
});

test("prints the requested fields, and warns about unknown ones", async ({ cli }) => {
  const { out, err } = await cli.run(["spokes", "show", "oak", "--json", "slug,operation.id,stat"]);
  assert.equal(JSON.parse(out), { slug: "oak", "operation.id": null, stat: null });
  assert.is(err, "Unknown field stat. Did you mean state?\n");
  assert.equal(await cli.run(["hubs", "list", "--json=slug"]).then(({ out }) => JSON.parse(out)), [{ slug: "north" }]);
});

test("changes hubs, requests, users and tokens", async ({ cli }) => {
  const run = async (...line: string[]) => {
    const { status, err } = await cli.run(line);
    assert.is(status, 0, `${line.join(" ")}: ${err}`);
    return err;
  };
  await run("hubs", "create", "west", "--name", "West", "--no-wait");
  assert.match(await run("hubs", "update", "west", "--name", "The west"), /Hub west was updated/);
  assert.match(await run("hubs", "add-member", "west", "cy@west.example"), /was invited as an admin of hub west/);
  assert.match(await run("hubs", "remove-member", "west", "cy@west.example"), /is no longer an admin of hub west/);
  assert.match(
    await run("spokes", "delegate", "oak", "bo@school.example", "--name", "Bo"),
    /was invited as an admin of oak/,
  );
  assert.match(await run("spokes", "remove-member", "oak", "bo@school.example"), /no longer an admin/);
  const request = (await cli.run(["requests", "create", "south", "--reason", "Schools", "-q"])).out.trim();
  assert.is((await cli.json("requests", "show", request)).state, "pending");
  assert.match(await run("requests", "approve", request), /Creating hub south/);
  const other = (await cli.run(["requests", "create", "east", "-q"])).out.trim();
  await run("requests", "reject", other, "Not now");
  const third = (await cli.run(["requests", "create", "core", "-q"])).out.trim();
  await run("requests", "withdraw", third);
  assert.match(await run("users", "update", "stranger@example.org", "--disabled", "yes"), /disabled/);
  await run("users", "update", "stranger@example.org", "--disabled", "no", "--name", "Somebody");
  assert.match(await run("notifications", "read", "--all"), /notifications? marked as read/);
  assert.is((await cli.run(["notifications", "count"])).out, "0\n");
});

test("exports the whole audit log over several pages, one event per line", async ({ cli }) => {
  const { status, out } = await cli.run(["audit", "export", "--json=id,actor.email"]);
  assert.is(status, 0);
  const ids = out.trimEnd().split("\n").map((line) => JSON.parse(line).id);
  assert.equal(new Set(ids).size, ids.length);
  assert.is((await cli.json("audit", "list", "--limit", "1")).length, 1);
});

test("runs an action on several spokes with one request, and reports refusals", async ({ cli }) => {
  const preview = await cli.json("spokes", "resize", "oak", "--size", "large", "--dry-run").catch((error) => error);
  assert.ok(preview instanceof Error || preview.dryRun, "there is no cluster behind this scene");
  const one = await cli.run(["spokes", "suspend", "north/oak", "--no-wait"]);
  assert.is(one.status, 0, one.err);
  assert.match(one.err, /^To watch the progress, run: wheelwright operations watch op_\S+$/m);
  const again = await cli.run(["spokes", "suspend", "north/oak", "--no-wait"]);
  assert.is(again.status, 5);
  assert.match(again.err, /\(spoke_state\)/);
  await cli.run(["spokes", "create", "north/elm", "--no-wait"]);
  const many = await cli.run(["spokes", "suspend", "oak", "elm", "--no-wait", "--json=accepted,error.code"]);
  assert.is(many.status, 5);
  assert.equal(JSON.parse(many.out), [
    { accepted: false, "error.code": "spoke_state" },
    { accepted: false, "error.code": "spoke_state" },
  ]);
});

test("lists operations and audit events with the slugs of their spokes", async ({ cli }) => {
  for (const line of [["hubs", "operations", "north"], ["operations", "list", "--hub", "north"]]) {
    const [newest, before] = (await cli.run(line)).out.split("\n").map((line) => line.split("\t").slice(0, 3));
    assert.equal([newest, before], [["elm", "provision", "queued"], ["oak", "suspend", "queued"]], line.join(" "));
  }
  const [happened] = (await cli.run(["spokes", "activity", "oak", "--limit", "1"])).out.split("\n");
  assert.equal(happened!.split("\t").slice(1, 3), ["spoke_actioned", "oak"]);
  if (!hasTerminals) return;
  const terminal = cli.openTerminal(["operations", "list", "--hub", "north", "--limit", "1"], 40, { NO_COLOR: "1" });
  assert.is(await terminal.ended, 0);
  assert.match(terminal.output, /SPOKE +KIND +STATE.*\s+elm +provision +queued/);
});

test("exits with a separate status for each kind of failure, without output", async ({ cli, cliOf }) => {
  const reader = await cliOf("hubAdmin", "readonly"), admin = await cliOf("spokeAdmin");
  const away = await openCliFixture({ ...cli.env, WHEELWRIGHT_URL: "http://127.0.0.1:9" });
  opened.push(away);
  const statuses: readonly (readonly [number, CliFixture, string[]])[] = [
    [0, cli, ["spokes", "list", "--q", "nothing like it"]],
    [1, cli, ["spokes", "apply", "-f", "/nowhere/spokes.yaml"]],
    [3, cli, ["hubs", "show", "nowhere"]],
    [3, cli, ["spokes", "show", "north/okk"]],
    [3, cli, ["spokes", "logs", "oak"]],
    [3, cli, ["users", "show", "nobody@example.org"]],
    [4, reader, ["spokes", "create", "north/fir", "--no-wait"]],
    [4, admin, ["users", "list"]],
    [4, admin, ["hubs", "create", "mine", "--no-wait"]],
    [5, cli, ["hubs", "create", "north", "--no-wait"]],
    [5, cli, ["hubs", "destroy", "north", "--yes"]],
    [2, cli, ["spokes", "create", "north/Bad!", "--no-wait"]],
    [2, cli, ["spokes", "list", "--state", "sleeping"]],
    [2, cli, ["spokes", "destroy", "north/oak"]],
    [6, cli, ["spokes", "create", "north/ivy", "--timeout", "1s"]],
    [7, away, ["me"]],
  ];
  for (const [status, who, line] of statuses) {
    const ran = await who.run(line);
    assert.equal([ran.status, ran.out], [status, ""], `${line.join(" ")}: ${ran.err}`);
    assert.not.match(ran.err, /\bat .*\.ts:\d+/, "no stack");
  }
});

(hasTerminals ? test : test.skip)("fits 40 columns, and uses colours only if allowed", async ({ cli }) => {
  const terminal = cli.openTerminal(["spokes", "list"], 40);
  assert.is(await terminal.ended, 0, terminal.output);
  assert.match(terminal.output, "\x1b[3");
  for (const line of withoutEscapes(terminal.output).trim().split("\n")) assert.ok(line.length <= 40, line);
  const notifications = cli.openTerminal(["notifications", "list"], 40);
  await notifications.ended;
  assert.match(withoutEscapes(notifications.output), /^new +(?:spoke|federation)_/m, "the event precedes the time");
  for (const env of [{ NO_COLOR: "1" }, { CLICOLOR: "0" }, { TERM: "dumb" }]) {
    const plain = cli.openTerminal(["spokes", "list"], 80, env);
    await plain.ended;
    assert.not(plain.output.includes("\x1b["), JSON.stringify(env));
  }
  const forced = await cli.run(["hubs", "list"], "", { CLICOLOR_FORCE: "1" });
  assert.not(forced.out.includes("\x1b["), "no escapes");
});

test("completes nouns, verbs, options, values and the names of records", async ({ cli }) => {
  const offered = async (...line: string[]) =>
    (await cli.run(["__complete", ...line])).out.split("\n").filter(Boolean).map((each) => each.split("\t")[0]);
  assert.equal(await offered("hu"), ["hubs"]);
  assert.equal(await offered("spokes", "sus"), ["suspend", "suspend-person"]);
  assert.equal(await offered("spokes", "list", "--st"), ["--state"]);
  assert.equal(await offered("spokes", "list", "--health", ""), ["healthy", "degraded", "unknown"]);
  assert.equal(await offered("spokes", "show", "north/o"), ["north/oak"]);
  assert.equal(await offered("hubs", "show", "nor"), ["north"]);
  assert.ok((await offered("spokes", "resize", "oak", "--size", "")).includes("large"));
  const nobody = await cli.run(["__complete", "hubs", "show", ""], "", { WHEELWRIGHT_URL: "http://127.0.0.1:9" });
  assert.equal([nobody.status, nobody.out, nobody.err], [0, "", ""]);
  for (const shell of ["bash", "zsh", "fish"]) assert.match((await cli.run(["completion", shell])).out, /__complete/);
  const script = (await cli.run(["completion", "bash"])).out;
  const typed = 'COMP_WORDS=(wheelwright hubs show nor); COMP_CWORD=3; _wheelwright; echo "${COMPREPLY[*]}"';
  const wheelwright = `wheelwright() { ${PROGRAM.map((word) => `'${word}'`).join(" ")} "$@"; }`;
  const bash = await promisify(execFile)("bash", ["-c", `${wheelwright}\n${script}\n${typed}`], { env: cli.env });
  assert.is(bash.stdout, "north\n", bash.stderr);
});

test.run();
