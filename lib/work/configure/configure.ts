/**
 * Makes a site what its spoke's row says: title, administrator's address and look.
 *
 * What it is to be is read from the row in the first step, and kept with the operation: whoever changes the row after that
 * has another operation behind this one. The inputs that the row holds say what is in force, and become what is wished once
 * the site has taken it; until then the two differ, and by that a wish that came to nothing is known.
 */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import { changedParts, type Configured, configuredPart } from "#lib/blueprint/configure.ts";
import { SpokeInputs } from "#lib/blueprint/inputs.ts";
import { type HubSettings, type SeedPart, themeOf } from "#lib/blueprint/seed.ts";
import { OPERATION_KINDS } from "#lib/jobs/kinds.ts";
import type { Handler, Run } from "#lib/scheduler/handler.ts";
import { wishedInputs } from "#lib/spokes/wish.ts";
import { action } from "#lib/work/actions/actions.ts";
import { configureOutcomes } from "#lib/work/configure/outcomes.ts";
import { place, readRooms } from "#lib/work/install/provision.ts";
import { demandHealth, demandSeed } from "#lib/work/jobs.ts";
import { put } from "#lib/work/reapply/objects.ts";
import { demandRunning } from "#lib/work/running.ts";
import { note, openSpace, waiting } from "#lib/work/site.ts";

const SEED_PODS = "op=seed";

export function configure(app: App): Handler {
  return {
    ...action(app, {
      kind: OPERATION_KINDS.configure,
      steps: {
        prepare: (run) => prepare(app, run),
        seed: (run) => seed(app, run),
        health: async (run) => await demandHealth(await place(app, run), run),
      },
    }),
    hooks: configureOutcomes,
  };
}

async function prepare(app: App, run: Run): Promise<void> {
  const { space, spoke, inputs } = await openSpace(app, run);
  await demandRunning(space, run, "be changed", "ask for it again");
  await run.remember({ after: configuredPart(wishedInputs(app.catalog, spoke, inputs)) });
}

/** What the pods of an earlier holder's Job set, they have read here: so this is written first, and those are waited for. */
async function seed(app: App, run: Run): Promise<void> {
  const here = await place(app, run), { space, inputs } = here, after = inputsAfter(inputs, run);
  const hub = await readRooms(app, run, here), changes = changedParts(inputs, after);
  const parts = changes.filter((part) => part !== "brand" || isConfigured(after, hub));
  if (parts.length < changes.length) {
    await note(run, [`The brand ${after.brand?.name} is not configured: the look stays as it is`]);
  }
  if (parts.length === 0) return;
  await put(space, run, app.blueprint.spokeObjects(after, "seed", hub, parts satisfies readonly SeedPart[]));
  await space.noPods(SEED_PODS, waiting(run));
  const { done, leftOut } = await demandSeed(here, run);
  run.log.info("Changed a site", { done, leftOut });
  await note(run, leftOut);
}

function isConfigured(inputs: SpokeInputs, hub: HubSettings): boolean {
  return themeOf(inputs, hub) !== null;
}

/** The spoke as it is to be, by what was kept of it. */
function inputsAfter(inputs: SpokeInputs, run: Run): SpokeInputs {
  return v.parse(SpokeInputs, { ...inputs, ...run.job.progress.after as Configured });
}
