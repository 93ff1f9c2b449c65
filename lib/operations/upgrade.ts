/** Upgrades a site to a newer version of Moodle. */
import * as v from "valibot";
import { Flag } from "#lib/base/schema.ts";
import { MoodleVersion } from "#lib/model/spoke.ts";
import { SiteImages, type SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import { compareVersions } from "#lib/moodle/sizes.ts";
import { computeUpgradedInputs, getMoodleBranch } from "#lib/moodle/upgrade.ts";
import { describeUncheckedAddons, findUnsupportedAddons, type SiteAddons } from "#lib/catalog/addons.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { Fault } from "#lib/base/errors.ts";
import { buildObjectPut, type ObjectPut } from "#lib/operations/change.ts";
import { MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import {
  createPayloadSchema,
  declareOperation,
  type ParameterValues,
  type SpokeAfterQueuedOperations,
  UPDATE_TRANSITION,
} from "#lib/operations/operation.ts";
import { describeMaintenance } from "#lib/operations/maintenance.ts";
import { IMAGE_DIGEST, MOODLE_PARTS } from "#lib/operations/progress.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** The parameters of the action, which the API, the portal and the command line offer. */
export const UPGRADE_PARAMETERS = {
  lmsVersion: {
    schema: MoodleVersion,
    required: true,
    catalogued: "versions",
    label: "Version",
    hint: "The target version",
    example: "5.2.2",
  },
  skipBackup: {
    schema: Flag,
    required: false,
    catalogued: null,
    label: "Skip the backup",
    hint: "Upgrade without a backup if the cluster cannot take one. You cannot roll back without a backup",
    example: false,
  },
} as const;
export type UpgradeParameters = ParameterValues<typeof UPGRADE_PARAMETERS>;

/** The result of the step `prepare`. */
const PreparedUpgrade = v.object({
  version: v.string(),
  images: SiteImages,
  /** The version of the Moodle code in the new image; null if unknown. */
  code: v.nullable(v.object({ version: v.nullable(v.string()), release: v.nullable(v.string()) })),
  from: v.object({ version: v.string(), release: v.nullable(v.string()) }),
  /** Whether the upgrade is to another Moodle branch. */
  major: v.boolean(),
});
export type PreparedUpgrade = v.InferOutput<typeof PreparedUpgrade>;

/** The ID of the backup that was taken first, and the names of its VolumeSnapshots and VolumeSnapshotContents. */
const UpgradeBackup = v.object({ id: v.string(), snapshots: v.array(v.string()), contents: v.array(v.string()) });
export type UpgradeBackup = v.InferOutput<typeof UpgradeBackup>;

/**
 * Upgrades Moodle. The site is unchanged until the step `stop`; after that, only restoring the backup can undo the
 * upgrade. `prepare` pulls the image. The timeout of `migrate` exceeds the 6 hours that its Kubernetes Job may take.
 */
export const upgrade = declareOperation({
  name: "upgrade",
  action: { summary: "Upgrade Moodle to a newer version. A backup is taken first.", parameters: UPGRADE_PARAMETERS },
  verbPhrase: "upgrade",
  from: ["active"],
  transition: UPDATE_TRANSITION,
  allowedWhenFailed: true,
  risky: true,
  downtime: true,
  payload: createPayloadSchema(UPGRADE_PARAMETERS),
  progress: {
    ...IMAGE_DIGEST,
    ...MOODLE_PARTS,
    upgrade: PreparedUpgrade,
    backup: v.nullable(UpgradeBackup),
    /** The names of the Kubernetes Jobs that this operation created to upgrade the database. */
    upgrades: v.array(v.string()),
  },
  requireEffect(catalog, spoke, { lmsVersion }) {
    requireNewer(catalog, spoke, lmsVersion);
    const problem = findAddonProblem(catalog, spoke.version, lmsVersion, spoke.siteAddons);
    if (problem !== null) {
      throw new Fault("impossible", "addon_unsupported", `Cannot upgrade to ${lmsVersion}: ${problem}`);
    }
  },
  describe(subject) {
    const { skipBackup } = subject.payload;
    return [
      `A backup of both volumes is taken first${
        skipBackup ? ", if the cluster can" : "; if that fails, nothing is changed"
      }`,
      "A Job upgrades Moodle's database while the site is down; only a restore of the backup can undo this",
      ...(isSameBranch(subject.inputs.version, subject.payload.lmsVersion)
        ? []
        : describeUncheckedAddons(subject.catalog.addons, subject.siteAddons)),
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
  changes({ blueprint, catalog, inputs, payload: { lmsVersion: version } }) {
    const problem = catalog.findProblem("lmsVersion", version);
    if (problem === null) {
      return buildUpgradeChanges(
        blueprint,
        computeUpgradedInputs(inputs, { version, images: catalog.imagesOf(version) }),
      );
    }
    const missingReason = `Version ${version} is no longer offered: it ${problem}`; // of a retry
    return { app: [{ ref: MOODLE_DEPLOYMENT_REF, missingReason }] };
  },
});

function isSameBranch(from: string, to: string): boolean {
  return getMoodleBranch(from) === getMoodleBranch(to);
}

/** Returns which listed add-ons of the site lack the new branch of Moodle; null if none does, or if it is the same branch. */
export function findAddonProblem(
  { addons }: Pick<Catalog, "addons">,
  from: string,
  to: string,
  site: Pick<SiteAddons, "addons">,
): string | null {
  if (isSameBranch(from, to)) return null;
  const branch = getMoodleBranch(to), components = findUnsupportedAddons(addons, site.addons, branch);
  if (components.length === 0) return null;
  return `the catalog lists no version of ${components.join(", ")} for Moodle ${branch}`;
}

/** Returns the changes that an upgrade makes, including objects that only a newer blueprint contains. */
export function buildUpgradeChanges(
  blueprint: Blueprint,
  inputs: SpokeInputs,
): Readonly<Record<"app" | "cron", ObjectPut[]>> {
  const applied = (step: "app" | "cron") => blueprint.spokeObjects(inputs, step).map(buildObjectPut);
  return { app: applied("app"), cron: applied("cron") };
}

/**
 * Throws a `conflict` or `impossible` fault unless the requested version is newer than the running version. A name such
 * as `4.5` stands for a patch release that changes over time, so the patch releases are compared. The same version is
 * allowed if its image has changed. The upgrade itself later checks the version in the database.
 */
function requireNewer(catalog: Catalog, spoke: SpokeAfterQueuedOperations, version: string): void {
  const image = catalog.imagesOf(version).moodle, currentImage = spoke.inputs.images.moodle;
  const runningVersion = releaseOf(catalog, currentImage) ?? spoke.version;
  const target = releaseOf(catalog, image) ?? version;
  if (image === currentImage) {
    const why = `the spoke already runs ${runningVersion}`;
    throw new Fault("conflict", "version_unchanged", `Cannot upgrade to ${version}: ${why}`);
  }
  // Allows `4.5` on a site that runs 4.5.12: the upgrade itself checks whether the image is newer.
  if (compareVersions(target, runningVersion) < 0 && !runningVersion.startsWith(`${target}.`)) {
    const why = `the spoke runs ${runningVersion}, and Moodle cannot be downgraded`;
    throw new Fault("impossible", "version_not_newer", `Cannot upgrade to ${version}: ${why}`);
  }
}

/** Returns the version in the catalog that uses this image; null if no version does. */
function releaseOf(catalog: Catalog, image: string): string | null {
  return catalog.view.versions.find(({ name }) => catalog.imagesOf(name).moodle === image)?.name ?? null;
}
