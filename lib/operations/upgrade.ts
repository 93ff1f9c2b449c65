/** Upgrades a site to a newer version of Moodle. */
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import { compareVersions } from "#lib/moodle/sizes.ts";
import { computeUpgradedInputs } from "#lib/moodle/upgrade.ts";
import { type Catalog, requireOffered } from "#lib/catalog/catalog.ts";
import { Fault } from "#lib/base/errors.ts";
import { type ObjectPut, putObject } from "#lib/operations/change.ts";
import { MOODLE_DEPLOYMENT } from "#lib/moodle/names.ts";
import { type CurrentSpoke, declareOperation, parameterNeededFault } from "#lib/operations/operation.ts";
import { describeMaintenance } from "#lib/operations/maintenance.ts";
import { UPDATE_TRANSITION } from "#lib/operations/states.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

export interface UpgradeParameters {
  readonly lmsVersion: string;
  readonly skipBackup: boolean;
}

/**
 * Upgrades Moodle. The site is not touched before `stop`. After that, only the backup can undo the upgrade. The image is
 * pulled in `prepare`. `migrate` is longer than its Job's 6 hours.
 */
export const upgrade = declareOperation({
  name: "upgrade",
  isAction: true,
  verbPhrase: "upgrade",
  from: ["active"],
  transition: UPDATE_TRANSITION,
  allowedWhenFailed: true,
  risky: true,
  downtime: true,
  parsePayload(catalog, { lmsVersion, moodleVersion, skipBackup = false }): UpgradeParameters {
    const version = lmsVersion ?? moodleVersion;
    if (lmsVersion !== undefined && moodleVersion !== undefined && lmsVersion !== moodleVersion) {
      const message = "lmsVersion and moodleVersion are the same parameter; set only one, or both to the same value";
      throw new Fault("invalid", "version_mismatch", message);
    }
    if (version === undefined) throw parameterNeededFault("lmsVersion", "upgrade", "the target version");
    requireOffered(catalog, { lmsVersion: version });
    return { lmsVersion: version, skipBackup };
  },
  requireEffect: (catalog, spoke, payload) => requireNewer(catalog, spoke, (payload as UpgradeParameters).lmsVersion),
  describe(subject) {
    const { skipBackup } = subject.payload as UpgradeParameters;
    return [
      `A backup of both volumes is taken first${
        skipBackup ? ", if the cluster can" : "; if that fails, nothing is changed"
      }`,
      "A Job upgrades Moodle's database while the site is down; only the backup can undo it",
      ...describeMaintenance(subject),
    ];
  },
  plan: {
    version: 1,
    limit: 10 * HOUR,
    steps: {
      prepare: ["Checking the requirements of the upgrade", 35 * MINUTE],
      backup: ["Taking a backup", 30 * MINUTE],
      stop: ["Stopping Moodle", 20 * MINUTE],
      migrate: ["Upgrading Moodle's database", 7 * HOUR],
      app: ["Starting the new version", 40 * MINUTE],
      verify: ["Checking the upgraded site", 6 * MINUTE],
      cron: ["Turning on scheduled tasks", MINUTE],
      health: ["Checking the site's login page", 6 * MINUTE],
    },
  },
  changes({ blueprint, catalog, inputs, payload }) {
    const { lmsVersion: version } = payload as UpgradeParameters, problem = catalog.findProblem("lmsVersion", version);
    if (problem === null) {
      return upgradeChanges(blueprint, computeUpgradedInputs(inputs, { version, images: catalog.imagesOf(version) }));
    }
    const missingReason = `Version ${version} is no longer offered: it ${problem}`; // of a retry
    return { app: [{ ref: MOODLE_DEPLOYMENT, missingReason }] };
  },
});

/** Returns the changes to the objects of these inputs. Objects that a newer blueprint adds are included. */
export function upgradeChanges(
  blueprint: Blueprint,
  inputs: SpokeInputs,
): Readonly<Record<"app" | "cron", ObjectPut[]>> {
  const applied = (step: "app" | "cron") => blueprint.spokeObjects(inputs, step).map(putObject);
  return { app: applied("app"), cron: applied("cron") };
}

/**
 * Throws a `conflict` or `impossible` fault unless the version is newer. Compares what the versions resolve to: `4.5`
 * may be 4.5.13 today and was 4.5.12 when the spoke was created. The same version is allowed if its image changed, for
 * example because it was rebuilt or mirrored. The upgrade itself also checks the version in the database.
 */
function requireNewer(catalog: Catalog, spoke: CurrentSpoke, version: string): void {
  const image = catalog.imagesOf(version).moodle, currentImage = spoke.inputs.images.moodle;
  const runningVersion = releaseOf(catalog, currentImage) ?? spoke.version;
  const target = releaseOf(catalog, image) ?? version;
  if (image === currentImage) {
    throw new Fault("conflict", "version_unchanged", `Cannot upgrade to ${version}: it already runs ${runningVersion}`);
  }
  // Whether the offered 4.5 is newer than 4.5.12 is checked when the upgrade runs.
  if (compareVersions(target, runningVersion) < 0 && !runningVersion.startsWith(`${target}.`)) {
    const why = `it runs ${runningVersion}, and Moodle cannot be downgraded`;
    throw new Fault("impossible", "version_not_newer", `Cannot upgrade to ${version}: ${why}`);
  }
}

/** Returns the offered version with this image. */
function releaseOf(catalog: Catalog, image: string): string | null {
  return catalog.view.versions.find(({ name }) => catalog.imagesOf(name).moodle === image)?.name ?? null;
}
