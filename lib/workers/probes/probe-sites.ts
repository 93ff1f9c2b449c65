/**
 * Requests the login page of each running site once a minute. One job does this for all sites, so that several replicas
 * do not request a page several times; if its replica dies, another one continues within seconds. The requests are
 * spread over the minute: a spoke's ID determines its second. A failed request is repeated before the minute counts.
 */
import type { App } from "#lib/app.ts";
import { runCancellable } from "#lib/base/cancellation.ts";
import { MINUTE, SECOND, sleep } from "#lib/base/time.ts";
import {
  decidePageResult,
  LOGIN_PAGE_MARKER,
  LOGIN_PAGE_PATH,
  type PageResult,
} from "#lib/domains/availability/login-page.ts";
import { shouldPageWork } from "#lib/domains/availability/minutes.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import { upkeepHandler } from "#lib/steps/upkeep.ts";
import { createIngressAddressReader, type IngressAddressReader } from "#lib/workers/probes/ingress-addresses.ts";
import { type ProbedSpoke, type ProbeResult, readProbedSpokes, saveProbeResults } from "#lib/workers/probes/rows.ts";

export interface ProbePace {
  /** The time in which the first requests of a minute are sent, in milliseconds. */
  readonly spreadMs: number;
  /** How long to wait after a failed request until the request that confirms it. */
  readonly repeatMs: number;
  /** How often results are stored. */
  readonly saveMs: number;
  /** How long one job runs. Then the job ends, and the next one starts. */
  readonly jobMs: number;
}

export const PROBE_PACE: ProbePace = {
  spreadMs: 50 * SECOND,
  repeatMs: 15 * SECOND,
  saveMs: 5 * SECOND,
  jobMs: 30 * MINUTE,
};
const BATCH = 500;

export function probeSitesHandler(app: App, pace: ProbePace = PROBE_PACE): JobHandler {
  return upkeepHandler({ kind: "probe-sites", every: SECOND, limit: 10 * MINUTE }, {
    probe: ["Requesting the login pages of the sites", 40 * MINUTE, (run) => probeSites(app, run, pace)],
  });
}

/** The state of one run of the job. */
interface Probing {
  readonly app: App;
  readonly run: JobRun;
  /** Aborted when the run ends, or when the replica shuts down. */
  readonly signal: AbortSignal;
  readonly pace: ProbePace;
  readonly readIngressAddresses: IngressAddressReader;
  /** The results that are not stored yet. */
  readonly results: ProbeResult[];
  /** The spokes with a running request. A site that hangs is not requested again meanwhile. */
  readonly pending: Set<string>;
}

export async function probeSites(app: App, run: JobRun, pace: ProbePace): Promise<void> {
  const readIngressAddresses = createIngressAddressReader(app, run), results: ProbeResult[] = [];
  try {
    await runCancellable(
      [run.signal, run.leaving],
      null,
      (signal) => probeUntilEnd({ app, run, signal, pace, readIngressAddresses, results, pending: new Set() }),
    );
  } finally {
    if (!run.signal.aborted) await saveResults({ app, run, results });
  }
}

async function probeUntilEnd(probing: Probing): Promise<void> {
  const { app, run, signal, pace } = probing;
  const until = performance.now() + pace.jobMs, rounds: Promise<void>[] = [];
  for (let last = 0, nextSave = 0; performance.now() < until;) {
    const now = await app.db.now(), minute = Math.floor(now.getTime() / MINUTE) * MINUTE;
    if (minute > last) {
      last = minute;
      rounds.push(
        probeOnce(probing, now).catch((error) => {
          if (!signal.aborted) run.log.warn("Cannot request the login pages of sites in this minute", { error });
        }),
      );
    }
    if (performance.now() >= nextSave) {
      nextSave = performance.now() + pace.saveMs;
      await saveResults(probing);
    }
    await sleep(Math.min(SECOND, pace.saveMs, minute + MINUTE - now.getTime()), signal);
  }
  await Promise.all(rounds);
}

/** Requests each login page once, spread over the minute that contains `now`. */
async function probeOnce(probing: Probing, now: Date): Promise<void> {
  const { app, signal, pace, results, pending } = probing, began = performance.now();
  const minute = new Date(Math.floor(now.getTime() / MINUTE) * MINUTE), elapsed = now.getTime() - minute.getTime();
  const spokes = await readProbedSpokes(app.db.rows);
  const due = spokes.filter((spoke) => shouldPageWork(spoke) && spoke.host !== null && !pending.has(spoke.id));
  for (const spoke of spokes) {
    if (!shouldPageWork(spoke)) results.push({ spokeId: spoke.id, minute, host: spoke.host, result: null, began: now });
  }
  for (const { id } of due) pending.add(id);
  await Promise.all(due.map(async (spoke) => {
    try {
      await sleep(Math.max(0, secondOf(spoke.id, pace.spreadMs) - elapsed), signal);
      const start = new Date(now.getTime() + performance.now() - began);
      const result = await requestTwice(probing, spoke);
      results.push({ spokeId: spoke.id, minute, host: spoke.host, result, began: start });
    } finally {
      pending.delete(spoke.id);
    }
  }));
}

/** Requests a login page. If the request fails, repeats it once, because one lost packet is not an outage. */
async function requestTwice(probing: Probing, spoke: ProbedSpoke): Promise<PageResult> {
  const first = await requestLoginPage(probing, spoke);
  if (first.kind === "works") return first;
  await sleep(probing.pace.repeatMs, probing.signal);
  return await requestLoginPage(probing, spoke);
}

async function requestLoginPage(
  { app, run, signal, readIngressAddresses }: Probing,
  spoke: ProbedSpoke,
): Promise<PageResult> {
  const { host, https, port } = spoke;
  const url = new URL(`${https ? "https" : "http"}://${host}${port === null ? "" : `:${port}`}${LOGIN_PAGE_PATH}`);
  const page = { url, marker: LOGIN_PAGE_MARKER, readIngressAddresses: () => readIngressAddresses(spoke) };
  try {
    return decidePageResult(await app.sitePages.request(page, signal));
  } catch (error) {
    signal.throwIfAborted();
    run.log.error("A request for a login page failed unexpectedly", { spoke: spoke.id, error });
    return { kind: "unknown" };
  }
}

async function saveResults({ app, run, results }: Pick<Probing, "app" | "run" | "results">): Promise<void> {
  while (results.length > 0) {
    const batch = results.splice(0, BATCH);
    const kinds = await run.write((tx) => saveProbeResults(tx, batch));
    for (const kind of kinds) app.telemetry.record("site_minute", { kind });
  }
}

/** Returns the millisecond of the minute in which a spoke's page is requested. */
function secondOf(id: string, spreadMs: number): number {
  let hash = 0x811c9dc5; // FNV-1a, 32 bits
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193) >>> 0;
  return hash % Math.max(1, spreadMs);
}
