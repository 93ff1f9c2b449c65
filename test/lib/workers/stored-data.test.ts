/** Tests that jobs continue whose payload and progress release 0.1.0 wrote. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { readConfig } from "#lib/base/config.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { isFinalJobState, type Job } from "#lib/jobs/job.ts";
import { buildSandboxInputs } from "#lib/moodle/sandbox.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { openScene, type Scene } from "#test/lib/scheduler/scene.ts";

interface StoredData {
  readonly payload?: object;
  readonly progress?: object;
}

const inputs = inputsOf(openBlueprint());
const { size, resources, version, images, displayName, adminEmail, brand, host } = inputs;
const SIZE = { size, resources }, RESIZED = { ...SIZE, madeDatabaseDisk: resources.disks.database };
const DIGEST = { imageDigest: `sha256:${"a".repeat(64)}` };
const PARTS = { parts: { way: images.moodle, count: 431 } };
const VOLUMES = { volumes: [{ claim: "files", claimUid: "uid-1", volume: "pvc-1" }] };
const ORIGIN = { adoptionId: "abcdefgh", identity: "same" };
const BASE = { version, images, disks: resources.disks };
const RESTORED = { ...BASE, claims: { files: "files-abcdefgh", data: "data-abcdefgh" }, origin: ORIGIN };
const sandbox = buildSandboxInputs(inputs, { id: "op_abcdefgh", madeAfter: "spk_1" }, "release");
const TO = { email: "ann@example.org", name: "Ann" };
const NOTICE = {
  ...{ kind: "endpoint", what: "GET /api/spokes", from: "2026-12-01", note: "Use another one" },
  ...{ tokens: [{ name: "script", prefix: "ww_1", calls: 3 }], others: { tokens: 0, calls: 0 } },
};

/** The data of jobs as the steps of release 0.1.0 stored it, by kind. Jobs of other kinds had none. */
const STORED: Readonly<Record<string, readonly StoredData[]>> = {
  provision: [{ progress: { ...DIGEST, ...PARTS, installs: ["install-7"] } }, { progress: { imageDigest: null } }],
  suspend: [{ progress: { observed: { state: "active", health: "degraded" } } }],
  upgrade: [
    {
      payload: { lmsVersion: "5.2.2", skipBackup: true },
      progress: {
        ...{ ...DIGEST, ...PARTS, upgrades: ["upgrade-7", "upgrade-9"], bugs: 1, unended: 1 },
        upgrade: {
          ...{ version: "5.2.2", images, major: true, code: { version: "2025100602", release: null } },
          from: { version: "4.5.12", release: "4.5.12 (Build: 20261005)" },
        },
        backup: { id: "bak_1", snapshots: ["files-1", "db-1"], contents: ["snapcontent-1"] },
        observed: { state: "failed", health: "unknown" },
      },
    },
    {
      payload: { lmsVersion: "4.5" },
      progress: {
        upgrade: { version: "4.5", images, code: null, from: { version: "4.4", release: null }, major: false },
        backup: null,
      },
    },
  ],
  resize: [
    { payload: { size: "large" }, progress: { before: SIZE, after: RESIZED, disks: { files: "20Gi" } } },
    { payload: { size: "large" } },
  ],
  "maintenance-on": [{ progress: { observed: { state: "active", health: "healthy", maintenance: true } } }],
  backup: [{ payload: { kind: "nightly" }, progress: { counted: { courses: 3, users: 40 } } }, {
    progress: { counted: null },
  }],
  "run-cron": [{ progress: { cronJob: "run-cron-7" } }],
  reapply: [{ progress: { ...DIGEST, revision: "abc", taken: RESIZED, restarts: true } }, {
    progress: { taken: null },
  }],
  configure: [
    {
      progress: {
        after: {
          ...{ displayName, adminEmail, brand, host, certificate: "tls-1", mailHeld: true },
          formerHosts: [{ host: "old.example.org", certificate: "tls" }],
        },
        moved: true,
        observed: { state: "active", health: "healthy", isBack: true },
      },
    },
    { progress: { after: { displayName, adminEmail, brand: null, host, formerHosts: [] } } },
  ],
  restore: [
    {
      payload: { backupId: "bak_1" },
      progress: {
        ...{ ...DIGEST, storageQuota: "40Gi", replaced: [{ claim: "files", uid: "uid-1" }] },
        restore: { before: BASE, target: RESTORED, backupId: "bak_1", reworded: false },
      },
    },
    {
      payload: { rollback: true },
      progress: { restore: { before: RESTORED, target: BASE, backupId: null, reworded: true } },
    },
  ],
  remove: [{
    progress: {
      ...{ ...VOLUMES, stops: 2, lastSnapshotTries: 1, notifiedAt: "2026-11-26T10:00:00.000Z" },
      snapshots: [{ claim: "files", content: "snapcontent-1", handle: "snap-1" }, { claim: "data-db-0" }],
    },
  }],
  "remove-hub": [{ progress: { ...VOLUMES, notifiedAt: "2026-11-26T10:00:00.000Z" } }],
  "restore-test": [{
    payload: { backupId: "bak_1", cluster: "default" },
    progress: {
      ...{ ...VOLUMES, sandbox: { cluster: "uid", uid: "uid-2" }, inputs: { ...sandbox, origin: ORIGIN } },
      checked: {
        ...{ files: 12, bytes: 4096, hashed: 12, missing: 0, otherSize: 0, otherContent: 0, newer: 0 },
        ...{ hasDirectory: true, elsewhere: false, examples: [], codeVersion: "2024100712", codeRelease: null },
      },
      outcome: "verified",
    },
  }],
  "create-template": [{
    payload: { cluster: "default", template: "tpl_1", inputs: sandbox },
    progress: {
      ...{ ...VOLUMES, ...PARTS, installs: ["install-7"], sandbox: { cluster: null, uid: null } },
      failed: { step: "install", code: "OOMKilled", message: "there was too little memory" },
    },
  }],
  mail: [
    { template: "password-reset", about: { expiresAt: "2026-11-26T10:00:00.000Z" } },
    { template: "invitation", about: { inviter: "Bob", places: ["Hub"], expiresAt: "2026-11-26T10:00:00.000Z" } },
    { template: "announcement", about: { notices: [NOTICE], more: 0 } },
  ].map((letter, i) => ({ payload: { letter: { ...letter, to: TO }, grantId: i === 0 ? "grant" : null } })),
  "delete-course": [{ payload: { course: "crs_1", version: 1, title: "Biology", sha256: "aa", bytes: 5 } }],
  "restore-library": [{ payload: { backupId: "lib_1" } }],
  "publish-course": [{ payload: { course: "BIO-D", deliver: true } }],
  "suspend-person": [{ payload: { email: "cy@school.example" } }],
  "reinstate-person": [{ payload: { email: "cy@school.example" } }],
  "forgotten-password": [{ payload: { email: "ann@example.org" } }],
  signup: [{ payload: { email: "ann@example.org", displayName: "Ann", passwordHash: "$argon2id$" } }, {
    payload: { email: "ann@example.org", displayName: "Ann" },
  }],
  "sync-billing": [{ progress: { email: "ann@example.org", again: true } }],
  "billing-event": [{ payload: { event: "evt_1" } }],
  "check-cluster": [{ payload: { cluster: "default" } }],
  "run-rollout": [{ payload: { rolloutId: "rol_1" } }],
  webhook: [{ payload: { webhookId: "whk_1", federationId: "fed_1" } }],
  "webhook-message": [{
    payload: {
      ...{ webhookId: "whk_1", federationId: null, number: null, trigger: "test", messageId: "msg_1" },
      ...{ type: "WebhookTest", body: "{}" },
    },
  }],
};

