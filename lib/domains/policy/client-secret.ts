/**
 * Stores the client secret and the registration token of a hub's identity provider in the Kubernetes Secret `identity` of
 * the hub's namespace. The database has only their names in that Secret. Each secret gets a new name before the version that names it is
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
import { SECRET_FIELDS } from "#lib/model/policy-text.ts";
import { parseClientSecretTime, registersClient } from "#lib/moodle/sign-on.ts";

const SECRET = { apiVersion: "v1", kind: "Secret", name: "identity" };
/**
 * How long a secret that no version names is kept. After the restore of an older database, the hub's record in the
 * cluster may still name it.
 */
const UNUSED_AGE = 30 * DAY;
/** The maximum number of such secrets, so that refused requests cannot fill the Kubernetes Secret. */
const MAX_UNUSED = 20;
type SecretField = (typeof SECRET_FIELDS)[number];
/** The words for each secret, and the beginning of its name in the Kubernetes Secret. */
const SECRETS: Readonly<Record<SecretField, readonly [words: string, prefix: string]>> = {
  clientSecret: ["client secret", "client-secret"],
  registrationToken: ["registration token", "registration-token"],
};

const REQUIRED = { issuer: "an issuer", clientId: "a client ID", clientSecret: "a client secret" } as const;
const REQUIRED_FIELDS = Object.keys(REQUIRED) as (keyof typeof REQUIRED)[];

/** Returns the sentences that say why the new version's sign-in cannot work. */
export function listSignInProblems({ before, after, sections }: PolicyChange): readonly string[] {
  const values = after.signIn?.values ?? {}, old = before.signIn?.values ?? {};
  if (!sections.includes("signIn")) return [];
  const required = registersClient(values) ? ["issuer" as const] : REQUIRED_FIELDS;
  const missing = required.filter((field) => values[field] === undefined);
  if (missing.length === REQUIRED_FIELDS.length) return [];
  if (missing.length > 0) return [`The sign-in needs ${missing.map((field) => REQUIRED[field]).join(" and ")}`];
  if (old.issuer === values.issuer) return [];
  return SECRET_FIELDS.filter((field) => values[field] !== undefined && values[field] === old[field]).map((field) =>
    `A new issuer needs its ${SECRETS[field][0]}: set both, because sites send it to the issuer`
  );
}

/** Returns the patch for a preview, without the secrets. */
export function hideClientSecret(patch: PolicyPatch, policy: HubPolicy | null): PolicyPatch {
  const hidden = listNewSecrets(patch, policy).map(([field]) => [field, `a new ${SECRETS[field][0]}`]);
  return hidden.length === 0 ? patch : { ...patch, signIn: { ...patch.signIn, ...Object.fromEntries(hidden) } };
}

/** Returns the secrets in the patch, except the names of stored ones: clients may send back what they have read. */
function listNewSecrets({ signIn }: PolicyPatch, policy: HubPolicy | null): [field: SecretField, text: string][] {
  const current = policy?.signIn?.values ?? {};
  return SECRET_FIELDS.flatMap((field) => {
    const text = signIn?.[field];
    return text == null || text === current[field] ? [] : [[field, text]];
  });
}

/**
 * Stores the patch's secrets, and returns the patch with their names. Throws a fault: `conflict`
 * (`federation_state`) or `unavailable` (`cluster_unavailable`).
 */
export async function storeClientSecret(
  app: App,
  actor: Pick<Actor, "role">,
  hub: FederationRow,
  patch: PolicyPatch,
  signal: AbortSignal = AbortSignal.timeout(30_000),
): Promise<PolicyPatch> {
  const secrets = listNewSecrets(patch, hub.policy), current = hub.policy?.signIn?.values ?? {};
  if (secrets.length === 0) return patch;
  if (hub.namespaceUid === null) {
    const message = `Cannot store a client secret for a hub that is ${hub.state}; wait until it is active`;
    throw new Fault("conflict", "federation_state", message);
  }
  try {
    const cluster = await app.clusters.open(hub.cluster), space = cluster.space(hub.namespace, hub.namespaceUid);
    const isSameIssuer = (patch.signIn?.issuer ?? current.issuer) === current.issuer;
    const names: Partial<Record<SecretField, string>> = {};
    for (const [field, text] of secrets) {
      const kept = isSameIssuer ? current[field] : undefined, [, prefix] = SECRETS[field];
      const named = Object.values(names); // a name that no version has yet
      names[field] = await writeSecret(app.db.rows, hub.id, space, { text, kept, prefix, named }, signal);
    }
    return { ...patch, signIn: { ...patch.signIn, ...names } };
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    app.log.info("The cluster could not store a client secret", { federation: hub.id, reason: error.message });
    const message = `Cannot store the client secret in the cluster: ${redactClusterMessage(actor, error)}`;
    throw new Fault("unavailable", "cluster_unavailable", message, { cause: error });
  }
}

const ATTEMPTS = 5;

interface NewSecret {
  readonly text: string;
  /** The name of the stored secret, if the new one may be the same. */
  readonly kept: string | undefined;
  readonly prefix: string;
  /** Names that are in use, though no version has them yet. */
  readonly named: readonly string[];
}

/** Writes the text under a new name, and removes unused entries. Returns `kept` if that entry has the same text. */
async function writeSecret(
  rows: RowQueries,
  federationId: string,
  space: ClusterNamespace,
  { text, kept = "", prefix, named }: NewSecret,
  signal: AbortSignal,
): Promise<string> {
  for (let attempt = 1;; attempt++) {
    const found = await space.get(SECRET, { signal });
    if (!found) throw new ClusterError("NotFound", `The Secret ${SECRET.name} is missing`, { transient: false });
    const stored: Readonly<Record<string, string>> = found["data"] ?? {};
    if (stored[kept] === encode(text)) return kept;
    const name = `${prefix}-${Date.now()}-${createRandomHex()}`;
    const unused = (await listUnusedSecrets(rows, federationId, Object.keys(stored))).filter((each) =>
      !named.includes(each)
    );
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
  const { rows: used } = await sql<{ secret: string | null; token: string | null }>`
    select signs.values ->> 'clientSecret' as secret, signs.values ->> 'registrationToken' as token from (
      select values from policy_versions where federation_id = ${federationId} and section = 'signIn'
      union all
      select policy #> '{signIn,values}' from federations where id = ${federationId}
      union all
      select blueprint_inputs #> '{shared,signIn,values}' from spokes
        where federation_id = ${federationId} and state <> 'removed'
    ) as signs (values)`.execute(rows);
  const names = used.flatMap(({ secret, token }) => [secret, token]);
  const unused = stored.flatMap((name) => {
    const time = names.includes(name) ? null : parseClientSecretTime(name);
    return time === null ? [] : [{ name, time }];
  }).sort((one, other) => other.time - one.time);
  return unused.filter(({ time }, i) => i >= MAX_UNUSED || Date.now() - time > UNUSED_AGE).map(({ name }) => name);
}
