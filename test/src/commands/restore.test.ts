/** Tests `wheelwright restore` as a process, next to a replica that runs the operations. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { enqueueSpokeRemoval } from "#lib/domains/spokes/remove.ts";
import { backUp, readMarks, writeMark } from "#test/lib/recovery/restore/scene.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { startProgram } from "#test/support/program.ts";
import { updateRows } from "#test/support/rows.ts";

interface Context {
  scene: WorkScene;
  id: string;
  backup: string;
  run: (...line: string[]) => Promise<Result>;
}

interface Result {
  readonly status: number | null;
  readonly text: string;
}

const PLACE = { ROOT_DOMAIN: "spokes.example.org", PUBLIC_URL: "https://hubs.example.org" };

const test = suite<Context>("wheelwright restore");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await scene.replica();
  context.run = (...line) => run(["restore", ...line], { DATABASE_URL: scene.db.url });
  const id = context.id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.becomes(id, "active");
  await writeMark(scene, id, "as it was");
  context.backup = await backUp(scene, id);
  await writeMark(scene, id, "broken");
});
test.after(({ scene }) => scene.close());

async function run(line: readonly string[], env: Record<string, string>): Promise<Result> {
  const program = startProgram(line, env), status = await program.ended;
  return { status, text: program.lines.join("\n") };
}

/** Returns everything that a restore could write. */
async function written({ db }: WorkScene): Promise<unknown> {
  return await db.sql(
    `select (select count(*)::int from jobs where visible) as jobs, (select count(*)::int from audit_events) as audit,
    (select count(*)::int from spokes) as spokes, (select array_agg(state order by id) from spokes) as states`,
  );
}

test("lists the backups of a spoke for each of its names", async ({ id, backup, run }) => {
  for (const name of [id, "math/algebra", "algebra.spokes.example.org"]) {
    const { status, text } = await run(name, "--list");
    assert.is(status, 0, text);
    assert.match(text, /^BACKUP +TAKEN +KIND +STATE +VERSION +SIZE +RESTORE TEST\n/);
    assert.match(
      text,
      new RegExp(`${backup} +20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC +manual +ready +\\d[\\d.]+ +\\d+\\.\\d GiB`),
    );
  }
});

test("reports that a backup failed its last restore test", async ({ scene, id, backup, run }) => {
  const failure = "The restored site differs from the backup: its database belongs to another site";
  await updateRows(scene.db, "backups", { verificationError: failure }, { id: backup });
  const list = await run(id, "--list");
  assert.match(list.text, new RegExp(`${backup} .* failed$`, "m"));
  assert.match(list.text, `The last restore test of ${backup} failed: ${failure}`);
  assert.match((await run(id, "--dry-run")).text, `(its last restore test failed: ${failure})`);
  await updateRows(scene.db, "backups", { verificationError: "Not tried: no room" }, { id: backup });
  for (const flag of ["--list", "--dry-run"]) assert.not.match((await run(id, flag)).text, /failed/);
  await scene.db.sql(
    "update backups set verification_error = null, verified_at = now(), verification = '{}' where id = $1",
    [
      backup,
    ],
  );
  assert.match((await run(id, "--list")).text, new RegExp(`${backup} .* verified 20\\d\\d-.* UTC$`, "m"));
  await updateRows(scene.db, "backups", { verifiedAt: null, verification: null }, { id: backup });
});

test("previews a restore with --dry-run, and writes nothing", async ({ scene, id, backup, run }) => {
  const before = await written(scene);
  const { status, text } = await run("math/algebra", "--dry-run");
  assert.is(status, 0, text);
  assert.match(text, `The spoke math/algebra (${id}) would be restored from its backup ${backup} of `);
  assert.match(text, "  1. Checking the backup\n  2. Creating volumes from the backup\n");
  assert.match(
    text,
    "  - Changes since the backup are lost, including new passwords, and everybody must sign in again",
  );
  assert.match(text, /Nothing was written\.$/);
  assert.not.match(text, "suspended");
  assert.equal(await written(scene), before);
  await updateRows(scene.db, "spokes", { state: "suspended" }, { id });
  assert.match((await run("math/algebra", "--dry-run")).text, "  - The suspended site is started\n");
  await updateRows(scene.db, "spokes", { state: "active" }, { id });
});

test("queues a restore, prints how to watch it, and records the requester", async ({ scene, id, backup, run }) => {
  const { status, text } = await run("algebra.spokes.example.org", "--backup", backup, "--yes", "--no-wait");
  assert.is(status, 0, text);
  const job = await scene.ended(id, "restore");
  assert.is(job.state, "succeeded", job.failure?.message);
  assert.match(text, `is being restored from its backup ${backup} of `);
  assert.match(text, `To watch the progress, run: wheelwright operations watch ${job.id}`);
  assert.match(text, `wheelwright restore ${id} --back`);
  assert.equal(await readMarks(scene, id), ["as it was", "as it was"]);
  const who = `${userInfo().username}@${hostname()}`;
  const audits = await scene.db.sql(
    "select distinct actor_email from audit_events where metadata ->> 'operationId' = $1",
    [job.id],
  );
  assert.equal([job.requester.email, ...audits.map(({ actorEmail }) => actorEmail)], [who, who]);
});

