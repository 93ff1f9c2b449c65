/**
 * Updates a spoke's or hub's row when an operation on it starts or ends, in the same transaction as the job's row. The
 * row is not changed if the removal of the spoke or hub has begun.
 */
import type { Updateable } from "kysely";
import { type AuditEntry, buildHubSubject, buildSpokeSubject } from "#lib/audit/store.ts";
import { closeRequestsAfterRestore } from "#lib/domains/backups/restore-requests/request.ts";
import { listBackups } from "#lib/domains/backups/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { type FederationRow, lockFederation, updateFederation } from "#lib/domains/federations/store.ts";
import type { FailureReport, Job, JobOf } from "#lib/jobs/job.ts";
import type { JobHooks, Outcome } from "#lib/scheduler/handler.ts";
import { releaseFormerDomains } from "#lib/domains/spokes/names.ts";
import { planPolicyCatchUp, readInstalledColumns } from "#lib/steps/policy-catch-up.ts";
import type { StateTransition } from "#lib/operations/operation.ts";
import type { JobKind, ProgressOf } from "#lib/operations/plan.ts";
import type { StateAfterFailure } from "#lib/operations/progress.ts";
import type { OPERATIONS } from "#lib/operations/table.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";

type SpokeChange = Updateable<Schema["spokes"]>;

export const provisionOutcomes: JobHooks<JobOf<typeof OPERATIONS.provision.kind>["progress"]> = {
  async onSucceeded(tx, job) {
    const spoke = await change(tx, job, (before) => ({
      state: "active",
      stateReason: null,
      health: "healthy",
      ...readInstalledColumns(job, before),
      observedAt: job.updatedAt,
      readyAt: before.readyAt ?? job.updatedAt,
    }));
    const { size, domain, slug, lmsVersion } = spoke;
    const outcome = outcomeOf(spoke, job, "spoke_provisioned", { size, domain, slug, lmsVersion });
    const audit = [...outcome.audit ?? [], ...await closeRequestsOfSource(tx, spoke)];
    return { ...outcome, audit, jobs: await planPolicyCatchUp(tx, spoke) };
  },
  async onFailed(tx, job, report) {
    const spoke = await change(tx, job, { state: "failed", stateReason: report.message, observedAt: job.updatedAt });
    return outcomeOf(spoke, job, "spoke_provision_failed", { slug: spoke.slug, ...failureOf(report) });
  },
  async onCancelled(tx, job) {
    const spoke = await change(tx, job, { state: "failed", stateReason: "Provisioning was cancelled" });
    return { state: spoke.state };
  },
};

/** Closes the restore requests for a backup once a spoke was recreated from it. Does nothing if a spoke was copied. */
async function closeRequestsOfSource(tx: Tx, { state, fromBackup, copyOf }: SpokeRow): Promise<AuditEntry[]> {
  if (state !== "active" || fromBackup === null) return [];
  const source = await tx.selectFrom("backups").innerJoin("spokes", "spokes.id", "backups.spokeId")
    .select(["spokes.id", "spokes.slug"]).where("backups.id", "=", fromBackup).executeTakeFirst();
  return source && source.id !== copyOf ? await closeRequestsAfterRestore(tx, source, fromBackup) : [];
}

/** The changes to store when an action ends, in addition to the spoke's new state. */
interface Ending {
  /** Returns further changes to the spoke's row. Not called if the spoke is being removed. */
  readonly change?: () => SpokeChange;
  readonly metadata?: object;
  /** Extra audit events, written along with the usual event, but only if the action succeeds. */
  readonly audit?: readonly AuditEntry[];
}

/** The progress of an action, which contains the state that was read from the cluster if the action failed. */
export type ActionProgress = ProgressOf<{ observed: typeof StateAfterFailure }>;

/** An operation that changes the spoke's state. */
export interface StateChangingOperation<
  Progress extends ActionProgress,
  Payload extends object,
  Step extends string = string,
> {
  readonly kind: JobKind<Progress, Payload, Step>;
  readonly transition: StateTransition;
}

