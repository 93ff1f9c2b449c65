/** What is passed down: everything a domain may need and nothing that it could find by itself. Built in src/compose.ts. */
import type { Blueprint } from "#lib/moodle/load.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { Cluster } from "#lib/drivers/cluster/cluster.ts";
import type { Config } from "#lib/base/config.ts";
import type { PasswordHasher } from "#lib/drivers/crypto/password.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import type { Dns } from "#lib/drivers/dns/dns.ts";
import type { Feeds } from "#lib/events/feed.ts";
import type { DatabaseHoldWatch } from "#lib/installation/database-hold.ts";
import type { LoginAttempts } from "#lib/base/limits/login-attempts.ts";
import type { Log } from "#lib/base/log.ts";
import type { Notice } from "#lib/base/notice.ts";
import type { Telemetry } from "#lib/base/telemetry.ts";
import type { Payments } from "#lib/drivers/payments/payments.ts";

/** The clusters that spokes can be placed on, by the name that a hub or spoke row remembers. */
export interface Clusters {
  /** The name of the cluster for a region of the catalogue; the only one where there is no catalogue. */
  clusterFor(region: string | null): string;
  /** Opens it on first use; throws a ClusterError `unknown_cluster` for a name that is no longer configured. */
  open(name: string): Promise<Cluster>;
}

export interface ProgramRelease {
  /** The version of the API, `v0`. */
  readonly api: string;
  /** The program's own version, as in package.json. */
  readonly version: string;
  /** The commit that it was built from, or `unknown`. */
  readonly commit: string;
}

export interface App {
  readonly config: Config;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly db: Database;
  /** The hubs' event streams, shared by their readers on this replica. */
  readonly feeds: Feeds;
  readonly clusters: Clusters;
  readonly dns: Dns;
  /** Hashes and judges passwords, a few at a time. */
  readonly passwords: PasswordHasher;
  /** Slows guessing at one account. */
  readonly loginAttempts: LoginAttempts;
  readonly blueprint: Blueprint;
  readonly catalog: Catalog;
  /** The payment provider; null where none is connected. */
  readonly payments: Payments | null;
  /** What is announced: deprecations and limits, in the order of their announcement. */
  readonly notices: readonly Notice[];
  readonly release: ProgramRelease;
  /** Since when no operation runs because the database was restored from a backup; null where it was not. */
  readonly held: DatabaseHoldWatch["current"];
}
