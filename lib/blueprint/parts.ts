/** Reads a blueprint's files into checked parts. Everything that is wrong is told at once, each with its file. */
import { createHash } from "node:crypto";
import * as v from "valibot";
import { parse } from "yaml";
import { ConfigError } from "#lib/config.ts";
import { messageOf } from "#lib/errors.ts";
import {
  FILE_NAMES,
  type Files,
  HUB_FILES,
  IMAGES_FILE,
  JOB_FILES,
  MANIFESTS,
  SECRETS_FILE,
  SEED_FILE,
  SIZES_FILE,
  STEP_FILES,
  SURROUNDINGS_FILE,
} from "#lib/blueprint/files.ts";
import { checkPlaceholders, isMap, parseDocuments, type Template } from "#lib/blueprint/render.ts";
import { Images, Sizes, Surroundings } from "#lib/blueprint/sizes.ts";

export interface Parts {
  /** A short hash of all files. */
  readonly revision: string;
  /** The documents of each manifest file. */
  readonly manifests: ReadonlyMap<string, readonly Template[]>;
  readonly sizes: Sizes;
  readonly images: Images;
  readonly surroundings: Surroundings;
  readonly seedScript: string;
}

export function readParts(files: Files): Parts {
  const problems: string[] = FILE_NAMES.filter((name) => !Object.hasOwn(files, name)).map((name) =>
    `${name} is missing`
  );
  if (problems.length > 0) throw refused(problems);
  const report = (problem: string): void => void problems.push(problem);
  const manifests = new Map<string, readonly Template[]>();
  for (const [file, names] of MANIFESTS) {
    const documents = parseDocuments(file, files[file]!, report);
    for (const document of documents) {
      checkPlaceholders(file, document, names, report);
      checkObject(file, document, report);
    }
    checkKinds(file, documents, report);
    manifests.set(file, documents);
  }
  const sizes = readSettings(SIZES_FILE, files, Sizes, report);
  const images = readSettings(IMAGES_FILE, files, Images, report);
  const surroundings = readSettings(SURROUNDINGS_FILE, files, Surroundings, report);
  if (images) checkPostgres(images, report);
  if (problems.length > 0 || !sizes || !images || !surroundings) throw refused(problems);
  return { revision: revisionOf(files), manifests, sizes, images, surroundings, seedScript: files[SEED_FILE]! };
}

/** One message for all that is wrong with the blueprint. */
export function refused(problems: readonly string[]): ConfigError {
  return new ConfigError(problems.map((problem) => `BLUEPRINT_DIR or the built-in blueprint: ${problem}`));
}

/** "sizes.small.workers must be a number", for each issue. */
export function issuesOf(file: string, issues: readonly v.BaseIssue<unknown>[]): string[] {
  return issues.map((issue) => `${file}: ${v.getDotPath(issue) ?? "it"} ${sentence(issue)}`);
}

function sentence(issue: v.BaseIssue<unknown>): string {
  if (issue.expected === "never") return "is not known here";
  if (issue.received === "undefined") return "is missing";
  return issue.message.startsWith("Invalid") ? `must be ${issue.expected ?? "valid"}` : issue.message;
}

function readSettings<S extends v.GenericSchema>(
  file: string,
  files: Files,
  schema: S,
  report: (problem: string) => void,
): v.InferOutput<S> | null {
  try {
    const result = v.safeParse(schema, parse(files[file]!));
    if (result.success) return result.output;
    issuesOf(file, result.issues).forEach(report);
  } catch (error) {
    report(`${file}: ${messageOf(error).split("\n")[0]}`);
  }
  return null;
}

function checkObject(file: string, document: Template, report: (problem: string) => void): void {
  const metadata = isMap(document) && isMap(document["metadata"]) ? document["metadata"] : {};
  const named = isMap(document) &&
    [document["apiVersion"], document["kind"], metadata["name"]].every((text) =>
      typeof text === "string" && text !== ""
    );
  if (!named) report(`${file}: each document must have apiVersion, kind and metadata.name`);
  else if ("namespace" in metadata) report(`${file}: metadata.namespace is set by the program; leave it out`);
}

/** What the steps rely on, and what a late or foreign manifest could do harm with. */
function checkKinds(file: string, documents: readonly Template[], report: (problem: string) => void): void {
  const kinds = documents.map((document) => isMap(document) ? String(document["kind"]) : "");
  const namespaces = kinds.filter((kind) => kind === "Namespace").length;
  const holdsNamespace = STEP_FILES.namespace.includes(file) || file === HUB_FILES.namespace;
  if (namespaces !== (holdsNamespace ? 1 : 0)) {
    report(`${file}: there must be ${holdsNamespace ? "one" : "no"} Namespace in it`);
  }
  const isJob = Object.values(JOB_FILES).includes(file);
  if (isJob && (kinds.length !== 1 || kinds[0] !== "Job")) {
    report(`${file}: there must be one Job in it and nothing else`);
  }
  if (!isJob && kinds.includes("Job")) {
    report(`${file}: a Job belongs into a file of its own, ${Object.values(JOB_FILES)}`);
  }
  if (isJob && !JSON.stringify(documents[0] ?? null).includes('-${FENCE}"')) {
    report(`${file}: the Job's name must end in -\${FENCE}, or a late holder would meet another's Job`);
  }
  if (file === SECRETS_FILE && kinds.some((kind) => kind !== "Secret")) report(`${file}: it holds nothing but Secrets`);
}

function checkPostgres(images: Images, report: (problem: string) => void): void {
  const major = Number(/:(\d+)/.exec(images.postgres)?.[1]);
  for (const [version, { postgres }] of Object.entries(images.versions)) {
    if (postgres !== undefined && major < postgres) { // an unknown major, NaN, is the operator's word
      report(`${IMAGES_FILE}: versions.${version} needs PostgreSQL ${postgres}, and postgres is ${images.postgres}`);
    }
  }
}

function revisionOf(files: Files): string {
  const hash = createHash("sha256");
  for (const name of FILE_NAMES) hash.update(`${name}\0${files[name]}\0`);
  return hash.digest("hex").slice(0, 12);
}
