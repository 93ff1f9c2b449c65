/** Creates the program's App object for a test: with a database, but without a cluster and without log output. */
import type { App } from "#lib/app.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { readConfig } from "#lib/base/config.ts";
import { openCryptography } from "#lib/drivers/crypto/open.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { openHubFeeds } from "#lib/events/feed.ts";
import { decideEventVisibility } from "#lib/domains/federations/follow.ts";
import { createLoginThrottle } from "#lib/base/limits/login-attempts.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { NO_TELEMETRY } from "#lib/base/telemetry.ts";
import { openOutgoingClients } from "#lib/drivers/webhooks/open.ts";
import { loadSignInProviders } from "#lib/openid/load.ts";
import { createSignInProviders } from "#lib/openid/providers.ts";
import { openPaymentProvider } from "#lib/drivers/payments/open.ts";
import { readProgramRelease } from "#src/release.ts";
import { builtInBlueprint } from "#test/support/blueprint.ts";

export const SECRETS_KEY = "dGVzdHNlY3JldHNrZXl0ZXN0c2VjcmV0c2tleTEyMzQ=";

/** Creates an App with the configuration variables `env`. A test that opens event streams must close App.feeds. */
export async function createTestApp(db: Database, env: Readonly<Record<string, string>> = {}): Promise<App> {
  const blueprint = await builtInBlueprint();
  const variables = { SECRETS_KEY, ROOT_DOMAIN: "spokes.example.org", TEMPLATES: "off", ...env };
  const config = readConfig({ mode: "dev", env: variables, terminal: false });
  return {
    config,
    log: SILENT_LOG,
    telemetry: NO_TELEMETRY,
    db,
    feeds: openHubFeeds(db, SILENT_LOG, { readVisibility: decideEventVisibility, maxStreams: config.maxStreams }),
    clusters: { clusterFor: () => "default", open: () => Promise.reject(new Error("This test has no cluster")) },
    ...openOutgoingClients(config, readProgramRelease().version).clients,
    ...openCryptography(config.secretsKeys),
    loginAttempts: createLoginThrottle(),
    blueprint,
    catalog: loadCatalog(undefined, blueprint),
    providers: createSignInProviders(await loadSignInProviders(config.signInProviders)),
    payments: config.stripe ? openPaymentProvider(config.stripe) : null,
    notices: [],
    release: readProgramRelease(),
    held: () => null,
  };
}
