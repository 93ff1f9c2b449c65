/** Defines the application context, which holds the services that every domain uses. Created in src/compose.ts. */
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { Cluster } from "#lib/drivers/cluster/cluster.ts";
import type { Config } from "#lib/base/config.ts";
import type { Cryptography } from "#lib/drivers/crypto/open.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import type { ExternalSystems } from "#lib/external-systems.ts";
import type { HubFeeds } from "#lib/events/feed.ts";
import type { DatabaseHoldWatch } from "#lib/installation/database-hold.ts";
import type { LoginThrottle } from "#lib/base/limits/login-attempts.ts";
import type { Log } from "#lib/base/log.ts";
import type { AnnouncedChange } from "#lib/base/notice.ts";
import type { Telemetry } from "#lib/base/telemetry.ts";

/** The Kubernetes clusters in which spokes (Moodle sites) can run. The row of each hub and spoke names its cluster. */
export interface ClusterProvider {
  /** Returns the name of the cluster for a catalog region: the region's kubeconfig context, or else `default`. */
  clusterFor(region: string | null): string;
  /** Returns a cluster's client. The first call creates it. Throws ClusterError `unknown_cluster` for unknown names. */
  open(name: string): Promise<Cluster>;
}

export interface ProgramRelease {
  /** The API version: `v0`. */
  readonly api: string;
  /** The program's version from package.json. */
  readonly version: string;
  /** The Git commit from which the program was built, or `unknown`. */
  readonly commit: string;
}

export interface App extends Cryptography, ExternalSystems {
  readonly config: Config;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly db: Database;
  /** The event streams of hubs. All clients that follow the same hub on this replica share one stream. */
  readonly feeds: HubFeeds;
  readonly clusters: ClusterProvider;
  /** Limits sign-in attempts per account, to slow down password guessing. */
  readonly loginAttempts: LoginThrottle;
  readonly blueprint: Blueprint;
  readonly catalog: Catalog;
  /** Announced changes to the API, such as deprecations and new limits, sorted by announcement date. */
  readonly notices: readonly AnnouncedChange[];
  readonly release: ProgramRelease;
  /** Returns the hold that a database restore placed on all operations; null if operations are not on hold. */
  readonly held: DatabaseHoldWatch["current"];
}
