/**
 * The ways that docs/restoring.md tells, gone step by step on the simulated cluster: what kubectl does there, its API
 * does here.
 */
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseAllDocuments } from "yaml";
import { silent } from "#lib/base/log.ts";
import type { Cluster, KubeObject, Space } from "#lib/drivers/cluster/cluster.ts";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import { acceptAction } from "#lib/domains/spokes/actions.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { removeSpoke } from "#lib/domains/spokes/remove.ts";
import { openWorkScene, type WorkScene } from "#test/lib/work/scene.ts";
import { until } from "#test/support/until.ts";

const SNAPSHOT = { apiVersion: "snapshot.storage.k8s.io/v1", kind: "VolumeSnapshot" };
const CLAIM = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
const CLAIMS = ["files", "data-db-0"];
const call = { signal: AbortSignal.timeout(60_000) };

/** `person` is who has kubectl, and may do everything. */
const test = suite<{ scene: WorkScene; person: Cluster; id: string; page: string }>("docs/restoring.md");
test.before.each(async (context) => {
  const scene = context.scene = await openWorkScene();
  const kubeconfig = { text: scene.simulator.kubeconfig() };
  context.person = await openCluster({ name: "default", kubeconfig, log: silent });
  context.page = await readFile(new URL("../../docs/restoring.md", import.meta.url), "utf8");
  context.id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.replica();
  await scene.becomes(context.id, "active");
  mark(scene, await scene.row(context.id), "as it was");
  await ask(scene, context.id, "backup");
});
test.after.each(async ({ scene, person }) => {
  await person.close();
  await scene.close();
});

test("leads back to what a spoke was when its backup was taken", async ({ scene, person, id, page }) => {
  const before = await scene.row(id), space = spaceOf(person, before);
  mark(scene, before, "broken");
  const [backup] = await scene.db.sql("select id from backups where spoke_id = $1 and state = 'ready'", [id]);
  await ask(scene, id, "suspend");

  assert.match(page, "-l wheelwright.dev/backup=$BACKUP");
  const snapshots = await space.list(SNAPSHOT, `wheelwright.dev/backup=${backup.id}`, call);
  for (const claim of CLAIMS) {
    const snapshot = snapshots.find(({ spec }) => spec.source.persistentVolumeClaimName === claim)!;
    await replaceClaim(scene, space, claim, snapshot.metadata.name);
  }
  await ask(scene, id, "resume");
  assert.is(marked(scene, before), "as it was");
  assert.equal([(await scene.row(id)).state, (await scene.row(id)).siteIdentifier], [
    "active",
    before.siteIdentifier,
  ]);
  await ask(scene, id, "reapply"); // which refuses the data of another site, and whatever is not as it should be
});

test("leads to a new spoke with the data of one that is gone", async ({ scene, person, id, page }) => {
  const old = await scene.row(id), identifier = old.siteIdentifier!;
  const [backup] = await scene.db.sql("select volumes from backups where spoke_id = $1 and state = 'ready'", [id]);
  await removeSpoke(scene.app, scene.actor, old);
  await until(async () =>
    (await scene.operations(id)).some(({ kind, state }) => kind === "remove" && state === "succeeded")
  );

  const next = await scene.spoke(await scene.hub("physics"), "algebra");
  const row = await scene.becomes(next, "active"), space = spaceOf(person, row);
  await ask(scene, next, "suspend");
  for (const { claim, handle, driver, class: snapshotClass } of backup.volumes) {
    const name = `restored-${claim}`;
    await person.applyGlobal(
      [fromPage(page, "VolumeSnapshotContent", { name, driver, snapshotClass, handle, row })],
      call,
    );
    await space.apply([fromPage(page, "VolumeSnapshot", { name, driver, snapshotClass, handle, row })], call);
    await until(async () => (await space.get({ ...SNAPSHOT, name }, call))?.["status"]?.readyToUse === true);
    await replaceClaim(scene, space, claim, name);
  }
  const database = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" };
  await space.patch(database, [{ op: "replace", path: "/spec/replicas", value: 1 }], call);
  const secret = await space.get({ apiVersion: "v1", kind: "Secret", name: "moodle" }, call);
  const password = Buffer.from(secret!["data"].DB_PASS, "base64").toString();
  await until(() => scene.simulator.site(row.namespace).database !== null);
  const site = scene.simulator.site(row.namespace);
  site.saveDatabase({ ...site.database!, password }); // alter role
  await scene.db.sql("update spokes set site_identifier = $1 where id = $2", [identifier, next]);
  await ask(scene, next, "resume");
  assert.is(marked(scene, row), "as it was");
  await ask(scene, next, "reapply");
});

async function ask(scene: WorkScene, id: string, action: SpokeActionName): Promise<void> {
  await scene.db.transact((tx) => acceptAction(scene.app, tx, scene.actor, id, { action, wish: {} }));
  const { state, failure } = await scene.ended(id, action);
  assert.is(state, "succeeded", failure?.message);
}

function spaceOf(person: Cluster, row: SpokeRow): Space {
  return person.space(row.namespace, row.namespaceUid!);
}

/**
 * What kubectl makes of the claim that is there. It is kubectl's: what we make ourselves we would take for the
 * blueprint's.
 */
async function replaceClaim({ simulator }: WorkScene, space: Space, name: string, snapshot: string): Promise<void> {
  const { apiVersion, kind, metadata, spec } = (await space.get({ ...CLAIM, name }, call))!;
  const { accessModes, storageClassName, resources } = spec;
  const dataSource = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: snapshot };
  await space.delete({ ...CLAIM, name }, metadata.uid!, call);
  await space.gone([{ ...CLAIM, name }], { ...call, timeout: 30_000 });
  const claims = `/api/v1/namespaces/${space.namespace}/persistentvolumeclaims?fieldManager=kubectl-create`;
  const made = await fetch(new URL(claims, simulator.url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      apiVersion,
      kind,
      metadata: { name, labels: metadata.labels },
      spec: { accessModes, storageClassName, resources, dataSource },
    }),
  });
  assert.is(made.status, 201, await made.text());
}

interface Names {
  readonly name: string;
  readonly driver: string;
  readonly snapshotClass: string;
  readonly handle: string;
  readonly row: SpokeRow;
}

/** The object of this kind as the page has it, with its words filled in. */
function fromPage(page: string, kind: string, { name, driver, snapshotClass, handle, row }: Names): KubeObject {
  const [, yaml] = /```yaml\n(.*?)```/s.exec(page)!;
  const text = yaml!.replace(/^ {3}/gm, "").replaceAll("restored-files", name).replace("DRIVER", driver)
    .replaceAll("CLASS", snapshotClass).replace("HANDLE", handle).replaceAll("NAMESPACE", row.namespace);
  return parseAllDocuments(text).map((document) => document.toJS()).find((object) => object.kind === kind);
}

function mark({ simulator }: WorkScene, { namespace }: SpokeRow, text: string): void {
  const site = simulator.site(namespace);
  site.saveDatabase({ ...site.database!, config: { ...site.database!.config, marked: text } });
}

function marked({ simulator }: WorkScene, { namespace }: SpokeRow): string | undefined {
  return simulator.site(namespace).database?.config?.marked;
}

test.run();
