/** Asks each part that must work whether it does. */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import { isRefusedLogin } from "#lib/drivers/db/faults.ts";
import { Fault } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";

/** Something that must work before requests are worth sending here. Throws or returns false while it does not. */
export interface Check {
  readonly name: string;
  readonly passes: (app: App) => boolean | Promise<boolean>;
}

export const Readiness = v.object({
  status: v.literal("ok"),
  checks: v.record(v.string(), v.literal("ok")),
  notes: v.array(v.string()),
});
export type Readiness = v.InferOutput<typeof Readiness>;

const TIMEOUT = 2 * SECOND; // a probe that waits longer is not told anything either

/**
 * What asks: once at a time, no matter who wants to know meanwhile. Anybody may ask, and is never turned away.
 * `notes` are sentences on what does not work and keeps no request from being answered.
 *
 * It throws Fault unavailable `not_ready`, which names what is not; why stands in the log, not in the answer.
 */
export function openReadiness(
  app: App,
  checks: readonly Check[],
  notes: () => readonly string[],
): () => Promise<Readiness> {
  let running: Promise<Readiness["checks"]> | undefined;
  return async () => {
    running ??= runChecks(app, checks).finally(() => running = undefined);
    return { status: "ok", checks: await running, notes: [...notes()] };
  };
}

async function runChecks(app: App, checks: readonly Check[]): Promise<Readiness["checks"]> {
  const bound = { ...app, db: app.db.within(AbortSignal.timeout(TIMEOUT)) };
  const names = (await Promise.all(checks.map((check) => runCheck(bound, check)))).filter((name) => name !== null);
  if (names.length > 0) {
    throw new Fault("unavailable", "not_ready", `Not ready: ${names.join(", ")}`, { retryAfter: 2 });
  }
  return Object.fromEntries(checks.map(({ name }) => [name, "ok" as const]));
}

/** The name of the check where it fails, with what an operator must put right; null where it passes. */
async function runCheck(app: App, { name, passes }: Check): Promise<string | null> {
  try {
    return await passes(app) ? null : name;
  } catch (error) {
    app.log.warn("A readiness check failed", { check: name, error });
    return isRefusedLogin(error) ? `${name} (it refuses the role or its password)` : name;
  }
}
