/**
 * Checks requirements of the program that apply to all manifests: the objects that it addresses by name, and the fields
 * that it sets itself.
 */
import {
  ADOPT_FILE,
  HUB_FILES,
  JOB_FILES,
  MAIL_FILE,
  MANIFEST_PLACEHOLDERS,
  SECRETS_FILE,
  STEP_FILES,
} from "#lib/moodle/blueprint-files.ts";
import { DEFAULT_FILES_CLAIM } from "#lib/moodle/names.ts";
import { isMap, type ManifestTemplate } from "#lib/moodle/render.ts";

type Report = (problem: string) => void;
type Manifests = ReadonlyMap<string, readonly ManifestTemplate[]>;

/** The objects that the program addresses by name, with the field that actions change. */
const REQUIRED_OBJECTS: readonly (readonly [file: string, kind: string, name: string, changed?: string])[] = [
  ["database.yaml", "StatefulSet", "db", "replicas"],
  ["files.yaml", "PersistentVolumeClaim", "files"],
  ["app.yaml", "Deployment", "moodle", "replicas"],
  ["cron.yaml", "CronJob", "moodle-cron", "suspend"],
  ["ingress.yaml", "Ingress", "moodle"],
  [ADOPT_FILE, "PodTemplate", "adopt-database"],
  [ADOPT_FILE, "PodTemplate", "adopt-files"],
];

/** The kinds that a file must contain. */
const REQUIRED_KINDS: readonly (readonly [file: string, kind: string])[] = [
  ["limits.yaml", "ResourceQuota"],
  ["limits.yaml", "LimitRange"],
  ["settings.yaml", "ConfigMap"],
  [SECRETS_FILE, "Secret"],
  [MAIL_FILE, "Secret"],
  ["issuer.yaml", "ClusterIssuer"],
];

/** Returns a title such as `Deployment moodle`. */
export function documentTitle(document: ManifestTemplate): string {
  const { kind, metadata } = isMap(document) ? document : {};
  const name = isMap(metadata) ? metadata["name"] : undefined;
  return [kind, name].filter((part) => typeof part === "string" && part !== "").join(" ")
    .replace("${FILES_CLAIM}", DEFAULT_FILES_CLAIM); // the placeholder stands for the default name here
}

/** Checks the kind and name of a document. */
export function checkDocument(file: string, document: ManifestTemplate, report: Report): void {
  const metadata = isMap(document) && isMap(document["metadata"]) ? document["metadata"] : {};
  const isComplete = isMap(document) &&
    [document["apiVersion"], document["kind"], metadata["name"]].every((text) =>
      typeof text === "string" && text !== ""
    );
  if (!isComplete) report(`${file}: each document must have apiVersion, kind and metadata.name`);
  else if ("namespace" in metadata) report(`${file}: metadata.namespace is set by the program; leave it out`);
}

/** Checks the kinds in a file. Each required kind must exist, and dangerous kinds must not. */
export function checkDocumentKinds(file: string, documents: readonly ManifestTemplate[], report: Report): void {
  const kinds = documents.map((document) => isMap(document) ? String(document["kind"]) : "");
  const namespaces = kinds.filter((kind) => kind === "Namespace").length;
  const needsNamespace = STEP_FILES.namespace.includes(file) || file === HUB_FILES.namespace;
  if (namespaces !== (needsNamespace ? 1 : 0)) {
    report(`${file}: there must be ${needsNamespace ? "one" : "no"} Namespace in it`);
  }
  const isJob = Object.values(JOB_FILES).includes(file);
  if (isJob && (kinds.length !== 1 || kinds[0] !== "Job")) {
    report(`${file}: there must be one Job in it and nothing else`);
  }
  if (!isJob && kinds.includes("Job")) {
    const files = [...new Set(Object.values(JOB_FILES))];
    report(`${file}: a Job belongs into a file of its own, ${files.join(", ")}`);
  }
  if (isJob && !documentTitle(documents[0]).endsWith("-${FENCE}")) {
    report(`${file}: the Job's metadata.name must end in -\${FENCE}, or a late holder would meet another's Job`);
  }
  if (file === SECRETS_FILE && kinds.some((kind) => kind !== "Secret")) report(`${file}: it holds nothing but Secrets`);
  for (const [, kind] of REQUIRED_KINDS.filter(([fileName]) => fileName === file)) {
    if (!kinds.includes(kind)) report(`${file}: there must be a ${kind} in it`);
  }
}

/**
 * Checks all files together. Required objects must exist, no object may be defined twice, and no manifest may set a
 * field that actions change.
 */
export function checkAllManifests(manifests: Manifests, report: Report): void {
  for (const [file, kind, name, changed] of REQUIRED_OBJECTS) {
    const title = `${kind} ${name}`;
    const match = manifests.get(file)?.find((document) => documentTitle(document) === title);
    if (!match) report(`${file}: there must be the ${title} in it`);
    const spec = isMap(match) && isMap(match["spec"]) ? match["spec"] : {};
    if (changed !== undefined && changed in spec) {
      report(`${file}: ${title}: spec.${changed}: leave it out; suspending changes it, and a late apply must not`);
    }
  }
  const locations = new Map<string, string>();
  for (const file of MANIFEST_PLACEHOLDERS.keys()) {
    const ofHub = Object.values(HUB_FILES).includes(file); // in another namespace than those of spokes
    for (const document of manifests.get(file) ?? []) {
      const title = documentTitle(document), key = `${ofHub ? "hub" : "spoke"} ${title}`, previous = locations.get(key);
      if (previous !== undefined && title !== "") {
        report(`${file}: ${title} is in ${previous === file ? "it twice" : `${previous} already`}`);
      }
      locations.set(key, file);
    }
  }
}
