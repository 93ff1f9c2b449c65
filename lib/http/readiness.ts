/** Runs the checks that must pass before this replica receives requests. */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import { isRefusedLoginError } from "#lib/drivers/db/faults.ts";
import { Fault } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";

/** A check that must pass before this replica receives requests. Fails if `passes` returns false or throws. */
export interface ReadinessCheck {
  readonly name: string;
  readonly passes: (app: App) => boolean | Promise<boolean>;
}

export const Readiness = v.object({
  status: v.literal("ok"),
  checks: v.record(v.string(), v.literal("ok")),
  notes: v.array(v.string()),
});
export type Readiness = v.InferOutput<typeof Readiness>;

const TIMEOUT = 2 * SECOND; // milliseconds; probes do not wait longer

/**
 * Returns a function that runs the checks; concurrent calls share one run. The function throws an `unavailable` fault
 * (`not_ready`) that names the failed checks; the log contains the reasons. `notes` returns problems that are reported
 * but do not make this replica unready.
 */
export function createReadinessProbe(
  app: App,
  checks: readonly ReadinessCheck[],
  notes: () => readonly string[],
): () => Promise<Readiness> {
  let running: Promise<Readiness["checks"]> | undefined;
  return async () => {
    running ??= runChecks(app, checks).finally(() => running = undefined);
    return { status: "ok", checks: await running, notes: [...notes()] };
  };
}

async function runChecks(app: App, checks: readonly ReadinessCheck[]): Promise<Readiness["checks"]> {
  const bound = { ...app, db: app.db.within(AbortSignal.timeout(TIMEOUT)) };
  const names = (await Promise.all(checks.map((check) => runCheck(bound, check)))).filter((name) => name !== null);
  if (names.length > 0) {
    throw new Fault("unavailable", "not_ready", `Not ready: ${names.join(", ")}`, { retryAfter: 2 });
  }
  return Object.fromEntries(checks.map(({ name }) => [name, "ok" as const]));
}

/** Runs a check. Returns null if the check passes, otherwise its name and sometimes a hint for the operator. */
async function runCheck(app: App, { name, passes }: ReadinessCheck): Promise<string | null> {
  try {
    return await passes(app) ? null : name;
  } catch (error) {
    app.log.warn("A readiness check failed", { check: name, error });
    return isRefusedLoginError(error) ? `${name} (the server refuses the role or its password)` : name;
  }
}
