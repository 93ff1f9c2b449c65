/** Parses and checks blueprint files. Reports all problems together, each with its file and field path. */
import { createHash } from "node:crypto";
import * as v from "valibot";
import { ConfigError } from "#lib/base/config.ts";
import {
  ADDONS_SCRIPT_FILE_NAME,
  BLUEPRINT_FILE_NAMES,
  type BlueprintFiles,
  CHECK_SIGN_IN_SCRIPT_FILE_NAME,
  CLIENT_SCRIPT_FILE_NAME,
  CLUSTER_SETTINGS_FILE_NAME,
  COURSES_SCRIPT_FILE_NAME,
  DELIVER_COURSES_SCRIPT_FILE_NAME,
  IMAGES_FILE_NAME,
  LIBRARY_SCRIPT_FILE_NAME,
  MANIFEST_PLACEHOLDERS,
  PACKAGES_SCRIPT_FILE_NAME,
  PASSWORD_SCRIPT_FILE_NAME,
  PERSON_SCRIPT_FILE_NAME,
  PUBLISH_COURSE_SCRIPT_FILE_NAME,
  SEED_SCRIPT_FILE_NAME,
  SIGN_IN_LINK_SCRIPT_FILE_NAME,
  SIGN_ON_SCRIPT_FILE_NAME,
  SITE_INFO_FILE_NAME,
  SIZES_FILE_NAME,
  USAGE_SCRIPT_NAME,
  VERIFY_FILES_SCRIPT_NAME,
} from "#lib/moodle/blueprint-files.ts";
import { checkPlaceholders, isYamlMap, type ManifestTemplate, parseManifestDocuments } from "#lib/moodle/render.ts";
import {
  checkAllManifests,
  checkDocumentKinds,
  checkManifestDocument,
  formatManifestTitle,
} from "#lib/moodle/check-manifests.ts";
import { ClusterSettings, ImageCatalog, SizeCatalog } from "#lib/moodle/sizes.ts";
import { parseYamlDocument } from "#lib/moodle/yaml.ts";

/** The texts of the PHP scripts. */
export interface BlueprintScripts {
  readonly seed: string;
  readonly courses: string;
  readonly signOn: string;
  readonly client: string;
  readonly password: string;
  readonly link: string;
  readonly checkSignIn: string;
  readonly addons: string;
  readonly person: string;
  readonly library: string;
  readonly packages: string;
  readonly publishCourse: string;
  readonly deliverCourses: string;
  readonly facts: string;
  readonly verifyFiles: string;
  readonly usage: string;
}

export interface ParsedBlueprint {
  /** A short hash of the manifests and scripts, without the sizes and images. */
  readonly revision: string;
  /** The parsed YAML documents in each manifest file. */
  readonly manifests: ReadonlyMap<string, readonly ManifestTemplate[]>;
  readonly sizes: SizeCatalog;
  readonly images: ImageCatalog;
  readonly surroundings: ClusterSettings;
  readonly scripts: BlueprintScripts;
}

const PHP = /^<\?php\s/;

