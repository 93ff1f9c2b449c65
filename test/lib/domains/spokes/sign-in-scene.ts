/** Opens an installed site in a simulated cluster, the API, and users who administer the hub or the spoke. */
import type { ClusterProvider } from "#lib/app.ts";
import type { ClusterNamespace, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { createLog } from "#lib/base/log.ts";
import type { MoodleAccount, SiteDatabase } from "#lib/dev/simulator/programs/moodle/site.ts";
import type { ClientResponse } from "#test/support/client.ts";
import { addHubAdmin, addSpokeAdmin } from "#test/support/users.ts";
import { type CredentialType, openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { selectRows } from "#test/support/rows.ts";

export const NO_ABORT = { signal: new AbortController().signal };
export const SIGN_IN_JOB = { apiVersion: "batch/v1", kind: "Job", name: "sign-in-link-0" };

export interface SignInScene {
  readonly work: WorkScene;
  readonly scene: Scene;
  /** The ID of the site's spoke. */
  readonly id: string;
  /** Log entries of the API. */
  readonly logLines: string[];
  /** Requests a link, by default as a hub admin with a session. */
  requestLink(who?: SceneRole | "nobody", means?: CredentialType): Promise<ClientResponse>;
  space(): Promise<ClusterNamespace>;
  /** Returns the objects of this kind in the site's namespace. */
  objects(kind: string): KubeObject[];
  /** Returns the number of Jobs that were created for links. */
  countCreatedJobs(): number;
  database(): SiteDatabase;
  account(): MoodleAccount | undefined;
  /** Changes the site's database while the work runs. */
  withDatabaseChange(change: (database: SiteDatabase) => SiteDatabase, work: () => Promise<void>): Promise<void>;
  /** Runs this once, after a request was authorized and before its first call to the cluster. */
  beforeClusterCall(work: () => Promise<unknown>): void;
  /** Returns the audit events of created links. */
  listAuditEvents(): Promise<{ actorId: string; metadata: Record<string, unknown> }[]>;
  close(): Promise<void>;
}

/** No replica runs jobs, so only the test changes anything. */
export async function openSignInScene(): Promise<SignInScene> {
  const work = await openWorkScene(5), { simulator } = work;
  const hub = await work.hub("math"), id = await work.spoke(hub, "algebra");
  const replica = await work.replica();
  const { namespace, namespaceUid: uid } = await work.becomes(id, "active");
  await replica.close();
  let pending: (() => Promise<unknown>) | null = null;
  const clusters: ClusterProvider = {
    ...work.app.clusters,
    async open(name) {
      const now = pending;
      pending = null;
      await now?.();
      return await work.app.clusters.open(name);
    },
  };
  const lines: string[] = [];
  const log = createLog({ level: "debug", format: "json", write: (line) => void lines.push(line) });
  const scene = await openScene({ world: { db: work.db, clusters, log } });
  await addHubAdmin(work.db, scene.people.hubAdmin, hub.id);
  await addSpokeAdmin(work.db, scene.people.spokeAdmin, id);
  const site = () => simulator.site(namespace);
  return {
    work,
    scene,
    id,
    logLines: lines,
    requestLink: (who = "hubAdmin", means = "session") => scene.as(who, means).post(`/api/spokes/${id}/sign-in-link`),
    space: async () => (await work.app.clusters.open("default")).space(namespace, uid!),
    objects: (kind) => simulator.objects(kind).filter(({ metadata }) => metadata.namespace === namespace),
    countCreatedJobs: () =>
      simulator.history().filter(({ type, kind, name }) =>
        type === "ADDED" && kind === "Job" && name === SIGN_IN_JOB.name
      )
        .length,
    database: () => site().database!,
    account: () => site().database!.accounts!["admin"],
    async withDatabaseChange(change, work) {
      const before = site().database!;
      site().saveDatabase(change(before));
      await work();
      site().saveDatabase(before);
    },
    beforeClusterCall: (work) => void (pending = work),
    listAuditEvents: () =>
      selectRows(work.db, "audit_events", { kind: "spoke_sign_in_link_created" }, {
        columns: ["actorId", "metadata"],
        orderBy: "at",
      }) as never,
    async close() {
      await scene.close();
      await work.close();
    },
  };
}

/** Returns a change of the administrator's account. */
export function changeAdmin(to: Partial<MoodleAccount>): (database: SiteDatabase) => SiteDatabase {
  return (database) => {
    const accounts = database.accounts!;
    return { ...database, accounts: { ...accounts, admin: { ...accounts["admin"]!, ...to } } };
  };
}
