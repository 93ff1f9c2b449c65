/** Each command against the whole API: what it prints for people and for programs, and with which status it ends. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStage, type Stage } from "#test/lib/client/stage.ts";
import { createTestToken } from "#test/support/users.ts";
import type { SceneRole } from "#test/support/scene.ts";
import { bare, type Desk, hasTerminals, openDesk, PROGRAM } from "./cli-fixture.ts";

interface Context {
  stage: Stage;
  desk: Desk;
  /** A desk at which somebody else sits. */
  deskOf(who: SceneRole, scope?: "cli" | "readonly"): Promise<Desk>;
}

const test = suite<Context>("commands");
const opened: Desk[] = [];

test.before(async (context) => {
  const stage = context.stage = await openStage(), url = stage.proxy.url;
  context.deskOf = async (who, scope = "cli") => {
    const { plaintext } = await createTestToken(stage.scene.db, stage.scene.people[who], scope);
    const desk = await openDesk({ WHEELWRIGHT_URL: url, WHEELWRIGHT_TOKEN: plaintext });
    opened.push(desk);
    return desk;
  };
  context.desk = await context.deskOf("operator");
});
test.after(async ({ stage }) => {
  for (const desk of opened) await desk.close();
  await stage.close();
});

test("each list prints the API's own records as JSON, ids alone with --quiet, and values after tabs", async ({ desk }) => {
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
  const found = await Promise.all(lists.map(async (line) => [line, await desk.json(...line)] as const));
  for (const [line, records] of found) assert.ok(Array.isArray(records), line.join(" "));
  const [spoke] = await desk.json("spokes", "list", "--q", "oak");
  assert.equal([spoke.slug, spoke.state, spoke.operation], ["oak", "active", null]);
  assert.is((await desk.run(["spokes", "list", "-q"])).out, `${spoke.id}\n`);
  const [oak] = (await desk.run(["spokes", "list"])).out.split("\n");
  assert.equal(oak!.split("\t").slice(0, 2), ["north/oak", "active"]);
  assert.is((await desk.json("users", "list", "--limit", "2")).length, 2);
});

test("each record can be shown, and a spoke by whatever names it", async ({ desk, stage }) => {
  const { scene } = stage, one = await desk.json("spokes", "show", "north/oak");
  for (const name of [scene.spoke, one.domain, "oak", `${scene.hub}/oak`]) {
    assert.is((await desk.json("spokes", "show", name)).id, scene.spoke, name);
  }
  assert.match((await desk.run(["spokes", "show", "oak"])).out, /^spoke\tnorth\/oak\n[^]*^state\tactive$/m);
  assert.match((await desk.run(["hubs", "show", "north"])).out, /^hub\tnorth\n/);
  assert.is((await desk.json("users", "show", "hub-admin@example.org")).id, scene.people.hubAdmin.id);
  assert.is((await desk.run(["spokes", "open", "oak"])).out, `${one.url}\n`);
  assert.is((await desk.json("me")).user.role, "operator");
  assert.ok((await desk.json("catalog")).sizes.length > 0);
  assert.equal(await desk.json("cost", "north", "--size", "large"), { available: false });
  assert.is((await desk.json("changelog")).api, "v0");
  assert.is((await desk.json("hubs", "billing", "north")).connected, false);
  assert.equal((await desk.json("spokes", "backups", "oak")).snapshots, []);
});

test("backups show which of them were proved, what was in them and how long it took", async ({ desk, stage }) => {
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
  const { out, err } = await desk.run(["spokes", "backups", "oak"]);
  assert.match(out, /^bak_1\tready\t\S+\t\t\t2026-11-20T05:00:00.000Z\t96\t41\t1280\t\t\n$/);
  assert.match(err, /The last restore test failed, just now/);
  assert.match((await desk.run(["overview"])).out, /^HUB\tSPOKES\tACTIVE\t[^]*\t1\t2026-11-20T05:00:00.000Z\n/);
});

(hasTerminals ? test : test.skip)("columns that do not fit are counted, and shown by -o wide", async ({ desk }) => {
  const narrow = desk.sit(["spokes", "list"], 60), wide = desk.sit(["spokes", "list", "-o", "wide"], 60);
  assert.equal(await Promise.all([narrow.ended, wide.ended]), [0, 0]);
  assert.match(bare(narrow.shown), /^\d columns hidden \(-o wide shows all\)$/m);
  const [heads = ""] = bare(wide.shown).split("\n");
  for (const head of ["SPOKE", "STATE", "DOMAIN", "SIZE", "CREATED", "ID"]) assert.match(heads, head);
  assert.not.match(wide.shown, "hidden");
});