/** Parses blueprint files. If files are invalid, throws the error that `createError` returns for all problems. */
export function parseBlueprint(
  files: BlueprintFiles,
  createError: (problems: readonly string[]) => ConfigError,
): ParsedBlueprint {
  const problems: string[] = BLUEPRINT_FILE_NAMES.filter((name) => !Object.hasOwn(files, name)).map((name) =>
    `${name} is missing`
  );
  if (problems.length > 0) throw createError(problems);
  const report = (problem: string): void => void problems.push(problem);
  const manifests = new Map<string, readonly ManifestTemplate[]>();
  const invalidFiles = new Set<string>(); // invalid files get no further checks
  for (const [file, names] of MANIFEST_PLACEHOLDERS) {
    const before = problems.length;
    const documents = parseManifestDocuments(file, files[file]!, report);
    for (const document of documents) {
      checkPlaceholders([file, formatManifestTitle(document)].filter(Boolean).join(": "), document, names, report);
      checkManifestDocument(file, document, report);
    }
    if (problems.length > before) invalidFiles.add(file);
    else checkDocumentKinds(file, documents, report);
    manifests.set(file, documents);
  }
  if (invalidFiles.size === 0) checkAllManifests(manifests, report);
  const sizes = readSettings(SIZES_FILE_NAME, files, SizeCatalog, report);
  const images = readSettings(IMAGES_FILE_NAME, files, ImageCatalog, report);
  const surroundings = readSettings(CLUSTER_SETTINGS_FILE_NAME, files, ClusterSettings, report);
  if (images) checkPostgres(images, report);
  for (
    const file of [
      PASSWORD_SCRIPT_FILE_NAME,
      SIGN_IN_LINK_SCRIPT_FILE_NAME,
      SIGN_ON_SCRIPT_FILE_NAME,
      CLIENT_SCRIPT_FILE_NAME,
      CHECK_SIGN_IN_SCRIPT_FILE_NAME,
      ADDONS_SCRIPT_FILE_NAME,
      PERSON_SCRIPT_FILE_NAME,
      LIBRARY_SCRIPT_FILE_NAME,
      PACKAGES_SCRIPT_FILE_NAME,
      PUBLISH_COURSE_SCRIPT_FILE_NAME,
      DELIVER_COURSES_SCRIPT_FILE_NAME,
      SITE_INFO_FILE_NAME,
      VERIFY_FILES_SCRIPT_NAME,
      USAGE_SCRIPT_NAME,
    ]
  ) {
    if (!PHP.test(files[file]!)) report(`${file}: it must begin with <?php`);
  }
  if (problems.length > 0 || !sizes || !images || !surroundings) throw createError(problems);
  const scripts = {
    seed: files[SEED_SCRIPT_FILE_NAME]!,
    courses: files[COURSES_SCRIPT_FILE_NAME]!,
    signOn: files[SIGN_ON_SCRIPT_FILE_NAME]!,
    client: files[CLIENT_SCRIPT_FILE_NAME]!,
    password: files[PASSWORD_SCRIPT_FILE_NAME]!,
    link: files[SIGN_IN_LINK_SCRIPT_FILE_NAME]!,
    checkSignIn: files[CHECK_SIGN_IN_SCRIPT_FILE_NAME]!,
    addons: files[ADDONS_SCRIPT_FILE_NAME]!,
    person: files[PERSON_SCRIPT_FILE_NAME]!,
    library: files[LIBRARY_SCRIPT_FILE_NAME]!,
    packages: files[PACKAGES_SCRIPT_FILE_NAME]!,
    publishCourse: files[PUBLISH_COURSE_SCRIPT_FILE_NAME]!,
    deliverCourses: files[DELIVER_COURSES_SCRIPT_FILE_NAME]!,
    facts: files[SITE_INFO_FILE_NAME]!,
    verifyFiles: files[VERIFY_FILES_SCRIPT_NAME]!,
    usage: files[USAGE_SCRIPT_NAME]!,
  };
  return { revision: revisionOf(manifests, scripts), manifests, sizes, images, surroundings, scripts };
}

/** Returns the scripts of the seed, as placeholder values. */
export function pickSeedScripts({ scripts }: Pick<ParsedBlueprint, "scripts">) {
  return {
    SEED_SCRIPT: scripts.seed,
    COURSES_SCRIPT: scripts.courses,
    SIGN_ON_SCRIPT: scripts.signOn,
    CLIENT_SCRIPT: scripts.client,
  };
}

/** Formats each validation issue as a message such as "sizes.yaml: sizes.small.workers must be a number". */
export function formatValidationIssues(file: string, issues: readonly v.BaseIssue<unknown>[]): string[] {
  return issues.map((issue) => `${file}: ${v.getDotPath(issue) ?? "it"} ${describeIssue(issue)}`);
}

function describeIssue(issue: v.BaseIssue<unknown>): string {
  if (issue.expected === "never") return "is an unknown field";
  if (issue.received === "undefined") return "is missing";
  return issue.message.startsWith("Invalid") ? `must be ${issue.expected ?? "valid"}` : issue.message;
}

function readSettings<S extends v.GenericSchema>(
  file: string,
  files: BlueprintFiles,
  schema: S,
  report: (problem: string) => void,
): v.InferOutput<S> | null {
  const before: string[] = [];
  const value = parseYamlDocument(files[file]!, (problem) => before.push(`${file}: ${problem}`));
  before.forEach(report);
  if (before.length > 0) return null;
  const result = v.safeParse(schema, value ?? null);
  if (result.success) return result.output;
  formatValidationIssues(file, result.issues).forEach(report);
  return null;
}

function checkPostgres(images: ImageCatalog, report: (problem: string) => void): void {
  const major = Number(/:(\d+)[^/]*$/.exec(images.postgres)?.[1]);
  for (const [version, { postgres }] of Object.entries(images.versions)) {
    if (postgres !== undefined && major < postgres) { // NaN, from a tag without a version, passes this check
      report(
        `${IMAGES_FILE_NAME}: versions.${version} needs PostgreSQL ${postgres}, but the postgres image is ${images.postgres}`,
      );
    }
  }
}

/** Returns a hash of the manifests and scripts. Ignores YAML comments and key order, and omits sizes and images. */
function revisionOf(manifests: ParsedBlueprint["manifests"], scripts: ParsedBlueprint["scripts"]): string {
  const text = JSON.stringify(sortKeys([Object.fromEntries(manifests), scripts]));
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isYamlMap(value)) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sortKeys(value[key])]));
}

/** Returns the script as an argument for `php -r`. Escapes `$(`, because the kubelet would expand `$(NAME)`. */
export function toPhpCommandArgument(script: string): string {
  return script.replace(PHP, "").replaceAll("$(", "$$$$("); // "$$" is one dollar sign in a replacement string
}
