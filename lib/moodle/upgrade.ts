/** Pure functions that decide whether an upgrade is possible, and that compute a spoke's inputs after the upgrade. */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { SpokeImages, VersionRequirements } from "#lib/moodle/releases.ts";
import type { CodeVersion, SiteIdentity } from "#lib/moodle/job-results.ts";
import { compareVersions } from "#lib/moodle/sizes.ts";

interface UpgradeTarget {
  readonly version: string;
  readonly images: SpokeImages;
}

/** Returns the inputs with the new Moodle version. Keeps the PostgreSQL image, because the data depends on it. */
export function computeUpgradedInputs(inputs: SpokeInputs, { version, images }: UpgradeTarget): SpokeInputs {
  const { moodle, fpmDirectory } = images;
  return { ...inputs, version, images: { moodle, fpmDirectory, postgres: inputs.images.postgres } };
}

export interface UpgradeCheckInput {
  readonly version: string;
  readonly requirements: VersionRequirements;
  /** The PostgreSQL image that the spoke currently uses. */
  readonly postgres: string;
  /** The Moodle release and version number that the site's database contains. */
  readonly site: Pick<SiteIdentity, "release" | "version">;
  /** The version of the Moodle code in the new image; null if unknown. */
  readonly code: CodeVersion | null;
}

interface UpgradeRefusal {
  readonly code: "NotNewer" | "TooOld" | "PostgresTooOld";
  readonly message: string;
  readonly hint: string;
}

/** Returns why an upgrade is impossible, or null. Accepts the current version, so that an upgrade can resume. */
export function findUpgradeProblem(
  { version, requirements, postgres, site, code }: UpgradeCheckInput,
): UpgradeRefusal | null {
  const running = releaseNumber(site.release);
  if (isOlder({ version, code }, site)) {
    return {
      code: "NotNewer",
      message: `Cannot upgrade to ${code?.release ?? version}: the site's database already has the newer version ` +
        `${site.release ?? site.version}`,
      hint: "Moodle cannot be downgraded. Choose a newer version, or restore a backup.",
    };
  }
  if (
    requirements.upgradesFrom !== null && running !== null && compareNumbers(running, requirements.upgradesFrom) < 0
  ) {
    return {
      code: "TooOld",
      message:
        `Moodle ${version} can be upgraded from ${requirements.upgradesFrom} or later; this site runs ${running}`,
      hint: "Upgrade to an intermediate version first.",
    };
  }
  // Accepts an image tag without a version number, for which parsePostgresMajor returns NaN.
  if (requirements.postgres !== null && parsePostgresMajor(postgres) < requirements.postgres) {
    return {
      code: "PostgresTooOld",
      message:
        `Moodle ${version} needs PostgreSQL ${requirements.postgres} or later; this spoke's database runs ${postgres}`,
      hint: "Upgrade the database to a newer PostgreSQL manually, or create a new spoke and move the site to it.",
    };
  }
  return null;
}

/** Returns the PostgreSQL major version in an image's tag; NaN if the tag contains no version. */
export function parsePostgresMajor(image: string): number {
  return Number(/:(\d+)[^/]*$/.exec(image)?.[1]);
}

function isOlder(
  { version, code }: Pick<UpgradeCheckInput, "version" | "code">,
  site: UpgradeCheckInput["site"],
): boolean {
  if (code?.version && site.version) return Number(code.version) < Number(site.version);
  const running = releaseNumber(site.release);
  return running !== null && compareRequestedParts(running, version) > 0;
}

/** Returns whether the database has the new image's release or, if that is unknown, the requested version. */
export function isSiteAtVersion(
  site: Pick<SiteIdentity, "release">,
  { version, code }: Pick<UpgradeCheckInput, "version" | "code">,
): boolean {
  if (code?.release) return site.release === code.release;
  const running = releaseNumber(site.release);
  return running !== null && compareRequestedParts(running, version) === 0;
}

/** Returns whether an upgrade changes the Moodle branch, for example from 4.5 to 5.2. */
export function isMoodleBranchChange(site: Pick<SiteIdentity, "release">, version: string): boolean {
  const running = releaseNumber(site.release);
  return running === null || compareNumbers(branchOf(running), branchOf(version)) !== 0;
}

/** Returns the branch of a version, such as 5.2 for 5.2.2. */
export function getMoodleBranch(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

const WITHIN_BRANCH_SECONDS = 3 * 3600;

/** Shortens the upgrade Job's time limit to three hours, unless the upgrade changes the Moodle branch. */
export function limitUpgradeJobTime(job: KubeObject, isBranchChange: boolean): KubeObject {
  const limit = job["spec"].activeDeadlineSeconds ?? Infinity;
  if (isBranchChange) return job;
  return { ...job, spec: { ...job["spec"], activeDeadlineSeconds: Math.min(limit, WITHIN_BRANCH_SECONDS) } };
}

/** Returns the version number at the start of a release such as `4.5.12 (Build: 20261005)`; null if missing. */
function releaseNumber(release: string | null): string | null {
  return /^\d+(?:\.\d+)*/.exec(release ?? "")?.[0] ?? null;
}

function branchOf(version: string): string {
  return numbersOf(version).slice(0, 2).join(".");
}

/** Compares versions to the precision of the requested version, so that a running 4.5.12 equals a requested 4.5. */
function compareRequestedParts(running: string, version: string): number {
  const limit = numbersOf(version).length;
  return compareNumbers(numbersOf(running).slice(0, limit).join("."), version);
}

/** Compares two version numbers. A missing part counts as zero, because Moodle writes 5.2.0 as 5.2. */
function compareNumbers(a: string, b: string): number {
  const left = numbersOf(a), right = numbersOf(b), length = Math.max(left.length, right.length);
  const padded = (numbers: number[]) => Array.from({ length }, (_, i) => numbers[i] ?? 0).join(".");
  return compareVersions(padded(left), padded(right));
}

function numbersOf(version: string): number[] {
  return (releaseNumber(version) ?? "").split(".").map(Number);
}