type CreateEnding<Progress extends ActionProgress, Payload extends object, Extra extends unknown[] = []> = (
  tx: Tx,
  job: Job<Progress, Payload>,
  before: SpokeRow,
  ...extra: Extra
) => Ending | Promise<Ending>;

interface ActionEndings<Progress extends ActionProgress, Payload extends object> {
  readonly succeeded?: CreateEnding<Progress, Payload>;
  /** Called after the action failed or was cancelled; `report` is null if it was cancelled. */
  readonly stopped?: CreateEnding<Progress, Payload, [report: FailureReport | null]>;
}

/** Creates an action's hooks. The action determines the spoke's state during and after the action. */
export function createActionOutcomes<Progress extends ActionProgress, Payload extends object>(
  { transition: { through, to } }: StateChangingOperation<Progress, Payload>,
  { succeeded = () => ({}), stopped = () => ({}) }: ActionEndings<Progress, Payload> = {},
): JobHooks<Progress, Payload> {
  return {
    async onStart(tx, job) {
      const spoke = await change(tx, job, { state: through, stateReason: null });
      return { state: spoke.state };
    },
    async onSucceeded(tx, job) {
      const { change: columns, metadata, audit = [] } = await succeeded(tx, job, await lockSpoke(tx, job.spokeId!));
      const health = to === "active" ? "healthy" : "unknown";
      const observed = { state: to, stateReason: null, health, observedAt: job.updatedAt } as const;
      const spoke = await change(tx, job, () => ({ ...columns?.(), ...observed }));
      const outcome = outcomeOf(spoke, job, "spoke_action_succeeded", {
        action: job.kind,
        slug: spoke.slug,
        ...metadata,
      });
      const jobs = job.kind === "configure" ? [] : await planPolicyCatchUp(tx, spoke);
      return { ...outcome, audit: [...outcome.audit ?? [], ...audit], jobs };
    },
    async onFailed(tx, job, report) {
      const { change: columns, metadata } = await stopped(tx, job, await lockSpoke(tx, job.spokeId!), report);
      const observed = { ...observedIn(job), stateReason: report.message, observedAt: job.updatedAt };
      const spoke = await change(tx, job, () => ({ ...observed, ...columns?.() }));
      const about = { action: job.kind, slug: spoke.slug };
      return outcomeOf(spoke, job, "spoke_action_failed", { ...about, ...failureOf(report), ...metadata });
    },
    async onCancelled(tx, job) {
      const { change: columns } = await stopped(tx, job, await lockSpoke(tx, job.spokeId!), null);
      const stateReason = `The operation ${job.kind} was cancelled`;
      const spoke = await change(tx, job, () => ({ ...observedIn(job), stateReason, ...columns?.() }));
      return { state: spoke.state };
    },
  };
}

/**
 * Returns the state that was read from the cluster after the action failed. If it could not be read, returns the state
 * from before the action, so that the action can be requested again.
 */
function observedIn({ kind, progress: { observed } }: Job<ActionProgress>): SpokeChange {
  if (!observed) return { state: kind === "resume" ? "suspended" : "active", health: "unknown" };
  const { state, health, maintenance } = observed;
  return { state, health, ...(maintenance !== undefined && { maintenance }) };
}

/** The hooks for actions that do not change the spoke's state. They only record audit events. */
export const taskOutcomes: JobHooks = {
  async onSucceeded(tx, job) {
    const spoke = await lockSpoke(tx, job.spokeId!);
    return outcomeOf(spoke, job, "spoke_action_succeeded", { action: job.kind, slug: spoke.slug });
  },
  async onFailed(tx, job, report) {
    const spoke = await lockSpoke(tx, job.spokeId!);
    return outcomeOf(spoke, job, "spoke_action_failed", { action: job.kind, slug: spoke.slug, ...failureOf(report) });
  },
};

export const removalOutcomes: JobHooks<JobOf<typeof OPERATIONS.remove.kind>["progress"]> = {
  async onSucceeded(tx, job) {
    const before = await lockSpoke(tx, job.spokeId!);
    if (before.state === "removed") return { state: before.state }; // the spoke was abandoned meanwhile
    const removal = { state: "removed", stateReason: null, health: "unknown", removedAt: job.updatedAt } as const;
    const spoke = await updateSpoke(tx, job.spokeId!, job, removal);
    await releaseFormerDomains(tx, spoke.id);
    return outcomeOf(spoke, job, "spoke_destroyed", {
      slug: spoke.slug,
      domain: spoke.domain,
      size: spoke.size,
      ...(job.progress.snapshots && { snapshots: job.progress.snapshots }),
      kept: await listRetainedContents(tx, spoke.id),
    });
  },
};

