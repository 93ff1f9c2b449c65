/** Waits until objects are ready, and gives up as soon as one of them cannot become so. */
import type { Api } from "#lib/drivers/cluster/wire/api.ts";
import {
  type Call,
  ClusterError,
  type Evidence,
  type KubeObject,
  type Ref,
  retell,
  type Waiting,
} from "#lib/drivers/cluster/cluster.ts";
import { diagnose } from "#lib/drivers/cluster/trouble/diagnose.ts";
import { CLAIM, isOfClaim, withoutSettledClaims } from "#lib/drivers/cluster/trouble/node.ts";
import { collectEvidence } from "#lib/drivers/cluster/evidence.ts";
import type { Guard } from "#lib/drivers/cluster/guard.ts";
import type { Objects } from "#lib/drivers/cluster/objects.ts";
import type { Diagnosis, Patience, Waited } from "#lib/drivers/cluster/trouble/verdict.ts";
import { type Seen, waitFor } from "#lib/drivers/cluster/wait.ts";
import { calledOf, capital } from "#lib/drivers/cluster/trouble/words.ts";
import type { WatchQuery } from "#lib/drivers/cluster/wire/watch.ts";
import type { Log } from "#lib/base/log.ts";
import { within } from "#lib/base/race.ts";
import { SECOND } from "#lib/base/time.ts";

/** What everything that waits in one namespace needs. */
export interface ReadySite {
  readonly api: Api;
  /** Of this namespace, and of none. */
  readonly objects: Objects;
  readonly all: Objects;
  readonly guard: Guard;
  readonly namespace: string;
  readonly uid: string;
  readonly patience: Patience;
  readonly log: Log;
}

export const POD = { apiVersion: "v1", kind: "Pod" }, EVENT = { apiVersion: "v1", kind: "Event" };
/** How long evidence is collected for a failure that is certain already. */
const EVIDENCE_TIME = 15 * SECOND;
/** Sentences told at once; the rest is counted. */
const SENTENCES = 3;

export async function waitUntilReady(site: ReadySite, refs: readonly Ref[], waiting: Waiting): Promise<void> {
  if (refs.length === 0) return;
  const since = site.api.now();
  const what = refs.map((ref) => `${ref.kind} ${ref.name}`).join(", ");
  const look = async (call: Call): Promise<Seen<true>> => {
    await site.guard.write(call);
    const found = await Promise.all(refs.map((ref) => site.objects.get(ref, call)));
    const { pods, events } = await lookAround(site, call);
    const orders = refs.some(({ kind }) => kind === "Certificate") ? await ordersOf(site, call) : [];
    const clock: Waited = { now: site.api.now(), since, patience: site.patience };
    const verdicts = found.map((object, index) =>
      object ? diagnose(object, pods, events, clock, orders) : missing(refs[index]!)
    );
    return summary(verdicts);
  };
  const hints = (call: Call) => watchesOf(site, [POD, EVENT, ...refs], call);
  await gatheringEvidence(site, waiting, () => waitFor({ ...site, what: `Waiting for ${what}`, hints, look }, waiting));
}

/** Waits until objects that were deleted are gone, and tells which finalizers hold those that are not. */
export async function waitUntilGone(site: ReadySite, refs: readonly Ref[], waiting: Waiting): Promise<void> {
  if (refs.length === 0) return;
  const look = async (call: Call): Promise<Seen<undefined>> => {
    await site.guard.read(call);
    const found = await Promise.all(refs.map((ref) => site.objects.get(ref, call)));
    const left = found.filter((object) => object !== null).map(({ kind, metadata: { name, finalizers = [] } }) =>
      `${kind} ${name}${finalizers.length > 0 ? ` (held by ${finalizers.join(", ")})` : ""}`
    );
    return left.length === 0 ? { done: undefined } : { sentence: `Still to go: ${left.join(", ")}` };
  };
  const hints = (call: Call) => watchesOf(site, refs, call);
  const what = `Removing ${refs.map(({ kind, name }) => `${kind} ${name}`).join(", ")}`;
  await waitFor({ ...site, what, hints, look }, waiting);
}

/** All pods of the namespace, and its events but for those that are over: what an object is judged by. */
export async function lookAround(site: ReadySite, call: Call): Promise<{ pods: KubeObject[]; events: KubeObject[] }> {
  const list = (kind: string) => site.objects.list({ apiVersion: "v1", kind }, "", call);
  const [pods, events] = await Promise.all([list("Pod"), list("Event")]);
  // Claims are asked for after their events, so that none is taken for pending that was bound by then.
  return { pods, events: events.some(isOfClaim) ? withoutSettledClaims(events, await list(CLAIM)) : events };
}

const ORDERED = [
  { apiVersion: "cert-manager.io/v1", kind: "CertificateRequest" },
  { apiVersion: "acme.cert-manager.io/v1", kind: "Order" },
  { apiVersion: "acme.cert-manager.io/v1", kind: "Challenge" },
] as const;

/** What cert-manager makes on the way to a certificate. Who may not look, or has no ACME, sees the certificate alone. */
async function ordersOf(site: ReadySite, call: Call): Promise<KubeObject[]> {
  const lists = ORDERED.map((kind) =>
    site.objects.list(kind, "", call).catch((error) => {
      if (error instanceof ClusterError && (error.code === "NoKind" || error.status === 403)) return [];
      throw error;
    })
  );
  return (await Promise.all(lists)).flat();
}

/** One watch for each kind, however many objects. */
export async function watchesOf(
  { objects }: ReadySite,
  kinds: readonly Omit<Ref, "name">[],
  call: Call,
): Promise<WatchQuery[]> {
  const watches = await Promise.all(kinds.map((kind) => objects.collection(kind, call)));
  return [...new Map(watches.map((watch) => [watch.path, watch])).values()];
}

export function errorOfVerdict(verdict: Diagnosis & { is: "impossible" }): ClusterError {
  const { code, message, blame, hint } = verdict;
  return new ClusterError(code, message, { transient: false, blame, hint });
}

/** A failure that is final, or that no more time is left for, takes along what the namespace shows of it. */
export async function gatheringEvidence<T>(site: ReadySite, call: Call, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ClusterError) || error.evidence || call.signal.aborted) throw error;
    if (error.transient && error.code !== "deadline") throw error;
    throw retell(error, { evidence: await evidenceInTime(site, call) });
  }
}

async function evidenceInTime(site: ReadySite, call: Call): Promise<Evidence> {
  const late = () => new Error("the evidence took too long");
  try {
    return await within(
      [call.signal],
      { ms: EVIDENCE_TIME, late },
      (signal) => collectEvidence(site, { ...call, signal }),
    );
  } catch {
    call.signal.throwIfAborted();
    return { log: ["(the cluster did not show its events and logs in time)"], events: [] };
  }
}

function missing(ref: Ref): Diagnosis {
  return { is: "waiting", sentence: `${capital(calledOf(ref.kind, ref.name))} is not made yet` };
}

function summary(verdicts: readonly Diagnosis[]): Seen<true> {
  const sentences: string[] = [];
  let again: number | undefined;
  for (const verdict of verdicts) {
    if (verdict.is === "impossible") throw errorOfVerdict(verdict);
    if (verdict.is === "ready") continue;
    sentences.push(verdict.sentence);
    if (verdict.again !== undefined) again = Math.min(again ?? Infinity, verdict.again);
  }
  if (sentences.length === 0) return { done: true };
  const rest = sentences.length > SENTENCES ? `; and ${sentences.length - SENTENCES} more` : "";
  const sentence = sentences.slice(0, SENTENCES).join("; ") + rest;
  return { sentence, again };
}
