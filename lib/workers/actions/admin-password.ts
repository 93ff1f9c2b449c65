/**
 * Sets a new password for a site's account `admin`, first in a Secret and then in Moodle. The Secret also keeps the
 * previous password until Moodle accepts the new one. Passwords are never written to the database, logs or notes.
 */
import type { App } from "#lib/app.ts";
import { PASSWORD_OPERATION_ANNOTATION } from "#lib/moodle/names.ts";
import { parsePasswordResetResult, type PasswordResetResult } from "#lib/moodle/job-results.ts";
import { generateSitePassword } from "#lib/moodle/secrets.ts";
import {
  ClusterError,
  type JobResult,
  type KubeObject,
  type ObjectRef,
  type PatchOperation,
} from "#lib/drivers/cluster/cluster.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import {
  deleteFinishedJob,
  type JobContext,
  requireCompleteLog,
  requireJobSuccessAndDelete,
  runJob,
} from "#lib/steps/site-jobs.ts";
import { patchSiteObject } from "#lib/steps/workloads.ts";
import { addNotes } from "#lib/steps/site.ts";
import { siteTaskHandler } from "#lib/workers/actions/tasks.ts";

const ADMIN: ObjectRef = { apiVersion: "v1", kind: "Secret", name: "admin" };
const KEY = "ADMIN_PASSWORD", PREVIOUS_KEY = "ADMIN_PASSWORD_BEFORE";
const OPERATION_ANNOTATION = `/metadata/annotations/${PASSWORD_OPERATION_ANNOTATION.replaceAll("/", "~1")}`;
const RESET_FAILED = "The administrator's password could not be set";
export const ACCOUNT_UNUSABLE = "AccountUnusable";
const LINK_MAILED = "The site has emailed its administrator a link to choose a password";

export function resetAdminPassword(app: App): JobHandler {
  return siteTaskHandler(app, OPERATIONS["reset-admin-password"], {
    secret: (site, run) => patchSiteObject(site, run, ADMIN, (secret) => createPasswordPatch(secret, run.job.id)),
    async account(site, run) {
      const { mailed } = await applyAdminPassword(site, run);
      await patchSiteObject(site, run, ADMIN, removePreviousPassword);
      await addNotes(run, [
        mailed ? LINK_MAILED : `The new password is in the Secret "admin": ${readSecretCommand(site)}`,
      ]);
    },
  });
}

/**
 * Returns a patch that adds a new password to the Secret, once per operation. If an earlier operation failed halfway,
 * Moodle may have either of the two stored passwords, so the patch keeps both.
 */
function createPasswordPatch({ metadata, data }: KubeObject, operation: string): PatchOperation[] {
  if (metadata.annotations?.[PASSWORD_OPERATION_ANNOTATION] === operation) return [];
  const mark: PatchOperation = { op: "add", path: OPERATION_ANNOTATION, value: operation };
  if (data?.[PREVIOUS_KEY] !== undefined) return [mark];
  const keep: PatchOperation[] = data?.[KEY] === undefined
    ? [{ op: "add", path: "/data", value: data ?? {} }] // someone emptied the Secret
    : [{ op: "add", path: `/data/${PREVIOUS_KEY}`, value: data[KEY] }];
  return [...keep, { op: "add", path: `/data/${KEY}`, value: btoa(generateSitePassword()) }, mark];
}

function removePreviousPassword({ data = {} }: KubeObject): PatchOperation[] {
  return data[PREVIOUS_KEY] === undefined ? [] : [{ op: "remove", path: `/data/${PREVIOUS_KEY}` }];
}

/**
 * Changes the password of the Moodle account `admin` to the password in the Secret. Throws a permanent ClusterError on
 * failure, for example `AccountUnusable`.
 */
export async function applyAdminPassword(context: JobContext, run: JobRun): Promise<PasswordResetResult> {
  const result = await runJob(context, run, "password");
  const reset = parsePasswordResetResult(result.log);
  if (reset.refused !== null) {
    await deleteFinishedJob(context, run, result);
    throw refusalError(reset.refused, context, result);
  }
  await requireJobSuccessAndDelete(context, run, result, RESET_FAILED);
  if (reset.agreed) return reset;
  await requireCompleteLog(context, run, result);
  throw incompleteError(result);
}

/** Creates the error for an `admin` account that administrators must repair before its password can be set. */
function refusalError(reason: string, context: JobContext, { log }: JobResult): ClusterError {
  return new ClusterError(ACCOUNT_UNUSABLE, `${RESET_FAILED} because ${reason}`, {
    transient: false,
    blame: "user",
    hint: 'Repair the account "admin" on the site, then reset its password again. ' +
      `Until then, its previous password is ${PREVIOUS_KEY} in the Secret "admin": ${readSecretCommand(context)}`,
    evidence: { log, events: [] },
  });
}

function incompleteError({ log }: JobResult): ClusterError {
  return new ClusterError("PasswordNotProven", `${RESET_FAILED} because its Job ended early`, {
    transient: false,
    blame: "operator",
    hint: "Read the last lines of the Job's log. Its last line must be the result of the blueprint's password.php.",
    evidence: { log, events: [] },
  });
}

function readSecretCommand({ space }: JobContext): string {
  return `kubectl get secret admin -n ${space.namespace} -o yaml`;
}
