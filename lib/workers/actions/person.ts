/** Runs the Job that suspends or reinstates a person on a site. The spoke's state does not change. */
import type { App } from "#lib/app.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { parsePersonResult } from "#lib/moodle/job-results.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { taskOutcomes } from "#lib/steps/outcomes.ts";
import { deleteFinishedJob, requireCompleteLog, requireJobSuccessAndDelete } from "#lib/steps/site-jobs.ts";
import { addNotes, buildClusterWaitOptions, type OperationRun, spokeHandler, type SpokeSite } from "#lib/steps/site.ts";

type PersonAction = "suspend-person" | "reinstate-person";

export function suspendPersonHandler(app: App): JobHandler {
  return spokeHandler(app, OPERATIONS["suspend-person"].kind, {
    person: (site, run) => changePerson(site, run, "suspend-person"),
  }, { hooks: taskOutcomes });
}

export function reinstatePersonHandler(app: App): JobHandler {
  return spokeHandler(app, OPERATIONS["reinstate-person"].kind, {
    person: (site, run) => changePerson(site, run, "reinstate-person"),
  }, { hooks: taskOutcomes });
}

async function changePerson(site: SpokeSite, run: OperationRun<PersonAction>, action: PersonAction): Promise<void> {
  const { blueprint, inputs, space } = site, { email } = run.job.payload;
  const job = blueprint.jobObject(inputs, action, run.job.fence, { email });
  const result = await space.run(job, buildClusterWaitOptions(run));
  const { accounts, isAdministrator } = parsePersonResult(result.log);
  if (isAdministrator) {
    await deleteFinishedJob(site, run, result);
    const hint = "Take the role from the person on the site first, or suspend the person there.";
    throw new Refusal("AdministratorAccount", `${email} is an administrator of the site`, hint, "user");
  }
  await requireJobSuccessAndDelete(site, run, result, "The person's accounts could not be changed");
  if (accounts === null) {
    await requireCompleteLog(site, run, result);
    throw new ClusterError("PersonUnread", "The Job that changes a person's accounts ended without a result", {
      transient: false,
      blame: "operator",
      hint: "The blueprint's person.php must print the number of accounts as its last line.",
      evidence: { log: result.log, events: [] },
    });
  }
  await addNotes(run, [describeAccounts(action, accounts, email)]);
}

function describeAccounts(action: PersonAction, accounts: number, email: string): string {
  const count = accounts === 1 ? "One account" : `${accounts} accounts`, isSuspending = action === "suspend-person";
  if (accounts > 0) return `${count} of ${email} ${isSuspending ? "suspended, sessions ended" : "can sign in again"}`;
  return isSuspending
    ? `No account of ${email}. With the hub's sign-in, the person could still get one; block the person there too`
    : `No account of ${email} that suspend-person had suspended`;
}
