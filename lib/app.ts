/** Defines the application context: the services that every domain uses. src/compose.ts builds it. */
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { Cluster } from "#lib/drivers/cluster/cluster.ts";
import type { Config } from "#lib/base/config.ts";
import type { PasswordHasher } from "#lib/drivers/crypto/password.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import type { DnsClient } from "#lib/drivers/dns/dns.ts";
import type { HubFeeds } from "#lib/events/feed.ts";
import type { DatabaseHoldWatch } from "#lib/installation/database-hold.ts";
import type { LoginAttempts } from "#lib/base/limits/login-attempts.ts";
import type { Log } from "#lib/base/log.ts";
import type { AnnouncedChange } from "#lib/base/notice.ts";
import type { Telemetry } from "#lib/base/telemetry.ts";
import type { Payments } from "#lib/drivers/payments/payments.ts";

/** The clusters that spokes can run on, by the name stored in the rows of hubs and spokes. */
export interface Clusters {
  /** Returns the name of the cluster for a region of the catalog. Without a catalog, there is only one. */
  clusterFor(region: string | null): string;
  /** Opens a cluster on first use. Throws ClusterError `unknown_cluster` if the name is no longer configured. */
  open(name: string): Promise<Cluster>;
}

export interface ProgramRelease {
  /** The version of the API, `v0`. */
  readonly api: string;
  /** The program's own version, as in package.json. */
  readonly version: string;
  /** The commit of the build, or `unknown`. */
  readonly commit: string;
}

export interface App {
  readonly config: Config;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly db: Database;
  /** The hubs' event streams, shared by their readers on this replica. */
  readonly feeds: HubFeeds;
  readonly clusters: Clusters;
  readonly dns: DnsClient;
  /** Hashes and verifies passwords, a few at a time. */
  readonly passwords: PasswordHasher;
  /** Slows down guesses of one account's password. */
  readonly loginAttempts: LoginAttempts;
  readonly blueprint: Blueprint;
  readonly catalog: Catalog;
  /** The payment provider; null if none is connected. */
  readonly payments: Payments | null;
  /** Announced deprecations and limits, in the order of their announcement. */
  readonly notices: readonly AnnouncedChange[];
  readonly release: ProgramRelease;
  /** When operations were held because the database was restored from a backup; null if they are not held. */
  readonly held: DatabaseHoldWatch["current"];
}
