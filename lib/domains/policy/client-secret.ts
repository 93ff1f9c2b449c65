/**
 * Stores the client secret of a hub's identity provider in the Kubernetes Secret `identity` of the hub's namespace. The
 * database has only the secret's name in that Secret. Each secret gets a new name before the version that names it is
 * committed, so a crash in between leaves only an entry that nothing uses. A later change removes such entries.
 */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { Fault } from "#lib/base/errors.ts";
import { createRandomHex } from "#lib/base/ids.ts";
import { DAY } from "#lib/base/time.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { PolicyChange } from "#lib/domains/policy/plan.ts";
import type { PolicyPatch } from "#lib/domains/policy/views.ts";
import { redactClusterMessage } from "#lib/domains/spokes/cluster-message.ts";
import { ClusterError, type ClusterNamespace, type PatchOperation } from "#lib/drivers/cluster/cluster.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import type { HubPolicy } from "#lib/model/policy.ts";
import { parseClientSecretTime } from "#lib/moodle/sign-on.ts";

const SECRET = { apiVersion: "v1", kind: "Secret", name: "identity" };
/**
 * How long a secret that no version names is kept. After the restore of an older database, the hub's record in the
 * cluster may still name it.
 */
const UNUSED_AGE = 30 * DAY;
/** The maximum number of such secrets, so that refused requests cannot fill the Kubernetes Secret. */
const MAX_UNUSED = 20;
/** Stands for a client secret in a preview, which stores nothing. */
const NEW_SECRET = "a new client secret";

const REQUIRED = { issuer: "an issuer", clientId: "a client ID", clientSecret: "a client secret" } as const;
const REQUIRED_FIELDS = Object.keys(REQUIRED) as (keyof typeof REQUIRED)[];

/** Returns the sentences that say why the new version's sign-in cannot work. */
export function listSignInProblems({ before, after, sections }: PolicyChange): readonly string[] {
  const values = after.signIn?.values ?? {}, old = before.signIn?.values ?? {};
  if (!sections.includes("signIn")) return [];
  const missing = REQUIRED_FIELDS.filter((field) => values[field] === undefined);
  if (missing.length === REQUIRED_FIELDS.length) return [];
  if (missing.length > 0) return [`The sign-in needs ${missing.map((field) => REQUIRED[field]).join(" and ")}`];
  const isOldSecret = old.issuer !== values.issuer && old.clientSecret === values.clientSecret;
  return isOldSecret
    ? ["A new issuer needs its client secret: set both, because sites send the secret to the issuer"]
    : [];
}

/** Returns the patch for a preview, without the client secret. */
export function hideClientSecret(patch: PolicyPatch, policy: HubPolicy | null): PolicyPatch {
  const { signIn } = patch;
  if (signIn?.clientSecret == null || signIn.clientSecret === policy?.signIn?.values.clientSecret) return patch;
  return { ...patch, signIn: { ...signIn, clientSecret: NEW_SECRET } };
}

/**
 * Stores the patch's client secret, and returns the patch with the secret's name. Throws a fault: `conflict`
 * (`federation_state`) or `unavailable` (`cluster_unavailable`).
 */
export async function storeClientSecret(
  app: App,
  actor: Pick<Actor, "role">,
  hub: FederationRow,
  patch: PolicyPatch,
  signal: AbortSignal = AbortSignal.timeout(30_000),
): Promise<PolicyPatch> {
  const { signIn } = patch, text = signIn?.clientSecret, current = hub.policy?.signIn?.values ?? {};
  if (text == null) return patch;
  const withName = (clientSecret: string) => ({ ...patch, signIn: { ...signIn, clientSecret } });
  if (text === current.clientSecret) return patch; // a client that sends back what it has read
  if (hub.namespaceUid === null) {
    const message = `Cannot store a client secret for a hub that is ${hub.state}; wait until it is active`;
    throw new Fault("conflict", "federation_state", message);
  }
  try {
    const cluster = await app.clusters.open(hub.cluster), space = cluster.space(hub.namespace, hub.namespaceUid);
    const isSameIssuer = (signIn?.issuer ?? current.issuer) === current.issuer;
    const kept = isSameIssuer ? current.clientSecret : undefined;
    return withName(await writeSecret(app.db.rows, hub.id, space, { text, kept }, signal));
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    app.log.info("The cluster could not store a client secret", { federation: hub.id, reason: error.message });
    const message = `Cannot store the client secret in the cluster: ${redactClusterMessage(actor, error)}`;
    throw new Fault("unavailable", "cluster_unavailable", message, { cause: error });
  }
}

const ATTEMPTS = 5;

/** Writes the text under a new name, and removes unused entries. Returns `kept` if that entry has the same text. */
async function writeSecret(
  rows: RowQueries,
  federationId: string,
  space: ClusterNamespace,
  { text, kept = "" }: { readonly text: string; readonly kept: string | undefined },
  signal: AbortSignal,
): Promise<string> {
  for (let attempt = 1;; attempt++) {
    const found = await space.get(SECRET, { signal });
    if (!found) throw new ClusterError("NotFound", `The Secret ${SECRET.name} is missing`, { transient: false });
    const stored: Readonly<Record<string, string>> = found["data"] ?? {};
    if (stored[kept] === encode(text)) return kept;
    const name = `client-secret-${Date.now()}-${createRandomHex()}`;
    const unused = await listUnusedSecrets(rows, federationId, Object.keys(stored));
    const operations: PatchOperation[] = [
      { op: "test", path: "/metadata/resourceVersion", value: found.metadata.resourceVersion },
      ...(found["data"] ? [] : [{ op: "add", path: "/data", value: {} }] as const),
      { op: "add", path: `/data/${name}`, value: encode(text) },
      ...unused.map((each) => ({ op: "remove" as const, path: `/data/${each}` })),
    ];
    try {
      await space.patch(SECRET, operations, { signal });
      return name;
    } catch (error) {
      // Another request has changed the Secret in the meantime.
      const isChanged = error instanceof ClusterError && (error.status === 422 || error.status === 409);
      if (!isChanged || attempt === ATTEMPTS) throw error;
    }
  }
}

function encode(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

/** Returns the entries to remove: old and surplus ones that neither a version of the hub's policy nor a spoke names. */
async function listUnusedSecrets(
  rows: RowQueries,
  federationId: string,
  stored: readonly string[],
): Promise<readonly string[]> {
  const { rows: used } = await sql<{ name: string | null }>`
    select values ->> 'clientSecret' as name from policy_versions
      where federation_id = ${federationId} and section = 'signIn'
    union all
    select policy #>> '{signIn,values,clientSecret}' from federations where id = ${federationId}
    union all
    select blueprint_inputs #>> '{shared,signIn,values,clientSecret}' from spokes
      where federation_id = ${federationId} and state <> 'removed'`.execute(rows);
  const names = used.map(({ name }) => name);
  const unused = stored.flatMap((name) => {
    const time = names.includes(name) ? null : parseClientSecretTime(name);
    return time === null ? [] : [{ name, time }];
  }).sort((one, other) => other.time - one.time);
  return unused.filter(({ time }, i) => i >= MAX_UNUSED || Date.now() - time > UNUSED_AGE).map(({ name }) => name);
}
