/**
 * Checks requirements of the program that apply to all manifests: the objects that it addresses by name, and the fields
 * that it sets itself.
 */
import {
  ADOPT_FILE,
  HUB_FILES,
  JOB_FILES,
  MAIL_FILE,
  MANIFESTS,
  SECRETS_FILE,
  STEP_FILES,
} from "#lib/moodle/blueprint-files.ts";
import { FILES } from "#lib/moodle/names.ts";
import { isMap, type ManifestTemplate } from "#lib/moodle/render.ts";

type Report = (problem: string) => void;
type Manifests = ReadonlyMap<string, readonly ManifestTemplate[]>;

/** The objects that the program addresses by name, with the field that actions change. */
const NAMED: readonly (readonly [file: string, kind: string, name: string, changed?: string])[] = [
  ["database.yaml", "StatefulSet", "db", "replicas"],
  ["files.yaml", "PersistentVolumeClaim", "files"],
  ["app.yaml", "Deployment", "moodle", "replicas"],
  ["cron.yaml", "CronJob", "moodle-cron", "suspend"],
  ["ingress.yaml", "Ingress", "moodle"],
  [ADOPT_FILE, "PodTemplate", "adopt-database"],
  [ADOPT_FILE, "PodTemplate", "adopt-files"],
];

/** The kinds that a file must contain. */
const KINDS: readonly (readonly [file: string, kind: string])[] = [
  ["limits.yaml", "ResourceQuota"],
  ["limits.yaml", "LimitRange"],
  ["settings.yaml", "ConfigMap"],
  [SECRETS_FILE, "Secret"],
  [MAIL_FILE, "Secret"],
  ["issuer.yaml", "ClusterIssuer"],
];

/** Returns a title such as `Deployment moodle`. */
export function requirementTitle(document: ManifestTemplate): string {
  const { kind, metadata } = isMap(document) ? document : {};
  const name = isMap(metadata) ? metadata["name"] : undefined;
  return [kind, name].filter((part) => typeof part === "string" && part !== "").join(" ")
    .replace("${FILES_CLAIM}", FILES); // the placeholder stands for the default name here
}

/** Checks the kind and name of a document. */
export function checkObject(file: string, document: ManifestTemplate, report: Report): void {
  const metadata = isMap(document) && isMap(document["metadata"]) ? document["metadata"] : {};
  const named = isMap(document) &&
    [document["apiVersion"], document["kind"], metadata["name"]].every((text) =>
      typeof text === "string" && text !== ""
    );
  if (!named) report(`${file}: each document must have apiVersion, kind and metadata.name`);
  else if ("namespace" in metadata) report(`${file}: metadata.namespace is set by the program; leave it out`);
}

/** Checks the kinds in a file. Each required kind must exist, and dangerous kinds must not. */
export function checkKinds(file: string, documents: readonly ManifestTemplate[], report: Report): void {
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
    const files = [...new Set(Object.values(JOB_FILES))];
    report(`${file}: a Job belongs into a file of its own, ${files.join(", ")}`);
  }
  if (isJob && !requirementTitle(documents[0]).endsWith("-${FENCE}")) {
    report(`${file}: the Job's metadata.name must end in -\${FENCE}, or a late holder would meet another's Job`);
  }
  if (file === SECRETS_FILE && kinds.some((kind) => kind !== "Secret")) report(`${file}: it holds nothing but Secrets`);
  for (const [, kind] of KINDS.filter(([place]) => place === file)) {
    if (!kinds.includes(kind)) report(`${file}: there must be a ${kind} in it`);
  }
}

/**
 * Checks all files together. Required objects must exist, no object may be defined twice, and no manifest may set a
 * field that actions change.
 */
export function checkWhole(manifests: Manifests, report: Report): void {
  for (const [file, kind, name, changed] of NAMED) {
    const title = `${kind} ${name}`;
    const found = manifests.get(file)?.find((document) => requirementTitle(document) === title);
    if (!found) report(`${file}: there must be the ${title} in it`);
    const spec = isMap(found) && isMap(found["spec"]) ? found["spec"] : {};
    if (changed !== undefined && changed in spec) {
      report(`${file}: ${title}: spec.${changed}: leave it out; suspending changes it, and a late apply must not`);
    }
  }
  const places = new Map<string, string>();
  for (const file of MANIFESTS.keys()) {
    const ofHub = Object.values(HUB_FILES).includes(file); // in another namespace than those of spokes
    for (const document of manifests.get(file) ?? []) {
      const title = requirementTitle(document), key = `${ofHub ? "hub" : "spoke"} ${title}`, before = places.get(key);
      if (before !== undefined && title !== "") {
        report(`${file}: ${title} is in ${before === file ? "it twice" : `${before} already`}`);
      }
      places.set(key, file);
    }
  }
}