test("fields alone are printed when they are named; one that is mistyped is null, and told", async ({ desk }) => {
  const { out, err } = await desk.run(["spokes", "show", "oak", "--json", "slug,operation.id,stat"]);
  assert.equal(JSON.parse(out), { slug: "oak", "operation.id": null, stat: null });
  assert.is(err, "Unknown field stat. Did you mean state?\n");
  assert.equal(await desk.run(["hubs", "list", "--json=slug"]).then(({ out }) => JSON.parse(out)), [{ slug: "north" }]);
});

test("hubs, requests, people and tokens are changed", async ({ desk }) => {
  const run = async (...line: string[]) => {
    const { status, err } = await desk.run(line);
    assert.is(status, 0, `${line.join(" ")}: ${err}`);
    return err;
  };
  await run("hubs", "create", "west", "--name", "West", "--no-wait");
  assert.match(await run("hubs", "update", "west", "--name", "The west"), /Hub west is updated/);
  assert.match(await run("hubs", "add-member", "west", "cy@west.example"), /is invited as an admin of hub west/);
  assert.match(await run("hubs", "remove-member", "west", "cy@west.example"), /is no longer an admin of hub west/);
  assert.match(
    await run("spokes", "delegate", "oak", "bo@school.example", "--name", "Bo"),
    /is invited as an admin of oak/,
  );
  assert.match(await run("spokes", "remove-member", "oak", "bo@school.example"), /no longer an admin/);
  const request = (await desk.run(["requests", "create", "south", "--reason", "Schools", "-q"])).out.trim();
  assert.is((await desk.json("requests", "show", request)).state, "pending");
  assert.match(await run("requests", "approve", request), /Creating hub south/);
  const other = (await desk.run(["requests", "create", "east", "-q"])).out.trim();
  await run("requests", "reject", other, "Not now");
  const third = (await desk.run(["requests", "create", "core", "-q"])).out.trim();
  await run("requests", "withdraw", third);
  assert.match(await run("users", "update", "stranger@example.org", "--disabled", "yes"), /disabled/);
  await run("users", "update", "stranger@example.org", "--disabled", "no", "--name", "Somebody");
  assert.match(await run("notifications", "read", "--all"), /notifications? read/);
  assert.is((await desk.run(["notifications", "count"])).out, "0\n");
});

test("the audit log is exported an event a line, whole, over the server's pages", async ({ desk }) => {
  const { status, out } = await desk.run(["audit", "export", "--json=id,actor.email"]);
  assert.is(status, 0);
  const ids = out.trimEnd().split("\n").map((line) => JSON.parse(line).id);
  assert.equal(new Set(ids).size, ids.length);
  assert.is((await desk.json("audit", "list", "--limit", "1")).length, 1);
});

test("actions ask once, and say what is refused of many", async ({ desk }) => {
  const preview = await desk.json("spokes", "resize", "oak", "--size", "large", "--dry-run").catch((error) => error);
  assert.ok(preview instanceof Error || preview.dryRun, "there is no cluster behind this scene");
  const one = await desk.run(["spokes", "suspend", "north/oak", "--no-wait"]);
  assert.is(one.status, 0, one.err);
  assert.match(one.err, /^To watch it: wheelwright operations watch op_\S+$/m);
  const again = await desk.run(["spokes", "suspend", "north/oak", "--no-wait"]);
  assert.is(again.status, 5);
  assert.match(again.err, /\(spoke_state\)/);
  await desk.run(["spokes", "create", "north/elm", "--no-wait"]);
  const many = await desk.run(["spokes", "suspend", "oak", "elm", "--no-wait", "--json=accepted,error.code"]);
  assert.is(many.status, 5);
  assert.equal(JSON.parse(many.out), [
    { accepted: false, "error.code": "spoke_state" },
    { accepted: false, "error.code": "spoke_state" },
  ]);
});

test("what is done in a hub, and what happened, is told with the slug that it is of", async ({ desk }) => {
  for (const line of [["hubs", "operations", "north"], ["operations", "list", "--hub", "north"]]) {
    const [newest, before] = (await desk.run(line)).out.split("\n").map((line) => line.split("\t").slice(0, 3));
    assert.equal([newest, before], [["elm", "provision", "queued"], ["oak", "suspend", "queued"]], line.join(" "));
  }
  const [happened] = (await desk.run(["spokes", "activity", "oak", "--limit", "1"])).out.split("\n");
  assert.equal(happened!.split("\t").slice(1, 3), ["spoke_actioned", "oak"]);
  if (!hasTerminals) return;
  const terminal = desk.sit(["operations", "list", "--hub", "north", "--limit", "1"], 40, { NO_COLOR: "1" });
  assert.is(await terminal.ended, 0);
  assert.match(terminal.shown, /SPOKE +KIND +STATE.*\s+elm +provision +queued/);
});

