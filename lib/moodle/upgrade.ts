/**
 * Which upgrades there can be, and what a spoke is made from after one. Pure.
 *
 * It is judged by what the database says and by the code that the image holds, in the numbers that Moodle itself goes by;
 * names of versions are what people ask by, and decide only where the image does not tell.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { SpokeImages, SpokeNeeds } from "#lib/moodle/releases.ts";
import type { Code, SiteIdentity } from "#lib/moodle/results.ts";
import { compareVersions } from "#lib/moodle/sizes.ts";

interface UpgradeTarget {
  readonly version: string;
  readonly images: SpokeImages;
}

/** The database stays what it is: another major version of PostgreSQL could not read its files. */
export function upgradedInputs(inputs: SpokeInputs, { version, images }: UpgradeTarget): SpokeInputs {
  const { moodle, fpmDirectory } = images;
  return { ...inputs, version, images: { moodle, fpmDirectory, postgres: inputs.images.postgres } };
}

export interface UpgradeFacts {
  readonly version: string;
  readonly needs: SpokeNeeds;
  /** The spoke's own image of its database. */
  readonly postgres: string;
  /** What the database says of the site in it. */
  readonly site: Pick<SiteIdentity, "release" | "version">;
  /** What lies in the image of the version; null where it does not tell. */
  readonly code: Code | null;
}

interface UpgradeRefusal {
  readonly code: "NotNewer" | "TooOld" | "PostgresTooOld";
  readonly message: string;
  readonly hint: string;
}

/** Why there can be no such upgrade; null if there can. One to what the database is already goes on where it was cut off. */
export function refuseUpgrade({ version, needs, postgres, site, code }: UpgradeFacts): UpgradeRefusal | null {
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
  if (needs.upgradesFrom !== null && running !== null && compareNumbers(running, needs.upgradesFrom) < 0) {
    return {
      code: "TooOld",
      message: `Moodle ${version} takes over sites from ${needs.upgradesFrom} on, and this one runs ${running}`,
      hint: "Upgrade it to a version in between first, then to this one.",
    };
  }
  if (needs.postgres !== null && postgresMajor(postgres) < needs.postgres) { // one that is not known is the operator's word
    return {
      code: "PostgresTooOld",
      message: `Moodle ${version} needs PostgreSQL ${needs.postgres}, and this spoke's database is ${postgres}`,
      hint:
        "A database of this size is moved to a newer PostgreSQL by hand; or make a new spoke, and move the site there.",
    };
  }
  return null;
}

/** The major version of PostgreSQL that an image is of, as its tag says; NaN where it does not. */
export function postgresMajor(image: string): number {
  return Number(/:(\d+)[^/]*$/.exec(image)?.[1]);
}

function isOlder({ version, code }: Pick<UpgradeFacts, "version" | "code">, site: UpgradeFacts["site"]): boolean {
  if (code?.version && site.version) return Number(code.version) < Number(site.version);
  const running = releaseNumber(site.release);
  return running !== null && compareAsAsked(running, version) > 0;
}

/**
 * Whether the database is of what was asked for: of the image's own release, or else of a release whose name begins
 * with the version.
 */
export function isOfVersion(
  site: Pick<SiteIdentity, "release">,
  { version, code }: Pick<UpgradeFacts, "version" | "code">,
): boolean {
  if (code?.release) return site.release === code.release;
  const running = releaseNumber(site.release);
  return running !== null && compareAsAsked(running, version) === 0;
}

/** Whether it is a step to another branch, such as from 4.5 to 5.2, which rewrites much more than one within a branch. */
export function isMajorStep(site: Pick<SiteIdentity, "release">, version: string): boolean {
  const running = releaseNumber(site.release);
  return running === null || compareNumbers(branchOf(running), branchOf(version)) !== 0;
}

const MINOR_SECONDS = 3 * 3600;

/** The Job of a step within a branch has less time than the manifest allows for the largest. */
export function limitUpgrade(job: KubeObject, major: boolean): KubeObject {
  const given = job["spec"].activeDeadlineSeconds ?? Infinity;
  if (major) return job;
  return { ...job, spec: { ...job["spec"], activeDeadlineSeconds: Math.min(given, MINOR_SECONDS) } };
}

/** The number in front of `4.5.12 (Build: 20261005)`. */
function releaseNumber(release: string | null): string | null {
  return /^\d+(?:\.\d+)*/.exec(release ?? "")?.[0] ?? null;
}

function branchOf(version: string): string {
  return numbersOf(version).slice(0, 2).join(".");
}

/** As far as the version was given: 4.5.12 is what 4.5 asks for. */
function compareAsAsked(running: string, version: string): number {
  const given = numbersOf(version).length;
  return compareNumbers(numbersOf(running).slice(0, given).join("."), version);
}

/** What is left out counts as zero: Moodle calls its 5.2.0 just 5.2. */
function compareNumbers(a: string, b: string): number {
  const left = numbersOf(a), right = numbersOf(b), length = Math.max(left.length, right.length);
  const padded = (numbers: number[]) => Array.from({ length }, (_, i) => numbers[i] ?? 0).join(".");
  return compareVersions(padded(left), padded(right));
}

function numbersOf(version: string): number[] {
  return (releaseNumber(version) ?? "").split(".").map(Number);
}
