/** Brings a site to a newer version of Moodle. */
import type { SpokeInputs } from "#lib/blueprint/inputs.ts";
import type { Blueprint } from "#lib/blueprint/load.ts";
import { upgradedInputs } from "#lib/blueprint/upgrade.ts";
import { MOODLE, type Put, put } from "#lib/operations/change.ts";
import { operation } from "#lib/operations/operation.ts";
import { staysClosed } from "#lib/operations/says.ts";
import { UPDATE } from "#lib/operations/states.ts";
import { HOUR, MINUTE } from "#lib/time.ts";

/** The payload of its job. */
export interface UpgradeWish {
  readonly lmsVersion: string;
  readonly skipBackup: boolean;
}

/**
 * Until `stop` nothing has been touched; from then on the way back is the backup that was taken first. The image is pulled
 * in prepare, and migrate is longer than its Job's own 6 hours.
 */
export const upgrade = operation({
  name: "upgrade",
  isAction: true,
  deed: "upgrade",
  from: ["active"],
  passage: UPDATE,
  mends: true,
  risky: true,
  downtime: true,
  says(subject) {
    const { skipBackup } = subject.payload as UpgradeWish;
    return [
      `A backup of both volumes is taken first${skipBackup ? ", if the cluster can" : "; without it nothing is done"}`,
      "A Job upgrades Moodle's database while the site is down; the only way back is the backup",
      ...staysClosed(subject),
    ];
  },
  plan: {
    version: 1,
    limit: 10 * HOUR,
    steps: {
      prepare: ["Checking what the upgrade needs", 35 * MINUTE],
      backup: ["Taking a backup", 30 * MINUTE],
      stop: ["Stopping Moodle", 20 * MINUTE],
      migrate: ["Upgrading Moodle's database", 7 * HOUR],
      app: ["Starting the new version", 40 * MINUTE],
      verify: ["Checking the upgraded site", 6 * MINUTE],
      cron: ["Turning on scheduled tasks", MINUTE],
      health: ["Looking at the site's login page", 6 * MINUTE],
    },
  },
  changes({ blueprint, catalog, inputs, payload }) {
    const { lmsVersion: version } = payload as UpgradeWish, refusal = catalog.refuse("lmsVersion", version);
    if (refusal === null) {
      return upgradeChanges(blueprint, upgradedInputs(inputs, { version, images: catalog.imagesOf(version) }));
    }
    const lost = `Version ${version} is not on offer any more: it ${refusal}`; // of a retry
    return { app: [{ ref: MOODLE, lost }] };
  },
});

/** To what is made from these inputs. What a newer blueprint has besides is added. */
export function upgradeChanges(blueprint: Blueprint, inputs: SpokeInputs): Readonly<Record<"app" | "cron", Put[]>> {
  const applied = (step: "app" | "cron") => blueprint.spokeObjects(inputs, step).map(put);
  return { app: applied("app"), cron: applied("cron") };
}
