/** Uses the library of a hub: the server in the hub's namespace that stores the packages of the hub's courses. */
import { HOUR, SECOND } from "#lib/base/time.ts";
import { readDatabaseTime } from "#lib/drivers/db/clock.ts";
import { ClusterError, type ClusterNamespace } from "#lib/drivers/cluster/cluster.ts";
import { signLibraryTicket } from "#lib/moodle/course-jobs.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { createOrApplyWithFence } from "#lib/steps/fenced-objects.ts";
import { applySiteObjects } from "#lib/steps/site-objects.ts";
import { buildClusterWaitOptions, type HubSite, permanentError, type SpokeSite } from "#lib/steps/site.ts";

const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment", name: "library" };
const SECRET = { apiVersion: "v1", kind: "Secret", name: "library" };
const TICKET_VALIDITY = 2 * HOUR; // longer than the Jobs run
const PORT = 8080;

export interface Library {
  readonly url: string;
  /** Returns a ticket that allows one kind of request. */
  sign(method: "GET" | "PUT", path: string): string;
}

/** Creates the hub's library or brings it up to date, and waits until it is ready. */
export async function prepareLibrary({ blueprint, inputs, space }: HubSite, run: JobRun): Promise<void> {
  await space.create(blueprint.newLibraryKey(inputs), run);
  const quota = blueprint.hubObjects(inputs, "settings").filter(({ kind }) => kind === "ResourceQuota");
  for (const object of [...quota, ...blueprint.hubObjects(inputs, "library")]) {
    await createOrApplyWithFence(space, object, run.job, run);
  }
  await space.ready([DEPLOYMENT], buildClusterWaitOptions(run));
}

/** Opens the library of the spoke's hub. Throws a permanent error if the site cannot reach it. */
export async function openLibrary({ app, cluster, spoke }: SpokeSite, run: JobRun): Promise<Library> {
  const hub = await app.db.rows.selectFrom("federations").select(["cluster", "namespace", "namespaceUid"])
    .where("id", "=", spoke.federationId).executeTakeFirstOrThrow();
  if (hub.cluster !== spoke.cluster) {
    const hint = "Courses can be published from the sites in the hub's cluster only.";
    throw permanentError("LibraryElsewhere", "The hub's library is in another cluster than the site", hint);
  }
  const space = hub.namespaceUid === null ? null : cluster.space(hub.namespace, hub.namespaceUid);
  const key = space && await readKey(space, run);
  if (!key) {
    const hint =
      "Ask an operator to restore the library (wheelwright restore --library --hub HUB), or publish its courses " +
      "again; both create the library again.";
    throw permanentError("NoLibrary", "The hub has no library", hint);
  }
  const expires = Math.ceil(((await readDatabaseTime(app.db.rows)).getTime() + TICKET_VALIDITY) / SECOND);
  return {
    url: `http://library.${hub.namespace}.svc:${PORT}`,
    sign: (method, path) => signLibraryTicket(key, method, path, expires),
  };
}

async function readKey(space: ClusterNamespace, run: JobRun): Promise<string | null> {
  try {
    const encoded: unknown = (await space.get(SECRET, run))?.["data"]?.LIBRARY_KEY;
    return typeof encoded === "string" ? new TextDecoder().decode(Uint8Array.from(atob(encoded), toCode)) : null;
  } catch (error) {
    if (error instanceof ClusterError && error.status === 404) return null;
    throw error;
  }
}

function toCode(letter: string): number {
  return letter.charCodeAt(0);
}

/** Lets the site's Jobs reach the library, also on a site that an older blueprint has created. */
export async function allowLibrary({ blueprint, inputs, space }: SpokeSite, run: JobRun): Promise<void> {
  const policies = blueprint.spokeObjects(inputs, "policies").filter(({ kind, metadata }) =>
    kind === "NetworkPolicy" && metadata.name === "library-egress"
  );
  await applySiteObjects(space, run, policies);
}