test("lists the volumes from before a restore, and returns to them with --back", async ({ scene, id, run }) => {
  const { text } = await run(id, "--list");
  assert.match(
    text,
    /Volumes from before a restore \(--back returns to the newest volumes\):\nPVC +SINCE +UNTIL\ndata-db-0 .*\nfiles /,
  );
  const dry = await run(id, "--back", "--dry-run");
  assert.match(dry.text, "would be restored to its state before the last restore");
  const refused = await run(id, "--back");
  assert.equal([refused.status, /All later changes .* be lost; .*confirm with --yes/.test(refused.text)], [2, true]);
  const back = await run(id, "--back", "--yes");
  assert.is(back.status, 0, back.text);
  assert.match(back.text, /\nDone: the operation succeeded$/);
  assert.is((await scene.ended(id, "restore")).state, "succeeded");
  assert.equal(await readMarks(scene, id), ["broken", "broken"]);
});

test("rejects invalid combinations of arguments", async ({ scene, id, run }) => {
  const before = await written(scene);
  const cases: readonly (readonly [line: readonly string[], status: number, words: RegExp])[] = [
    [[], 2, /needs a SPOKE: an ID, HUB\/SLUG or domain/],
    [[id, "--back", "--backup", "bak_1"], 2, /--back cannot be combined with --backup, --as or --domain/],
    [[id, "--list", "--dry-run"], 2, /--list cannot be combined with other options/],
    [[id, "--as", "algebra"], 2, /--as must be HUB\/SLUG, not "algebra"/],
    [[id, "--domain", "a b"], 2, /--domain must be a host name/],
    [[id, "--as", "math/other"], 2, /apply only to removed spokes\. algebra is active/],
    [["math/geometry"], 65, /No spoke math\/geometry found/],
    [
      [id, "--backup", "bak_1"],
      65,
      /The spoke algebra has no backup bak_1\. To list the spoke's backups, run: wheelwright restore SPOKE --list/,
    ],
    [["--all"], 2, /--all and --hub require --new-cluster/],
    [["--new-cluster"], 2, /--new-cluster needs a SPOKE or --all/],
    [[id, "--all", "--new-cluster"], 2, /--new-cluster needs a SPOKE or --all/],
    [[id, "--new-cluster", "--hub", "math"], 2, /--hub requires --all/],
    [[id, "--new-cluster", "--back"], 2, /--new-cluster can be combined only with --all, --hub and --dry-run/],
    [[id, "--bakup", "x"], 2, /Unknown option --bakup\. Did you mean --backup\?/],
  ];
  for (const [line, status, words] of cases) {
    const result = await run(...line);
    assert.match(result.text, words);
    assert.is(result.status, status, line.join(" "));
  }
  assert.equal(await written(scene), before);
});

test("recreates nothing if the cluster is the same or does not answer", async ({ scene, id }) => {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-restore-")), KUBECONFIG = join(directory, "kubeconfig");
  const env = { ...PLACE, DATABASE_URL: scene.db.url, KUBECONFIG };
  const ask = (...line: string[]) => run(["restore", ...line, "--new-cluster"], env), before = await written(scene);
  try {
    await writeFile(KUBECONFIG, scene.simulator.kubeconfig());
    const one = await ask(id);
    assert.match(one.text, /algebra is in the current cluster. Restore the spoke without --new-cluster/);
    assert.is(one.status, 65);
    const all = await ask("--all", "--hub", "math");
    assert.match(all.text, /^No namespaces are lost: /);
    assert.is(all.status, 0);
    assert.match((await ask("--all", "--hub", "physics")).text, /No hub physics found/);
    await writeFile(KUBECONFIG, scene.simulator.kubeconfig().replace(scene.simulator.url, "http://127.0.0.1:1"));
    const away = await ask("--all");
    assert.is(away.status, 69, away.text);
  } finally {
    await rm(directory, { recursive: true });
  }
  assert.equal(await written(scene), before);
});

test("recreates a removed spoke, and requires the configuration of its names", async ({ scene, id, run: ask }) => {
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, id));
  await scene.becomes(id, "removed");
  const { status, text } = await ask(id);
  assert.is(status, 78, text);
  assert.match(text, /ROOT_DOMAIN is missing/);
  const env = { ...PLACE, DATABASE_URL: scene.db.url, KUBECONFIG: "/nowhere" };
  const dry = await run(["restore", "math/algebra", "--dry-run"], env);
  assert.is(dry.status, 0, dry.text);
  assert.match(
    dry.text,
    /is removed\. A new spoke math\/algebra would be created from its backup bak_\w+ of .*, as algebra\.spokes\.example\.org/,
  );
  const done = await run(["restore", "math/algebra"], env);
  assert.is(done.status, 0, done.text);
  const [, next] = /The spoke algebra \((spk_\w+)\) is being created from the backup/.exec(done.text)!;
  assert.is((await scene.becomes(next!, "active", "failed")).state, "active");
  assert.equal(await readMarks(scene, next!), ["broken", "broken"]);
});

test.run();
