/**
 * Applies the settings in a spoke's row to its site: title, administrator's address, brand, mail and domain.
 * The first step computes the desired settings and stores them with the operation. A later change of the row queues
 * another operation. The row's inputs hold the current settings and are updated at the end.
 * During a move, both domains lead to the site. Once the login page answers under the new domain, the old one becomes a
 * redirect. A failed move is reverted (address.ts).
 */
import type { App } from "#lib/app.ts";
import { changedParts, configuredPart } from "#lib/moodle/configure.ts";
import { NO_RELAY, themeOf } from "#lib/moodle/seed.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { Handler, Run } from "#lib/scheduler/handler.ts";
import { toDesiredInputs } from "#lib/domains/spokes/desired.ts";
import { action, observe, verify } from "#lib/workers/actions/actions.ts";
import { purgeOnce } from "#lib/workers/actions/tasks.ts";
import {
  inputsAfter,
  isMoving,
  movingNotes,
  openNewAddress,
  putAddressBack,
  putRedirects,
  tellSite,
  whenMoving,
  whenTold,
} from "#lib/workers/configure/address.ts";
import { configureOutcomes } from "#lib/workers/configure/outcomes.ts";
import { readRooms } from "#lib/workers/install/provision.ts";
import { demandHealth, demandSeed } from "#lib/workers/jobs.ts";
import { putObject } from "#lib/workers/reapply/objects.ts";
import { demandRunning } from "#lib/workers/running.ts";
import { note, type SpokeSite, waitingFor } from "#lib/workers/site.ts";

const SEED_PODS = "op=seed";

export function configure(app: App): Handler {
  return action(app, OPERATIONS.configure, {
    prepare,
    seed,
    ingress: openNewAddress,
    verify: whenTold(verify),
    app: whenTold(tellSite),
    caches: whenMoving(purgeOnce),
    health: (site, run) => demandHealth({ ...site, inputs: inputsAfter(site, run) }, run),
    redirect: whenMoving(putRedirects),
  }, {
    hooks: configureOutcomes,
    async observe(site, run) {
      const isBack = await putAddressBack(site, run);
      return { ...await observe(site, run), isBack };
    },
  });
}

async function prepare({ app, space, spoke, inputs }: SpokeSite, run: Run): Promise<void> {
  await demandRunning(space, run, "be changed", "ask for it again");
  const after = await toDesiredInputs(app, spoke, inputs);
  if (isMoving(inputs, after)) await note(run, movingNotes(inputs, after));
  if (inputs.mailHeld && !after.mailHeld && !after.mail) await note(run, [NO_RELAY]);
  await run.saveProgress({ after: configuredPart(after) });
}

/** Writes the settings first, then waits for pods of earlier attempts, which may still apply older settings. */
async function seed(site: SpokeSite, run: Run): Promise<void> {
  const { blueprint, space, inputs } = site, after = inputsAfter(site, run);
  const hub = await readRooms(site, run), changes = changedParts(inputs, after);
  const parts = changes.filter((part) => part !== "brand" || themeOf(after, hub) !== null);
  if (parts.length < changes.length) {
    await note(run, [`The brand ${after.brand?.name} is not configured: the look stays as it is`]);
  }
  if (parts.length === 0) return;
  await putObject(space, run, blueprint.spokeObjects(after, "seed", hub, parts));
  await space.noPods(SEED_PODS, waitingFor(run));
  const { done, leftOut } = await demandSeed(site, run);
  run.log.info("Changed a site", { done, leftOut });
  await note(run, leftOut);
}
