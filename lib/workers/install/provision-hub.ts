/** Creates a hub: its namespace, the objects that store its settings, and the ClusterIssuer for its certificates. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { createJobHandler, type JobHandler, type JobRun } from "#lib/scheduler/handler.ts";
import { hubProvisionOutcomes } from "#lib/steps/outcomes.ts";
import { createOrApplyWithFence } from "#lib/steps/fenced-objects.ts";
import { writeSiteRecord } from "#lib/steps/site-record.ts";
import { saveClusterIdentity } from "#lib/steps/same-cluster.ts";
import { type HubSite, openHubSite, permanentError } from "#lib/steps/site.ts";

export function provisionHub(app: App): JobHandler {
  return createJobHandler(OPERATIONS["provision-hub"].kind, (run: JobRun) => openHubSite(app, run), {
    namespace: createNamespace,
    async settings({ app, hub, blueprint, inputs, space }, run) {
      await writeSiteRecord(app, run, "federations", hub.id);
      for (const object of blueprint.hubObjects(inputs, "settings")) {
        await createOrApplyWithFence(space, object, run.job, run);
      }
    },
    issuer: applyIssuer,
  }, { hooks: hubProvisionOutcomes });
}

/**
 * Creates the hub's namespace. If an earlier attempt created the namespace but crashed before storing its UID, finds it
 * by its labels.
 */
async function createNamespace(site: HubSite, run: JobRun): Promise<void> {
  const { blueprint, hub, inputs, cluster } = site;
  const [manifest] = blueprint.hubObjects(inputs, "namespace");
  if (hub.namespaceUid === null) await saveClusterIdentity(site, run);
  const uid = hub.namespaceUid ?? (await cluster.createNamespace(manifest!, run)).uid;
  await run.write((tx) =>
    tx.updateTable("federations").where("id", "=", hub.id).set({
      namespaceUid: sql<string>`coalesce(namespace_uid, ${uid})`,
      updatedAt: sql<Date>`wheelwright_now()`,
    }).execute()
  );
}

async function applyIssuer({ blueprint, inputs, cluster }: HubSite, run: JobRun): Promise<void> {
  const issuers = blueprint.hubObjects(inputs, "issuer");
  if (issuers.length === 0) return;
  const [{ apiVersion, kind }] = issuers as [(typeof issuers)[number]];
  if (!await cluster.serves({ apiVersion, kind }, run)) {
    throw permanentError(
      "NoCertManager",
      `The cluster's API does not have the kind ${kind} (${apiVersion})`,
      "Install cert-manager, or remove ACME_EMAIL from the configuration; then retry.",
    );
  }
  await cluster.applyGlobal(issuers, run);
}
