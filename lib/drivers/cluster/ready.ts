/** Waits until objects are ready, and gives up as soon as one of them cannot become so. */
import type { Api } from "#lib/drivers/cluster/client/api.ts";
import {
  type Call,
  ClusterError,
  type Evidence,
  type KubeObject,
  type Ref,
  retell,
  type Waiting,
} from "#lib/drivers/cluster/cluster.ts";
import { diagnose } from "#lib/drivers/cluster/diagnosis/diagnose.ts";
import { CLAIM, isOfClaim, withoutSettledClaims } from "#lib/drivers/cluster/diagnosis/node.ts";
import { collectEvidence } from "#lib/drivers/cluster/evidence.ts";
import type { Guard } from "#lib/drivers/cluster/guard.ts";
import { readLog, UNREADABLE } from "#lib/drivers/cluster/logs.ts";
import type { Objects } from "#lib/drivers/cluster/objects.ts";
import type { Diagnosis, Patience, Waited } from "#lib/drivers/cluster/diagnosis/verdict.ts";
import { type Seen, waitFor } from "#lib/drivers/cluster/wait.ts";
import { lackOf } from "#lib/drivers/cluster/diagnosis/readiness.ts";
import { calledOf, capital } from "#lib/drivers/cluster/diagnosis/words.ts";
import type { WatchQuery } from "#lib/drivers/cluster/client/watch.ts";
import type { Log } from "#lib/base/log.ts";
import { redact } from "#lib/base/redact.ts";
import { runWithin } from "#lib/base/cancellation.ts";
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

export const POD = { apiVersion: "v1", kind: "Pod" };
const EVENT = { apiVersion: "v1", kind: "Event" };
/** How long evidence is collected for a failure that is certain already. */
const EVIDENCE_TIME = 15 * SECOND;
/** Characters of a log's line in a sentence. */
const LINE_MOST = 300;
/** Sentences told at once; the rest is counted. */
const SENTENCES = 3;

export async function waitUntilReady(site: ReadySite, refs: readonly Ref[], waiting: Waiting): Promise<void> {
  if (refs.length === 0) return;
  const since = site.api.now();
  const what = refs.map((ref) => `${ref.kind} ${ref.name}`).join(", ");
  const look = async (call: Call, isFirst: boolean): Promise<Seen<true>> => {
    await site.guard.write(call);
    const found = await Promise.all(refs.map((ref) => site.objects.get(ref, call)));
    if (found.every((object) => object && lackOf(object) === undefined)) return { done: true };
    if (isFirst) return {};
    const { pods, events, watches } = await lookAround(site, call);
    const orders = refs.some(({ kind }) => kind === "Certificate") ? await ordersOf(site, call) : [];
    const clock: Waited = { now: site.api.now(), since, patience: site.patience };
    const verdicts = found.map((object, index) =>
      object ? diagnose(object, pods, events, clock, orders) : missing(refs[index]!)
    );
    const told = await Promise.all(verdicts.map((verdict) => withLastWords(site, verdict, call)));
    return { ...summary(told), watches: [...watches, ...await watchesOf(site, refs, found, call)] };
  };
  await gatheringEvidence(site, waiting, () => waitFor({ ...site, what: `Waiting for ${what}`, look }, waiting));
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
    if (left.length === 0) return { done: undefined };
    return { sentence: `Still to go: ${left.join(", ")}`, watches: await watchesOf(site, refs, found, call) };
  };
  const what = `Removing ${refs.map(({ kind, name }) => `${kind} ${name}`).join(", ")}`;
  await waitFor({ ...site, what, look }, waiting);
}

/** What an object is judged by. */
interface Around {
  readonly pods: readonly KubeObject[];
  readonly events: readonly KubeObject[];
  readonly watches: readonly WatchQuery[];
}

/** All pods of the namespace, and its events but for those that are over. */
export async function lookAround({ objects }: ReadySite, call: Call): Promise<Around> {
  const [pods, events] = await Promise.all([objects.sight(POD, "", call), objects.sight(EVENT, "", call)]);
  const around = { pods: pods.items, events: events.items, watches: [pods.watch, events.watch] };
  if (!events.items.some(isOfClaim)) return around;
  // Claims are asked for after their events, so that none is taken for pending that was bound by then.
  const claims = await objects.list({ apiVersion: "v1", kind: CLAIM }, "", call);
  return { ...around, events: withoutSettledClaims(events.items, claims) };
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

/** One watch for each kind, however many objects; of several, none tells from when the others are to be watched. */
export async function watchesOf(
  { objects }: ReadySite,
  refs: readonly Ref[],
  found: readonly (KubeObject | null)[],
  call: Call,
): Promise<WatchQuery[]> {
  const watches = new Map<string, WatchQuery>();
  for (const [index, ref] of refs.entries()) {
    const watch = await objects.since(ref, found[index] ?? null, call);
    watches.set(watch.path, watches.has(watch.path) ? { path: watch.path } : watch);
  }
  return [...watches.values()];
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
    return await runWithin(
      [call.signal],
      { ms: EVIDENCE_TIME, createError: late },
      (signal) => collectEvidence(site, { ...call, signal }),
    );
  } catch {
    call.signal.throwIfAborted();
    return { log: ["(the cluster did not show its events and logs in time)"], events: [] };
  }
}

/** A probe reports only that a container did not answer; the last line of its log says what it was doing. */
async function withLastWords({ api, namespace }: ReadySite, verdict: Diagnosis, call: Call): Promise<Diagnosis> {
  if (verdict.is !== "waiting" || !verdict.log) return verdict;
  const lines = await readLog(api, { namespace, ...verdict.log }, call);
  const last = lines.findLast((line) => /[A-Za-z]{3}/.test(line) && !line.startsWith(UNREADABLE));
  if (last === undefined) return verdict;
  const words = redact(last.trim().replace(/[.\s]+$/, "")).slice(0, LINE_MOST);
  return { ...verdict, sentence: `${verdict.sentence}. Its log ends: ${words}` };
}

function missing(ref: Ref): Diagnosis {
  return { is: "waiting", sentence: `${capital(calledOf(ref.kind, ref.name))} is not made yet` };
}

function summary(verdicts: readonly Diagnosis[]): Exclude<Seen<never>, { done: never }> | { done: true } {
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
