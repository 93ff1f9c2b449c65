/** Renders the Jobs that work on the packages in a hub's library, and reads their results. */
import * as v from "valibot";
import type { CourseVersion, HubCourse } from "#lib/model/course.ts";
import { type ParsedBlueprint, toPhpCommandArgument } from "#lib/moodle/parse-blueprint.ts";
import { findVersionImages, listOfferedVersions } from "#lib/moodle/releases.ts";
import type { PlaceholderValues } from "#lib/moodle/render.ts";

/** The name and the size of a package in a library. */
export type LibraryPackage = Pick<CourseVersion, "sha256" | "bytes">;

/** The work of a Job on these packages. */
export interface LibraryTask {
  readonly mode: "check" | "delete" | "restore";
  readonly packages: readonly LibraryPackage[];
  /** The PVC from which packages are restored. */
  readonly backupClaim?: string;
}

/** The name of the library's PVC. */
export const LIBRARY_PVC_NAME = "library";

/** Returns the image of the newest Moodle, which has PHP. */
export function findLibraryImage({ images }: Pick<ParsedBlueprint, "images">): string {
  return findVersionImages(images, listOfferedVersions(images)[0]!)!.moodle;
}

/** Returns the placeholder values for library-job.yaml. */
export function buildLibraryJobValues(
  parsed: Pick<ParsedBlueprint, "images" | "scripts">,
  fence: string,
  { mode, packages, backupClaim }: LibraryTask,
): PlaceholderValues {
  const hasBackup = backupClaim !== undefined;
  return {
    MODE: mode,
    FENCE: fence,
    LIBRARY_IMAGE: findLibraryImage(parsed),
    PACKAGES_SCRIPT: toPhpCommandArgument(parsed.scripts.packages),
    PACKAGES: JSON.stringify(packages.map(({ sha256, bytes }) => [sha256, bytes])),
    BACKUP_MOUNT: hasBackup ? { name: "backup", mountPath: "/backup", readOnly: true } : null,
    BACKUP_VOLUME: hasBackup ? { name: "backup", persistentVolumeClaim: { claimName: backupClaim } } : null,
  };
}

const LibraryJobResult = v.object({
  /** A digit for each package: 1 if the library has it. */
  present: v.pipe(v.string(), v.regex(/^[01]*$/)),
  used: v.nullable(v.number()),
  free: v.nullable(v.number()),
  copied: v.number(),
  damaged: v.number(),
});

export interface LibraryContents extends Omit<v.InferOutput<typeof LibraryJobResult>, "present"> {
  /** The hashes of the packages that the library has, among those that the task names. */
  readonly packages: readonly string[];
}

const RESULT = "packages ";

/** Returns the library's contents according to the Job; null if the Job did not finish. */
export function parseLibraryContents(
  log: readonly string[],
  packages: readonly LibraryPackage[],
): LibraryContents | null {
  const line = log.findLast((each) => each.startsWith(RESULT));
  if (line === undefined) return null;
  try {
    const { present, ...rest } = v.parse(LibraryJobResult, JSON.parse(line.slice(RESULT.length)));
    if (present.length !== packages.length) return null;
    return { ...rest, packages: packages.filter((_, index) => present[index] === "1").map(({ sha256 }) => sha256) };
  } catch {
    return null; // a line that was cut off
  }
}

/** Returns the packages that the hub's courses name, each once. */
export function listPackages(courses: readonly HubCourse[] | null): readonly LibraryPackage[] {
  const packages = (courses ?? []).flatMap(({ versions }) => versions);
  return [...new Map(packages.map(({ sha256, bytes }) => [sha256, { sha256, bytes }])).values()];
}
