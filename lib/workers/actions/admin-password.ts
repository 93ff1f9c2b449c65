/**
 * Sets a new password for the tenant's administrator, first in the Secret, then in the site. The two cannot change at
 * the same moment, so the Secret keeps the previous password until the site accepts the new one. No password is written
 * to a row, log or note.
 */
import type { App } from "#lib/app.ts";
import { PASSWORD_OPERATION_ANNOTATION } from "#lib/moodle/names.ts";
import { parsePasswordReset, type PasswordReset } from "#lib/moodle/job-results.ts";
import { newSitePassword } from "#lib/moodle/secrets.ts";
import {
  ClusterError,
  type JobResult,
  type KubeObject,
  type PatchOperation,
  type Ref,
} from "#lib/drivers/cluster/cluster.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { Handler, Run } from "#lib/scheduler/handler.ts";
import { deleteFinishedJob, type JobContext, requireCompleteLog, requireTask, runJob } from "#lib/workers/site-jobs.ts";
import { patchSiteObject } from "#lib/workers/workloads.ts";
import { addNotes } from "#lib/workers/site.ts";
import { siteTaskHandler } from "#lib/workers/actions/tasks.ts";

const ADMIN: Ref = { apiVersion: "v1", kind: "Secret", name: "admin" };
const KEY = "ADMIN_PASSWORD", BEFORE = "ADMIN_PASSWORD_BEFORE";
const MARK = `/metadata/annotations/${PASSWORD_OPERATION_ANNOTATION.replaceAll("/", "~1")}`;
const WHAT = "The administrator's password could not be set";
export const ACCOUNT_UNUSABLE = "AccountUnusable";
const MAILED = "The site has mailed its administrator a link to choose a password";

export function resetAdminPassword(app: App): Handler {
  return siteTaskHandler(app, OPERATIONS["reset-admin-password"], {
    secret: (site, run) => patchSiteObject(site, run, ADMIN, (secret) => renew(secret, run.job.id)),
    async account(site, run) {
      const { mailed } = await applyAdminPassword(site, run);
      await patchSiteObject(site, run, ADMIN, forgetBefore);
      await addNotes(run, [mailed ? MAILED : `The new password stands in the Secret admin: ${readingOf(site)}`]);
    },
  });
}

/**
 * Returns the patch that puts a new password into the Secret. It changes the Secret once per operation. If an earlier
 * operation did not finish, the site may have either of its two passwords. In this case the Secret keeps both, and the
 * newer one is tried again.
 */
function renew({ metadata, data }: KubeObject, operation: string): PatchOperation[] {
  if (metadata.annotations?.[PASSWORD_OPERATION_ANNOTATION] === operation) return [];
  const mark: PatchOperation = { op: "add", path: MARK, value: operation };
  if (data?.[BEFORE] !== undefined) return [mark];
  const keep: PatchOperation[] = data?.[KEY] === undefined
    ? [{ op: "add", path: "/data", value: data ?? {} }] // the Secret was emptied
    : [{ op: "add", path: `/data/${BEFORE}`, value: data[KEY] }];
  return [...keep, { op: "add", path: `/data/${KEY}`, value: btoa(newSitePassword()) }, mark];
}

function forgetBefore({ data = {} }: KubeObject): PatchOperation[] {
  return data[BEFORE] === undefined ? [] : [{ op: "remove", path: `/data/${BEFORE}` }];
}

/**
 * Sets the password of the account `admin` to the one in the Secret. Throws a final ClusterError, for example
 * `AccountUnusable`.
 */
export async function applyAdminPassword(here: JobContext, run: Run): Promise<PasswordReset> {
  const result = await runJob(here, run, "password");
  const reset = parsePasswordReset(result.log);
  if (reset.refused !== null) {
    await deleteFinishedJob(here, run, result);
    throw refusal(reset.refused, here, result);
  }
  await requireTask(here, run, result, WHAT);
  if (reset.agreed) return reset;
  await requireCompleteLog(here, run, result);
  throw incomplete(result);
}

/**
 * Creates the error for an account whose password cannot be set. The site's own administrators must fix the account.
 */
function refusal(why: string, here: JobContext, { log }: JobResult): ClusterError {
  return new ClusterError(ACCOUNT_UNUSABLE, `${WHAT} because ${why}`, {
    transient: false,
    blame: "user",
    hint: "Put the account admin right on the site, then ask for this again. Until then the Secret admin holds the " +
      `password before as ${BEFORE}: ${readingOf(here)}`,
    evidence: { log, events: [] },
  });
}

function incomplete({ log }: JobResult): ClusterError {
  return new ClusterError("PasswordNotProven", `${WHAT} because its Job ended without coming to its end`, {
    transient: false,
    blame: "operator",
    hint: "See the last lines of its log: password.php in the blueprint must print agreed when it is done.",
    evidence: { log, events: [] },
  });
}

function readingOf({ space }: JobContext): string {
  return `kubectl get secret admin -n ${space.namespace} -o yaml`;
}
