/**
 * Checks whether the sites of a hub can use an identity provider. A Job in the namespace of one site asks it with Moodle's
 * own means, so that the network policy and Moodle's list of blocked hosts apply as they do at a sign-in.
 */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import { Fault } from "#lib/base/errors.ts";
import { createRandomHex } from "#lib/base/ids.ts";
import { SECOND } from "#lib/base/time.ts";
import { applyCurrentSettings } from "#lib/catalog/inputs.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SignInCheckResult } from "#lib/domains/policy/views.ts";
import { redactClusterMessage } from "#lib/domains/spokes/cluster-message.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { ClusterError, type ClusterNamespace, type JobResult, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { registersClient } from "#lib/moodle/sign-on.ts";

const JOB_SUFFIX = "0"; // in the place of the fence, because all these Jobs have the same name
const TIME_SHARE = 0.6; // share of the request's time limit; the rest is for cleanup
const CLEANUP_TIMEOUT = 3 * SECOND;
const REFUSED = "refused: ";

/**
 * Checks the provider. Throws a fault: `invalid` (`sign_in_incomplete`), `conflict` (`spoke_state` or
 * `check_in_progress`), `unavailable` (`cluster_unavailable`) or `timeout`.
 */
export async function checkSignIn(
  app: App,
  actor: Pick<Actor, "role">,
  hub: FederationRow,
  request: { readonly issuer?: string | undefined; readonly registers?: boolean | undefined },
  signal: AbortSignal,
): Promise<SignInCheckResult> {
  const values = hub.policy?.signIn?.values, issuer = request.issuer ?? values?.issuer;
  if (issuer === undefined) throw new Fault("invalid", "sign_in_incomplete", "The hub has no issuer; name one");
  const spoke = await app.db.rows.selectFrom("spokes").selectAll().where("federationId", "=", hub.id)
    .where("state", "=", "active").where("maintenance", "=", false).orderBy("createdAt").orderBy("id").limit(1)
    .executeTakeFirst();
  if (!spoke) {
    const message = "A site must check the provider, but the hub has no active spoke; create one first";
    throw new Fault("conflict", "spoke_state", message);
  }
  const registers = request.registers ?? registersClient(values);
  const { succeeded, log } = await runCheck(app, spoke, { issuer, registers }, signal).catch((error) => {
    if (!(error instanceof ClusterError)) throw error;
    app.log.info("A site could not check an identity provider", { spoke: spoke.id, reason: error.message });
    throw toCheckFault(error, actor);
  });
  const refusal = log.findLast((line) => line.startsWith(REFUSED))?.slice(REFUSED.length).trim();
  const isUsable = succeeded && log.some((line) => line.trim() === "usable");
  const problem = isUsable ? null : refusal ?? "the site could not run the check; check its health and try again";
  return { issuer, problem, spokeId: spoke.id };
}

async function runCheck(
  app: App,
  spoke: SpokeRow,
  provider: { readonly issuer: string; readonly registers: boolean },
  signal: AbortSignal,
): Promise<JobResult> {
  const inputs = applyCurrentSettings(app, v.parse(SpokeInputs, spoke.blueprintInputs)),
    request = createRandomHex();
  const job = app.blueprint.jobObject(inputs, "check-sign-in", JOB_SUFFIX, { ...provider, request });
  const space = (await app.clusters.open(spoke.cluster)).space(spoke.namespace, spoke.namespaceUid!);
  try {
    const created = await space.create(job, { signal });
    if (!isOfRequest(created, request)) throw checkRunningFault();
    return await space.follow(job.metadata.name, { signal, timeout: app.config.requestTimeoutMs * TIME_SHARE });
  } finally {
    await deleteCheck(app, space, job, request);
  }
}

function isOfRequest(job: KubeObject, request: string): boolean {
  return JSON.stringify(job["spec"]).includes(request);
}

/** Deletes the Job. Also called after an aborted request, because the cluster may still have created the Job. */
async function deleteCheck({ log }: App, space: ClusterNamespace, job: KubeObject, request: string): Promise<void> {
  const { apiVersion, kind, metadata: { name } } = job, call = { signal: AbortSignal.timeout(CLEANUP_TIMEOUT) };
  try {
    const found = await space.get({ apiVersion, kind, name }, call);
    if (found && isOfRequest(found, request)) {
      await space.delete({ apiVersion, kind, name }, found.metadata.uid!, call);
    }
  } catch (error) {
    const { namespace } = space;
    log.info("Could not delete the Job that checked a provider; the cluster deletes it later", { namespace, error });
  }
}

function toCheckFault(error: ClusterError, actor: Pick<Actor, "role">): Fault {
  if (error.status === 409) return checkRunningFault(); // the previous Job is still being deleted
  if (error.code === "deadline") {
    const message = "The site did not check the provider in time; try again later";
    return new Fault("timeout", "too_slow", message, { cause: error });
  }
  const message = `The cluster cannot check the provider: ${redactClusterMessage(actor, error)}`;
  return new Fault("unavailable", "cluster_unavailable", message, { cause: error });
}

function checkRunningFault(): Fault {
  const message = "A site of this hub is already checking a provider; try again in a minute";
  return new Fault("conflict", "check_in_progress", message, { retryAfter: 60 });
}
