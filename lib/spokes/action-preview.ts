/** What an action would come to: judged as the real thing, asked of the cluster by its own dry run, and nothing is written. */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/auth/access.ts";
import { type Cost, NO_COST } from "#lib/billing/cost.ts";
import { previewCostIfTold } from "#lib/billing/preview.ts";
import { SpokeInputs } from "#lib/blueprint/inputs.ts";
import { asOffered, withMail } from "#lib/catalog/inputs.ts";
import { type Cluster, ClusterError, type KubeObject, type Ref, type Space } from "#lib/cluster/cluster.ts";
import { differences } from "#lib/cluster/difference.ts";
import { Fault } from "#lib/errors.ts";
import { runsHub } from "#lib/federations/viewer.ts";
import { OPERATION_KINDS } from "#lib/jobs/kinds.ts";
import { type Act, type Trial, trialsOf } from "#lib/spokes/action-trials.ts";
import { demandProgress } from "#lib/spokes/action-wish.ts";
import { takesAway, wordsFor } from "#lib/spokes/action-words.ts";
import { payloadOf, readFacts, readRequest } from "#lib/spokes/actions.ts";
import { judgeAction, passageOf, type SpokeOperationKind } from "#lib/spokes/state.ts";
import type { SpokeRow } from "#lib/spokes/store.ts";
import type { ActionPreview, SpokeAction } from "#lib/spokes/views.ts";

/** Answers to one object's trial that belong into the preview: that is what a trial is for. */
const REFUSALS: readonly number[] = [400, 403, 404, 409, 422];

const OTHER_AMOUNTS = "Its size has other amounts now than when it was made: they are taken over, but for disks";

const STORAGE_CLASS = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" };

/** Throws the Faults that the action itself would, and unavailable when the cluster cannot be asked. */
export async function previewAction(
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  asked: SpokeAction,
  signal: AbortSignal,
): Promise<ActionPreview> {
  const request = readRequest(app, actor, asked);
  const facts = await readFacts(app.db.rows, spoke);
  const { kind, becomes } = judgeAction(request.action, facts);
  demandProgress(app, spoke, facts, request);
  const payload = payloadOf(facts, request);
  const { trials, otherAmounts } = trialsFor(app, spoke, kind, { maintenance: facts.maintenance, payload });
  const [{ changes, refusals }, price] = await Promise.all([
    askCluster(app, spoke, trials, signal),
    // What the hub pays is nothing to admins of single spokes.
    runsHub(actor, spoke.federation_id)
      ? askPrice(app, spoke, { size: facts.size, ...payload, kind }, signal)
      : NO_COST,
  ]);
  return {
    dryRun: true,
    action: request.action,
    spokeId: spoke.id,
    state: spoke.state,
    becomes,
    downtime: takesAway(kind, changes),
    steps: OPERATION_KINDS[kind].steps.map(({ label }) => label),
    changes,
    notes: [...wordsFor(kind, facts, payload), ...(otherAmounts ? [OTHER_AMOUNTS] : []), ...refusals],
    price,
  };
}

interface Trials {
  readonly trials: readonly Trial[];
  /** Whether they take over amounts that its size had not when the spoke was made. */
  readonly otherAmounts: boolean;
}

function trialsFor(
  app: App,
  spoke: SpokeRow,
  kind: SpokeOperationKind,
  { maintenance, payload }: { readonly maintenance: boolean; readonly payload: object },
): Trials {
  if (spoke.namespace_uid === null) return { trials: [], otherAmounts: false }; // nothing stands there that could be tried
  const made = withMail(app.config, v.parse(SpokeInputs, spoke.blueprint_inputs));
  const inputs = kind === "reapply" ? asOffered(app, made) : made;
  return { trials: trialsOf(app, kind, { inputs, maintenance }, payload), otherAmounts: inputs !== made };
}

/** Of what changes whether a spoke is paid for, or how much. */
const PRICED: readonly string[] = ["suspend", "resume", "resize"];

async function askPrice(
  app: App,
  spoke: SpokeRow,
  { kind, size }: { readonly kind: string; readonly size: string },
  signal: AbortSignal,
): Promise<Cost> {
  const state = passageOf(kind)?.to;
  if (!PRICED.includes(kind) || !state) return NO_COST;
  const change = { federationId: spoke.federation_id, before: spoke, after: { size, state } };
  return await previewCostIfTold(app, change, signal);
}

interface Answer {
  readonly changes: ActionPreview["changes"];
  /** What the cluster would not take, in its own words. */
  readonly refusals: readonly string[];
}

type Place = Pick<Cluster, "find"> & { readonly space: Space };

export async function askCluster(
  app: App,
  spoke: SpokeRow,
  trials: readonly Trial[],
  signal: AbortSignal,
): Promise<Answer> {
  if (trials.length === 0 || spoke.namespace_uid === null) return { changes: [], refusals: [] };
  try {
    const cluster = await app.clusters.open(spoke.cluster);
    const place = { find: cluster.find, space: cluster.space(spoke.namespace, spoke.namespace_uid) };
    const answers = await Promise.all(trials.map((trial) => tryOut(place, trial, signal)));
    return {
      changes: answers.flatMap(({ changes }) => changes),
      refusals: answers.flatMap(({ refusals }) => refusals),
    };
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    const message = `The cluster cannot say what would change: ${error.message}`;
    throw new Fault("unavailable", "cluster_unavailable", message, { cause: error });
  }
}

async function tryOut(place: Place, { ref, act }: Trial, signal: AbortSignal): Promise<Answer> {
  const object = `${ref.kind}/${ref.name}`;
  const before = await place.space.get(ref, { signal }); // also that the namespace is there, and ours
  try {
    const wanted = act(before);
    if (wanted && "lost" in wanted) return { changes: [], refusals: [`${object}: ${wanted.lost}`] };
    const after = wanted && await foretell(place, before, wanted, { ref, signal });
    const found = after ? differences(before, after) : [];
    return { changes: found.map(({ path, from, to }) => ({ object, field: path, from, to })), refusals: [] };
  } catch (error) {
    if (!(error instanceof ClusterError) || error.transient) throw error;
    if (error.status !== 0 && !REFUSALS.includes(error.status)) throw error;
    return { changes: [], refusals: [`The cluster refuses ${object}: ${error.message}`] };
  }
}

/** What would stand there, by the API server's own word. */
async function foretell(
  { space, find }: Place,
  before: KubeObject | null,
  act: Exclude<Act, { readonly lost: string }>,
  { ref, signal }: { readonly ref: Ref; readonly signal: AbortSignal },
): Promise<KubeObject> {
  if ("patch" in act) return await space.dryRunPatch(ref, act.patch, { signal });
  if ("apply" in act) return (await space.dryRun([act.apply], { signal })).objects[0]!;
  const { spec } = before!, name = String(spec?.storageClassName ?? "");
  const found = name === "" ? null : await find({ ...STORAGE_CLASS, name }, { signal });
  if (found?.["allowVolumeExpansion"] === true) {
    const resources = { ...spec.resources, requests: { ...spec.resources.requests, storage: act.grow } };
    return { ...before!, spec: { ...spec, resources } };
  }
  const message = `it stays as it is and does not become ${act.grow}, for its storage class does not let volumes grow`;
  throw new ClusterError("Forbidden", message, { transient: false, status: 403 });
}
