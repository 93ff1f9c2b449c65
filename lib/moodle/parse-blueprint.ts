/** Parses and checks blueprint files. Reports all problems together, each with its file and field path. */
import { createHash } from "node:crypto";
import * as v from "valibot";
import { ConfigError } from "#lib/base/config.ts";
import {
  BLUEPRINT_FILE_NAMES,
  type BlueprintFiles,
  CLUSTER_SETTINGS_FILE,
  COURSES_FILE,
  IMAGES_FILE,
  MANIFEST_PLACEHOLDERS,
  PASSWORD_FILE,
  SEED_FILE,
  SIGN_IN_LINK_FILE,
  SITE_FACTS_FILE,
  SIZES_FILE,
  VERIFY_FILES_FILE,
} from "#lib/moodle/blueprint-files.ts";
import { checkPlaceholders, isYamlMap, type ManifestTemplate, parseDocuments } from "#lib/moodle/render.ts";
import {
  checkAllManifests,
  checkDocumentKinds,
  checkManifestDocument,
  formatManifestTitle,
} from "#lib/moodle/check-manifests.ts";
import { ClusterSettings, ImageCatalog, SizeCatalog } from "#lib/moodle/sizes.ts";
import { parseYamlDocument } from "#lib/moodle/yaml.ts";

interface ParsedBlueprint {
  /** A short hash of the manifests and scripts, without the sizes and images. */
  readonly revision: string;
  /** The parsed YAML documents in each manifest file. */
  readonly manifests: ReadonlyMap<string, readonly ManifestTemplate[]>;
  readonly sizes: SizeCatalog;
  readonly images: ImageCatalog;
  readonly surroundings: ClusterSettings;
  readonly scripts: {
    readonly seed: string;
    readonly courses: string;
    readonly password: string;
    readonly link: string;
    readonly facts: string;
    readonly verifyFiles: string;
  };
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
    const documents = parseDocuments(file, files[file]!, report);
    for (const document of documents) {
      checkPlaceholders([file, formatManifestTitle(document)].filter(Boolean).join(": "), document, names, report);
      checkManifestDocument(file, document, report);
    }
    if (problems.length > before) invalidFiles.add(file);
    else checkDocumentKinds(file, documents, report);
    manifests.set(file, documents);
  }
  if (invalidFiles.size === 0) checkAllManifests(manifests, report);
  const sizes = readSettings(SIZES_FILE, files, SizeCatalog, report);
  const images = readSettings(IMAGES_FILE, files, ImageCatalog, report);
  const surroundings = readSettings(CLUSTER_SETTINGS_FILE, files, ClusterSettings, report);
  if (images) checkPostgres(images, report);
  for (const file of [PASSWORD_FILE, SIGN_IN_LINK_FILE, SITE_FACTS_FILE, VERIFY_FILES_FILE]) {
    if (!PHP.test(files[file]!)) report(`${file}: it must begin with <?php`);
  }
  if (problems.length > 0 || !sizes || !images || !surroundings) throw createError(problems);
  const scripts = {
    seed: files[SEED_FILE]!,
    courses: files[COURSES_FILE]!,
    password: files[PASSWORD_FILE]!,
    link: files[SIGN_IN_LINK_FILE]!,
    facts: files[SITE_FACTS_FILE]!,
    verifyFiles: files[VERIFY_FILES_FILE]!,
  };
  return { revision: revisionOf(manifests, scripts), manifests, sizes, images, surroundings, scripts };
}

/** Formats each validation issue as a message such as "sizes.yaml: sizes.small.workers must be a number". */
export function formatIssues(file: string, issues: readonly v.BaseIssue<unknown>[]): string[] {
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
  formatIssues(file, result.issues).forEach(report);
  return null;
}

function checkPostgres(images: ImageCatalog, report: (problem: string) => void): void {
  const major = Number(/:(\d+)[^/]*$/.exec(images.postgres)?.[1]);
  for (const [version, { postgres }] of Object.entries(images.versions)) {
    if (postgres !== undefined && major < postgres) { // NaN, from a tag without a version, passes this check
      report(
        `${IMAGES_FILE}: versions.${version} needs PostgreSQL ${postgres}, but the postgres image is ${images.postgres}`,
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
export function toPhpArgument(script: string): string {
  return script.replace(PHP, "").replaceAll("$(", "$$$$("); // "$$" is one dollar sign in a replacement string
}