test("each kind of failure has a status of its own, and prints nothing", async ({ desk, deskOf }) => {
  const reader = await deskOf("hubAdmin", "readonly"), admin = await deskOf("spokeAdmin");
  const away = await openDesk({ ...desk.env, WHEELWRIGHT_URL: "http://127.0.0.1:9" });
  opened.push(away);
  const statuses: readonly (readonly [number, Desk, string[]])[] = [
    [0, desk, ["spokes", "list", "--q", "nothing like it"]],
    [1, desk, ["spokes", "apply", "-f", "/nowhere/spokes.yaml"]],
    [3, desk, ["hubs", "show", "nowhere"]],
    [3, desk, ["spokes", "show", "north/okk"]],
    [3, desk, ["spokes", "logs", "oak"]],
    [3, desk, ["users", "show", "nobody@example.org"]],
    [4, reader, ["spokes", "create", "north/fir", "--no-wait"]],
    [4, admin, ["users", "list"]],
    [4, admin, ["hubs", "create", "mine", "--no-wait"]],
    [5, desk, ["hubs", "create", "north", "--no-wait"]],
    [5, desk, ["hubs", "destroy", "north", "--yes"]],
    [2, desk, ["spokes", "create", "north/Bad!", "--no-wait"]],
    [2, desk, ["spokes", "list", "--state", "sleeping"]],
    [2, desk, ["spokes", "destroy", "north/oak"]],
    [6, desk, ["spokes", "create", "north/ivy", "--timeout", "1s"]],
    [7, away, ["me"]],
  ];
  for (const [status, who, line] of statuses) {
    const ran = await who.run(line);
    assert.equal([ran.status, ran.out], [status, ""], `${line.join(" ")}: ${ran.err}`);
    assert.not.match(ran.err, /\bat .*\.ts:\d+/, "no stack");
  }
});

(hasTerminals ? test : test.skip)(
  "in a terminal of 40 columns no line is longer, and colours show only where they may",
  async ({ desk }) => {
    const terminal = desk.sit(["spokes", "list"], 40);
    assert.is(await terminal.ended, 0, terminal.shown);
    assert.match(terminal.shown, "\x1b[3");
    for (const line of bare(terminal.shown).trim().split("\n")) assert.ok(line.length <= 40, line);
    const told = desk.sit(["notifications", "list"], 40);
    await told.ended;
    assert.match(bare(told.shown), /^new +(?:spoke|federation)_/m, "what happened stands before when");
    for (const env of [{ NO_COLOR: "1" }, { CLICOLOR: "0" }, { TERM: "dumb" }]) {
      const plain = desk.sit(["spokes", "list"], 80, env);
      await plain.ended;
      assert.not(plain.shown.includes("\x1b["), JSON.stringify(env));
    }
    const forced = await desk.run(["hubs", "list"], "", { CLICOLOR_FORCE: "1" });
    assert.not(forced.out.includes("\x1b["), "values after tabs have none");
  },
);

test("a shell completes nouns, verbs, options and their values, and the names of what is there", async ({ desk }) => {
  const offered = async (...line: string[]) =>
    (await desk.run(["__complete", ...line])).out.split("\n").filter(Boolean).map((each) => each.split("\t")[0]);
  assert.equal(await offered("hu"), ["hubs"]);
  assert.equal(await offered("spokes", "sus"), ["suspend"]);
  assert.equal(await offered("spokes", "list", "--st"), ["--state"]);
  assert.equal(await offered("spokes", "list", "--health", ""), ["healthy", "degraded", "unknown"]);
  assert.equal(await offered("spokes", "show", "north/o"), ["north/oak"]);
  assert.equal(await offered("hubs", "show", "nor"), ["north"]);
  assert.ok((await offered("spokes", "resize", "oak", "--size", "")).includes("large"));
  const nobody = await desk.run(["__complete", "hubs", "show", ""], "", { WHEELWRIGHT_URL: "http://127.0.0.1:9" });
  assert.equal([nobody.status, nobody.out, nobody.err], [0, "", ""]);
  for (const shell of ["bash", "zsh", "fish"]) assert.match((await desk.run(["completion", shell])).out, /__complete/);
  const script = (await desk.run(["completion", "bash"])).out;
  const typed = 'COMP_WORDS=(wheelwright hubs show nor); COMP_CWORD=3; _wheelwright; echo "${COMPREPLY[*]}"';
  const wheelwright = `wheelwright() { ${PROGRAM.map((word) => `'${word}'`).join(" ")} "$@"; }`;
  const bash = await promisify(execFile)("bash", ["-c", `${wheelwright}\n${script}\n${typed}`], { env: desk.env });
  assert.is(bash.stdout, "north\n", bash.stderr);
});

test.run();
