/**
 * Decides which upgrades are possible, and computes a spoke's inputs after an upgrade. Pure.
 * It compares Moodle's own version numbers in the database and in the image's code. It uses the requested version name
 * only if the image has no version number.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { SpokeImages, VersionRequirements } from "#lib/moodle/releases.ts";
import type { CodeVersion, SiteIdentity } from "#lib/moodle/job-results.ts";
import { compareVersions } from "#lib/moodle/sizes.ts";

interface UpgradeTarget {
  readonly version: string;
  readonly images: SpokeImages;
}

/**
 * Returns the inputs in the new version. The PostgreSQL image stays, because another major version could not read the
 * data.
 */
export function upgradedInputs(inputs: SpokeInputs, { version, images }: UpgradeTarget): SpokeInputs {
  const { moodle, fpmDirectory } = images;
  return { ...inputs, version, images: { moodle, fpmDirectory, postgres: inputs.images.postgres } };
}

export interface UpgradeFacts {
  readonly version: string;
  readonly requirements: VersionRequirements;
  /** The spoke's current PostgreSQL image. */
  readonly postgres: string;
  /** The release and version in the site's database. */
  readonly site: Pick<SiteIdentity, "release" | "version">;
  /** The version of the code in the image; null if unknown. */
  readonly code: CodeVersion | null;
}

interface UpgradeRefusal {
  readonly code: "NotNewer" | "TooOld" | "PostgresTooOld";
  readonly message: string;
  readonly hint: string;
}

/**
 * Returns why the upgrade is not possible; null if it is possible. An upgrade to the current version continues an
 * interrupted upgrade.
 */
export function findUpgradeRefusal(
  { version, requirements, postgres, site, code }: UpgradeFacts,
): UpgradeRefusal | null {
  const running = releaseNumber(site.release);
  if (isOlder({ version, code }, site)) {
    return {
      code: "NotNewer",
      message:
        `The site cannot go to ${version}: its database is of ${site.release ?? site.version} already, and that ` +
        `of ${code?.release ?? version} cannot read it`,
      hint: "Moodle's data cannot go back to an older version: choose a newer one, or restore a backup.",
    };
  }
  if (
    requirements.upgradesFrom !== null && running !== null && compareNumbers(running, requirements.upgradesFrom) < 0
  ) {
    return {
      code: "TooOld",
      message: `Moodle ${version} takes over sites from ${requirements.upgradesFrom} on, and this one runs ${running}`,
      hint: "Upgrade it to a version in between first, then to this one.",
    };
  }
  // A tag without a version gives NaN, which passes this check.
  if (requirements.postgres !== null && postgresMajor(postgres) < requirements.postgres) {
    return {
      code: "PostgresTooOld",
      message: `Moodle ${version} needs PostgreSQL ${requirements.postgres}, and this spoke's database is ${postgres}`,
      hint:
        "A database of this size is moved to a newer PostgreSQL by hand; or make a new spoke, and move the site there.",
    };
  }
  return null;
}

/** Returns the major version in the tag of a PostgreSQL image; NaN if the tag contains none. */
export function postgresMajor(image: string): number {
  return Number(/:(\d+)[^/]*$/.exec(image)?.[1]);
}

function isOlder({ version, code }: Pick<UpgradeFacts, "version" | "code">, site: UpgradeFacts["site"]): boolean {
  if (code?.version && site.version) return Number(code.version) < Number(site.version);
  const running = releaseNumber(site.release);
  return running !== null && compareRequestedParts(running, version) > 0;
}

/**
 * Returns whether the database has the requested version. If the image's release is known, the database must have
 * exactly this release. Otherwise its release must start with the version.
 */
export function isAtVersion(
  site: Pick<SiteIdentity, "release">,
  { version, code }: Pick<UpgradeFacts, "version" | "code">,
): boolean {
  if (code?.release) return site.release === code.release;
  const running = releaseNumber(site.release);
  return running !== null && compareRequestedParts(running, version) === 0;
}

/**
 * Returns whether the upgrade changes the branch, for example from 4.5 to 5.2. Such an upgrade migrates much more data.
 */
export function isBranchChange(site: Pick<SiteIdentity, "release">, version: string): boolean {
  const running = releaseNumber(site.release);
  return running === null || compareNumbers(branchOf(running), branchOf(version)) !== 0;
}

const WITHIN_BRANCH_SECONDS = 3 * 3600;

/** Limits the time of an upgrade Job. An upgrade within a branch gets less time than the manifest allows. */
export function limitUpgradeTime(job: KubeObject, isBranchChange: boolean): KubeObject {
  const given = job["spec"].activeDeadlineSeconds ?? Infinity;
  if (isBranchChange) return job;
  return { ...job, spec: { ...job["spec"], activeDeadlineSeconds: Math.min(given, WITHIN_BRANCH_SECONDS) } };
}

/** Returns the number at the start of a release such as `4.5.12 (Build: 20261005)`; null if there is none. */
function releaseNumber(release: string | null): string | null {
  return /^\d+(?:\.\d+)*/.exec(release ?? "")?.[0] ?? null;
}

function branchOf(version: string): string {
  return numbersOf(version).slice(0, 2).join(".");
}

/** Compares two versions, but only the parts that the requested version has. For example, 4.5.12 matches 4.5. */
function compareRequestedParts(running: string, version: string): number {
  const given = numbersOf(version).length;
  return compareNumbers(numbersOf(running).slice(0, given).join("."), version);
}

/** Compares two version numbers. Missing parts count as zero, because Moodle calls 5.2.0 just 5.2. */
function compareNumbers(a: string, b: string): number {
  const left = numbersOf(a), right = numbersOf(b), length = Math.max(left.length, right.length);
  const padded = (numbers: number[]) => Array.from({ length }, (_, i) => numbers[i] ?? 0).join(".");
  return compareVersions(padded(left), padded(right));
}

function numbersOf(version: string): number[] {
  return (releaseNumber(version) ?? "").split(".").map(Number);
}
