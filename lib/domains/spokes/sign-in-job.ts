/**
 * Creates a sign-in link by running a Job in the site's namespace. The Job's output is encrypted for this request,
 * because others can read logs in the cluster. The Job's name is fixed, so that only one Job runs at a time. The Job is
 * deleted once its output has been read.
 */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { applyCurrentSettings } from "#lib/catalog/inputs.ts";
import { ClusterError, type ClusterNamespace, type JobResult, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { redactLogLines } from "#lib/base/redact.ts";
import { createSealedReply, type SealedReply } from "#lib/drivers/crypto/sealed-reply.ts";
import { Fault } from "#lib/base/errors.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { redactClusterMessage } from "#lib/domains/spokes/cluster-message.ts";
import type { Log } from "#lib/base/log.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { SECOND } from "#lib/base/time.ts";

const JOB_SUFFIX = "0"; // in the place of the fence, because all these Jobs have the same name
const TIME_SHARE = 0.6; // share of the request's time limit; the rest is for cleanup and recording
const CLEANUP_TIMEOUT = 3 * SECOND;
const MAX_EXPIRY = 253_402_300_799; // the largest timestamp, in seconds since 1970
const MAX_LOG_LINES = 5;

/** The Job's output: the token that Moodle created, and its expiry time in seconds since 1970. */
const Answer = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    token: v.pipe(v.string(), v.regex(/^[A-Za-z0-9]{32}$/)), // it becomes part of a URL
    expires: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_EXPIRY)),
  }),
);
type SiteAnswer = v.InferOutput<typeof Answer>;

const OTHER_ADMIN_HINT = "another site administrator must fix this account first; reset-admin-password does not help";
/** The refusal codes that sign-in-link.php can print, with the reason for the refusal and what to do. */
const REFUSALS: Readonly<Record<string, readonly [why: string, next: string]>> = {
  page: [
    "the site redirects forgotten passwords to another page",
    "turn that off on the site (forgottenpasswordurl), or run reset-admin-password",
  ],
  missing: ["the site's admin account was renamed or deleted", OTHER_ADMIN_HINT],
  suspended: ["the site's admin account is suspended", OTHER_ADMIN_HINT],
  closed: ["the site's admin account is not allowed to sign in", OTHER_ADMIN_HINT],
  elsewhere: ["the site's admin account signs in with an external service", OTHER_ADMIN_HINT],
};

/**
 * Creates a sign-in link in a site. Throws a fault: `conflict` (`link_in_progress` or `admin_unusable`), `unavailable`
 * (`link_failed` or `cluster_unavailable`) or `timeout`.
 */
export async function runSignInLinkJob(
  app: App,
  actor: Pick<Actor, "role">,
  spoke: SpokeRow,
  signal: AbortSignal,
): Promise<SiteAnswer> {
  const seal = createSealedReply(), { log } = app;
  const result = await runLinkJob(app, spoke, seal, signal).catch((error) => {
    if (!(error instanceof ClusterError)) throw error;
    log.info("Could not create a sign-in link in the cluster", { spoke: spoke.id, reason: error.message });
    throw toFault(error, actor);
  });
  const lastLineAfter = (mark: string) =>
    result.log.findLast((line) => line.startsWith(mark))?.slice(mark.length).trim();
  const refusalCode = lastLineAfter("refused: "),
    refusal = refusalCode === undefined ? undefined : REFUSALS[refusalCode];
  if (refusal) {
    throw new Fault("conflict", "admin_unusable", `Cannot create a sign-in link because ${refusal[0]}; ${refusal[1]}`);
  }
  const answer = v.safeParse(Answer, result.succeeded ? seal.open(lastLineAfter("sealed: ") ?? "") : null);
  if (answer.success) return answer.output;
  logFailure(log, spoke, result);
  const message = "The site could not create a sign-in link; check its health and try again";
  throw new Fault("unavailable", "link_failed", message, { retryAfter: 30 });
}

async function runLinkJob(app: App, spoke: SpokeRow, seal: SealedReply, signal: AbortSignal): Promise<JobResult> {
  const inputs = applyCurrentSettings(app, v.parse(SpokeInputs, spoke.blueprintInputs));
  const job = app.blueprint.jobObject(inputs, "sign-in-link", JOB_SUFFIX, { linkKey: seal.publicKey });
  const space = (await app.clusters.open(spoke.cluster)).space(spoke.namespace, spoke.namespaceUid!);
  try {
    const created = await space.create(job, { signal });
    if (!belongsToRequest(created, seal)) throw linkRunningFault();
    return await space.follow(job.metadata.name, { signal, timeout: app.config.requestTimeoutMs * TIME_SHARE });
  } finally {
    await deleteJob(space, job, seal, app.log);
  }
}

/** Returns whether this request created the Job: the Job's spec contains the request's public key. */
function belongsToRequest(job: KubeObject, { publicKey }: SealedReply): boolean {
  return JSON.stringify(job["spec"]).includes(publicKey);
}

/** Deletes the Job. Also called after an aborted request, because the cluster may still have created the Job. */
async function deleteJob(
  space: ClusterNamespace,
  { apiVersion, kind, metadata: { name } }: KubeObject,
  seal: SealedReply,
  log: Log,
) {
  const call = { signal: AbortSignal.timeout(CLEANUP_TIMEOUT) }, ref = { apiVersion, kind, name };
  try {
    const job = await space.get(ref, call);
    if (job && belongsToRequest(job, seal)) await space.delete(ref, job.metadata.uid!, call);
  } catch (error) {
    const { namespace } = space;
    log.info("Could not delete the Job for a sign-in link; the cluster deletes it later", { namespace, name, error });
  }
}

/** Logs a failed Job. The logged output contains no usable token. */
function logFailure(log: Log, spoke: SpokeRow, { reason: refusal, exitCode, log: lines }: JobResult): void {
  const output = redactLogLines(lines.filter((line) => !line.startsWith("sealed: ")).slice(-MAX_LOG_LINES));
  log.warn("A site could not create a sign-in link", { spoke: spoke.id, reason: refusal, exitCode, output });
}

function toFault(error: ClusterError, actor: Pick<Actor, "role">): Fault {
  if (error.status === 409) return linkRunningFault(); // the previous Job is still being deleted
  if (error.code === "deadline") {
    const message = "The site did not create the sign-in link in time; try again later";
    return new Fault("timeout", "too_slow", message, { cause: error });
  }
  const message = `The cluster cannot create a sign-in link: ${redactClusterMessage(actor, error)}`;
  return new Fault("unavailable", "cluster_unavailable", message, { cause: error });
}

function linkRunningFault(): Fault {
  const message = "A sign-in link for this site is already being created; try again in a minute";
  return new Fault("conflict", "link_in_progress", message, { retryAfter: 60 });
}