/** Returns the names of the VolumeSnapshotContents that stay in the cluster because their backups can be restored. */
async function listRetainedContents(tx: Tx, spokeId: string): Promise<string[]> {
  const backups = (await listBackups(tx, spokeId)).filter(({ state }) => state === "ready");
  return backups.flatMap(({ volumes }) => volumes.flatMap(({ content }) => content ?? []));
}

export const hubProvisionOutcomes: JobHooks = {
  async onSucceeded(tx, job) {
    const hub = await changeHub(tx, job, ({ readyAt }) => ({
      state: "active",
      stateReason: null,
      readyAt: readyAt ?? job.updatedAt,
    }));
    return hubOutcomeOf(job, hub.state, "federation_provisioned", { slug: hub.slug });
  },
  async onFailed(tx, job, report) {
    const hub = await changeHub(tx, job, () => ({ state: "failed", stateReason: report.message }));
    return hubOutcomeOf(job, hub.state, "federation_provision_failed", { slug: hub.slug, ...failureOf(report) });
  },
  async onCancelled(tx, job) {
    const hub = await changeHub(tx, job, () => ({ state: "failed", stateReason: "Provisioning was cancelled" }));
    return { state: hub.state };
  },
};

export const hubRemovalOutcomes: JobHooks = {
  async onSucceeded(tx, job) {
    const before = await lockFederation(tx, job.federationId!);
    if (before.state === "removed") return { state: before.state };
    const removal = { state: "removed", stateReason: null, removedAt: job.updatedAt } as const;
    const hub = await updateFederation(tx, job.federationId!, removal);
    return hubOutcomeOf(job, hub.state, "federation_destroyed", { slug: hub.slug });
  },
};

/** Returns whether the spoke or hub is being removed or has been removed. */
export function isBeingRemoved({ state }: { readonly state: string }): boolean {
  return state === "removing" || state === "removed";
}

async function change(tx: Tx, job: Job, to: SpokeChange | ((before: SpokeRow) => SpokeChange)): Promise<SpokeRow> {
  const spoke = await lockSpoke(tx, job.spokeId!);
  if (isBeingRemoved(spoke)) return spoke;
  return await updateSpoke(tx, spoke.id, job, typeof to === "function" ? to(spoke) : to);
}

async function changeHub(
  tx: Tx,
  job: Job,
  to: (before: FederationRow) => Updateable<Schema["federations"]>,
): Promise<FederationRow> {
  const hub = await lockFederation(tx, job.federationId!);
  if (isBeingRemoved(hub)) return hub;
  return await updateFederation(tx, hub.id, to(hub));
}

/** Updates the spoke's row. Sets `updatedAt` to the job's `updatedAt`, because the same transaction updates both. */
async function updateSpoke(tx: Tx, id: string, { updatedAt }: Job, to: SpokeChange): Promise<SpokeRow> {
  return await tx.updateTable("spokes").set({ ...to, updatedAt }).where("id", "=", id).returningAll()
    .executeTakeFirstOrThrow();
}

function outcomeOf(spoke: SpokeRow, job: Job, kind: AuditEntry["kind"], metadata: Record<string, unknown>): Outcome {
  const entry = { kind, ...buildSpokeSubject(spoke), metadata: { ...metadata, operationId: job.id } };
  return { state: spoke.state, audit: [entry] };
}

function hubOutcomeOf(job: Job, state: string, kind: AuditEntry["kind"], metadata: Record<string, unknown>): Outcome {
  const entry = { kind, ...buildHubSubject(job.federationId!), metadata: { ...metadata, operationId: job.id } };
  return { state, audit: [entry] };
}

function failureOf({ step, code, fault, message }: FailureReport): Record<string, unknown> {
  return { step, code, fault, message };
}
