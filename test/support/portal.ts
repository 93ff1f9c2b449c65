/** Runs the whole program on loopback, including the portal. The hub "north" has members and an installed spoke "oak".
 * Only the operator has access to the hub "south". */
import type { App } from "#lib/app.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { findFreePort } from "#test/support/free-port.ts";
import { createTestApp } from "#test/support/app.ts";
import { addHubAdmin, addSpokeAdmin, createTestUser, type TestUser } from "#test/support/users.ts";
import { openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";

export type PortalRole = "operator" | "hubAdmin" | "spokeAdmin";

export interface Portal {
  readonly url: string;
  readonly app: App;
  readonly work: WorkScene;
  readonly people: Readonly<Record<PortalRole, TestUser>>;
  readonly north: FederationRow;
  readonly south: FederationRow;
  /** The ID of the spoke "oak", which belongs to the hub "north". */
  readonly oak: string;
  /** Closes all connections, and accepts no new connections until `listen` is called. */
  cut(): Promise<void>;
  listen(): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds until objects in the simulated cluster are ready. Long enough for pages to show progress. */
const DELAY = 60;

interface PortalOptions {
  /** Whether PUBLIC_URL is the address of the portal, as passkeys require. */
  readonly hasPublicUrl?: boolean;
}

export async function openPortal({ hasPublicUrl = false }: PortalOptions = {}): Promise<Portal> {
  const work = await openWorkScene(DELAY), { db } = work;
  const own = await createTestApp(db), { sitePort } = work.simulator;
  const fixedPort = hasPublicUrl ? await findFreePort() : 0, publicUrl = new URL(`http://localhost:${fixedPort}`);
  const config = { ...own.config, sitePort, ...(hasPublicUrl && { publicUrl }) };
  const app = { ...own, config, clusters: work.app.clusters };
  const scheduler = await startReplica(app);
  const listen = (port: number) =>
    openServer(app, manifest, { isSchedulerReady: () => true }).listen({ host: "127.0.0.1", port });
  const operator = await createTestUser(db, "operator", { operator: true });
  const hubAdmin = await createTestUser(db, "hub-admin"), spokeAdmin = await createTestUser(db, "spoke-admin");
  const north = await work.hub("north"), south = await work.hub("south"), oak = await work.spoke(north, "oak");
  await addHubAdmin(db, hubAdmin, north.id);
  await addSpokeAdmin(db, spokeAdmin, oak);
  await work.becomes(oak, "active");
  let listening = await listen(fixedPort);
  const { port } = listening;
  return {
    url: hasPublicUrl ? publicUrl.origin : `http://127.0.0.1:${port}`,
    app,
    work,
    people: { operator, hubAdmin, spokeAdmin },
    north,
    south,
    oak,
    cut: () => listening.close(0),
    async listen() {
      listening = await listen(port);
    },
    async close() {
      await scheduler.close();
      app.feeds.close();
      await listening.close(0);
      await work.close();
    },
  };
}