const test = suite<{ scene: Scene }>("a job that release 0.1.0 stored");
test.before(async (context) => void (context.scene = await openScene()));
test.after(({ scene }) => scene.close());

/** Lists all kinds of jobs. A test runs them without their hooks. */
function listKinds({ db }: Scene): JobKind[] {
  const app = {
    db,
    config: readConfig({ mode: "dev", env: { ROOT_DOMAIN: "spokes.example.org" }, terminal: false }),
    log: SILENT_LOG,
    payments: {},
  } as unknown as App;
  return createHandlers(app, {} as never).map(({ kind: { repeatEvery: _, ...kind } }) => kind);
}

test("continues with its data, including values that this release does not know", async ({ scene }) => {
  const kinds = listKinds(scene), unknown = { later: { release: ["0.9.0"] } };
  assert.equal(Object.keys(STORED).filter((name) => !kinds.some(({ kind }) => kind === name)), []);
  const enqueued = kinds.flatMap((kind) => (STORED[kind.kind] ?? [{}]).map((data) => ({ kind, data })));
  const jobs = await scene.enqueue(...enqueued.map(({ kind, data: { payload } }) => (
    {
      kind: { ...kind, visible: false },
      lane: null,
      federationId: null,
      spokeId: null,
      payload: { ...payload, ...unknown },
    }
  )));
  for (const [i, { data }] of enqueued.entries()) {
    const progress = JSON.stringify({ notes: ["A note"], ...data.progress, ...unknown });
    await scene.db.sql("update jobs set progress = $2::text::jsonb where id = $1", [jobs[i]!.id, progress]);
  }
  const step = ({ saveProgress }: JobRun) => saveProgress({ notes: ["A note", "Another note"] });
  await scene.open(kinds.map((kind) => ({
    kind: { ...kind, visible: false, needsActiveHub: false },
    steps: Object.fromEntries(kind.steps.map(({ name }) => [name, step])),
  })));
  for (const [i, { kind, data }] of enqueued.entries()) {
    const { state, failure, payload, progress } = await scene.until(jobs[i]!.id, ended);
    assert.equal([kind.kind, state, failure?.message], [kind.kind, "succeeded", undefined]);
    assert.equal(payload, { ...data.payload, ...unknown });
    assert.equal(progress, { notes: ["A note", "Another note"], ...data.progress, ...unknown });
  }
});

const ended = ({ state, failure }: Job) => isFinalJobState(state) || failure !== null;

test.run();
