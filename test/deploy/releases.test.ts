/** Tests two releases in one cluster, each with the account, roles and policies of its own chart. */
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import type { App } from "#lib/app.ts";
import { isReleaseNamespaceName } from "#lib/moodle/names.ts";
import { createFederation } from "#lib/domains/federations/create.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { listReconcileFindings } from "#test/lib/recovery/adoption/restored-database.ts";
import { makeApp, openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { readObjects } from "#test/support/chart.ts";
import { openTestDatabase } from "#test/support/database.ts";
import { RELEASE } from "#test/support/release.ts";
import {
  CLUSTER_ROLE_MANIFEST,
  deleteAsAdmin,
  putAsAdmin,
  requestAsAccount,
  SERVICE_ACCOUNT,
} from "#test/support/service-account.ts";
import { insertUser } from "#test/support/insert-rows.ts";
import { until } from "#test/support/until.ts";

const OTHER = { namespace: "other", name: "other" }, MINUTE = 60_000;

interface Context {
  scene: WorkScene;
  other: App;
  closeOther: () => Promise<void>;
  /** The namespaces of a spoke of each release. */
  own: string;
  others: string;
}

const test = suite<Context>("two releases in one cluster");

/** Returns the manifest of the other release, changed as the head of the file describes. */
async function manifestOfOther(): Promise<Json[]> {
  const text = await readFile(CLUSTER_ROLE_MANIFEST, "utf8");
  return readObjects(
    text.replaceAll(`-${RELEASE}-`, "-other-").replaceAll(
      "serviceaccount:wheelwright:wheelwright",
      "serviceaccount:other:other",
    )
      .replaceAll(/wheelwright-(spoke|namespaces|bindings|volumes|snapshots|issuers|services)\b/g, "other-$1")
      .replaceAll(/name: wheelwright\b(?!-)/g, "name: other").replaceAll("namespace: wheelwright", "namespace: other"),
  );
}

test.before(async (context) => {
  const scene = context.scene = await openWorkScene(), { simulator } = scene;
  await putAsAdmin(simulator, { apiVersion: "v1", kind: "Namespace", metadata: { name: OTHER.namespace } });
  for (const { metadata, ...object } of await manifestOfOther()) {
    const namespace = object["kind"] === "ServiceAccount" ? { namespace: OTHER.namespace } : {};
    await putAsAdmin(simulator, { ...object, metadata: { ...metadata, ...namespace } });
  }
  const db = await openTestDatabase(),
    env = { CLUSTER_ROLE: "other-spoke", RELEASE_ID: "other", ROOT_DOMAIN: "other.example.org" };
  const { app, close } = await makeApp(db, simulator.kubeconfig(OTHER), SILENT_LOG, env);
  context.other = app;
  const replica = await startReplica(app);
  context.closeOther = async () => {
    await replica.close();
    await close();
    await db.close();
  };
  await scene.replica();
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  context.own = (await scene.becomes(id, "active")).namespace;

  const actor = { ...scene.actor, userId: await insertUser(db, "ann@example.org") };
  const hub = await createFederation(app, actor, { slug: "math" } as never, null);
  const shown = (await findFederation(db.rows, hub.id, "shown"))!;
  const spoke = await createSpoke(app, actor, shown, { slug: "algebra", size: "small" } as never, null);
  const row = () => app.db.rows.selectFrom("spokes").selectAll().where("id", "=", spoke.id).executeTakeFirstOrThrow();
  const settled = await until(async () => {
    const { state, stateReason } = await row();
    return state !== "provisioning" && `${state}: ${stateReason}`;
  }, MINUTE);
  assert.is(settled, "active: null");
  context.others = spoke.namespace;
});
test.after(async ({ scene, closeOther }) => {
  await closeOther();
  await scene.close();
});

test("each makes its hubs and spokes, of the same names, in namespaces of its own", ({ scene, own, others }) => {
  assert.equal([isReleaseNamespaceName(own, RELEASE), isReleaseNamespaceName(own, "other")], [true, false]);
  assert.equal([isReleaseNamespaceName(others, RELEASE), isReleaseNamespaceName(others, "other")], [false, true]);
  for (const binding of scene.simulator.objects("RoleBinding")) {
    const { namespace } = binding.metadata,
      account = isReleaseNamespaceName(namespace!, "other") ? OTHER : SERVICE_ACCOUNT;
    assert.is(binding["subjects"][0].name, `system:serviceaccount:${account.namespace}:${account.name}`);
  }
});

test("none can touch what is the other's", async ({ scene: { simulator }, own, others }) => {
  const RBAC = "rbac.authorization.k8s.io";
  for (const [account, theirs] of [[SERVICE_ACCOUNT, others], [OTHER, own]] as const) {
    const path = `/api/v1/namespaces/${theirs}`;
    const subjects = [{
      apiGroup: RBAC,
      kind: "User",
      name: `system:serviceaccount:${account.namespace}:${account.name}`,
    }];
    const roleRef = {
      apiGroup: RBAC,
      kind: "ClusterRole",
      name: account === OTHER ? "other-spoke" : "wheelwright-spoke",
    };
    const calls: [string, string, Json][] = [
      ["DELETE", path, undefined],
      ["PATCH", path, { metadata: { labels: { note: "x" } } }],
      ["GET", `${path}/secrets/moodle`, undefined],
      ["POST", `/apis/${RBAC}/v1/namespaces/${theirs}/rolebindings`, { metadata: { name: "b" }, roleRef, subjects }],
    ];
    for (const [method, path, body] of calls) {
      assert.is(
        (await requestAsAccount(simulator, method, path, body, account)).status,
        403,
        `${account.name}: ${method} ${path}`,
      );
    }
    const kept = simulator.objects("Namespace").find(({ metadata }) => metadata.name === theirs)!;
    assert.not.ok(kept.metadata.deletionTimestamp || kept.metadata.labels!["note"]);
  }
});

test("each finds its own alone: the sweep, and doctor --reconcile", async ({ scene, other, own, others }) => {
  for (const [app, mine, theirs] of [[scene.app, own, others], [other, others, own]] as const) {
    await lookOnce(app);
    const { health, namespace } = await app.db.rows.selectFrom("spokes").select(["health", "namespace"])
      .executeTakeFirstOrThrow();
    assert.equal([health, namespace], ["healthy", mine]);
    const lines = (await listReconcileFindings(app)).join("\n");
    assert.not.match(lines, theirs);
    assert.match(lines, "agreement: 1 hub and 1 spoke match the database");
  }
});

test("what an uninstalled release leaves gives no right to one that is installed later", async ({ scene: { simulator }, own, others }) => {
  for (const object of await manifestOfOther()) {
    if (object.kind === "ClusterRole") await deleteAsAdmin(simulator, object);
  }
  const left = simulator.objects("RoleBinding").filter(({ metadata }) => metadata.namespace === others);
  assert.is(left.length, 1, "helm uninstall leaves it");
  const secrets = await requestAsAccount(simulator, "GET", `/api/v1/namespaces/${others}/secrets/moodle`);
  assert.is(secrets.status, 403);
  const mine = await requestAsAccount(simulator, "GET", `/api/v1/namespaces/${own}/secrets/moodle`);
  assert.is(mine.status, 200);
});

test.run();
