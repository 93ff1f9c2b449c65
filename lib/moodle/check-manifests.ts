/** Checks that the manifests contain all required objects and do not set any field that Wheelwright itself sets. */
import {
  ADOPTION_FILE_NAME,
  HUB_STEP_FILES,
  JOB_MANIFEST_FILES,
  LIBRARY_JOB_FILE_NAME,
  MAIL_SECRET_FILE_NAME,
  MANIFEST_PLACEHOLDERS,
  SECRETS_FILE_NAME,
  SPOKE_STEP_FILES,
} from "#lib/moodle/blueprint-files.ts";
import { DEFAULT_FILES_PVC_NAME } from "#lib/moodle/names.ts";
import { isYamlMap, type ManifestTemplate } from "#lib/moodle/render.ts";

type Report = (problem: string) => void;
type Manifests = ReadonlyMap<string, readonly ManifestTemplate[]>;

/** The objects that Wheelwright finds by name. `changed` is a `spec` field that only operations, not manifests, set. */
const REQUIRED_OBJECTS: readonly (readonly [file: string, kind: string, name: string, changed?: string])[] = [
  ["database.yaml", "StatefulSet", "db", "replicas"],
  ["files.yaml", "PersistentVolumeClaim", "files"],
  ["app.yaml", "Deployment", "moodle", "replicas"],
  ["cron.yaml", "CronJob", "moodle-cron", "suspend"],
  ["ingress.yaml", "Ingress", "moodle"],
  [ADOPTION_FILE_NAME, "PodTemplate", "adopt-database"],
  [ADOPTION_FILE_NAME, "PodTemplate", "adopt-files"],
];

/** The Kubernetes kinds that a manifest file must contain. */
const REQUIRED_KINDS: readonly (readonly [file: string, kind: string])[] = [
  ["limits.yaml", "ResourceQuota"],
  ["limits.yaml", "LimitRange"],
  ["settings.yaml", "ConfigMap"],
  [SECRETS_FILE_NAME, "Secret"],
  [MAIL_SECRET_FILE_NAME, "Secret"],
  ["issuer.yaml", "ClusterIssuer"],
];

export function formatManifestTitle(document: ManifestTemplate): string {
  const { kind, metadata } = isYamlMap(document) ? document : {};
  const name = isYamlMap(metadata) ? metadata["name"] : undefined;
  return [kind, name].filter((part) => typeof part === "string" && part !== "").join(" ")
    .replace("${FILES_CLAIM}", DEFAULT_FILES_PVC_NAME); // the default name of the PVC
}

export function checkManifestDocument(file: string, document: ManifestTemplate, report: Report): void {
  const metadata = isYamlMap(document) && isYamlMap(document["metadata"]) ? document["metadata"] : {};
  const isComplete = isYamlMap(document) &&
    [document["apiVersion"], document["kind"], metadata["name"]].every((text) =>
      typeof text === "string" && text !== ""
    );
  if (!isComplete) report(`${file}: each document needs apiVersion, kind and metadata.name`);
  else if ("namespace" in metadata) report(`${file}: remove metadata.namespace; Wheelwright sets it`);
}

/** Checks that a file contains the required Kubernetes kinds, and that each Job has its own file. */
export function checkDocumentKinds(file: string, documents: readonly ManifestTemplate[], report: Report): void {
  const kinds = documents.map((document) => isYamlMap(document) ? String(document["kind"]) : "");
  const namespaces = kinds.filter((kind) => kind === "Namespace").length;
  const needsNamespace = SPOKE_STEP_FILES.namespace.includes(file) || file === HUB_STEP_FILES.namespace;
  if (namespaces !== (needsNamespace ? 1 : 0)) {
    report(`${file}: must contain ${needsNamespace ? "one" : "no"} Namespace`);
  }
  const jobFiles = [...new Set(Object.values(JOB_MANIFEST_FILES)), LIBRARY_JOB_FILE_NAME];
  const isJob = jobFiles.includes(file);
  if (isJob && (kinds.length !== 1 || kinds[0] !== "Job")) {
    report(`${file}: must contain one Job and nothing else`);
  }
  if (!isJob && kinds.includes("Job")) {
    report(`${file}: must not contain a Job. Files for Jobs: ${jobFiles.join(", ")}`);
  }
  if (isJob && !formatManifestTitle(documents[0]).endsWith("-${FENCE}")) {
    report(`${file}: the Job's metadata.name must end with -\${FENCE}, so that each attempt has its own Job`);
  }
  if (file === SECRETS_FILE_NAME && kinds.some((kind) => kind !== "Secret")) {
    report(`${file}: may contain only Secrets`);
  }
  for (const [, kind] of REQUIRED_KINDS.filter(([fileName]) => fileName === file)) {
    if (!kinds.includes(kind)) report(`${file}: must contain a ${kind}`);
  }
}

/** Checks all files for missing objects, duplicate objects, and `spec` fields that only operations may set. */
export function checkAllManifests(manifests: Manifests, report: Report): void {
  for (const [file, kind, name, changed] of REQUIRED_OBJECTS) {
    const title = `${kind} ${name}`;
    const match = manifests.get(file)?.find((document) => formatManifestTitle(document) === title);
    if (!match) report(`${file}: must contain the ${title}`);
    const spec = isYamlMap(match) && isYamlMap(match["spec"]) ? match["spec"] : {};
    if (changed !== undefined && changed in spec) {
      report(`${file}: ${title}: remove spec.${changed}; suspending a site changes it, and an apply would revert it`);
    }
  }
  const locations = new Map<string, string>();
  for (const file of MANIFEST_PLACEHOLDERS.keys()) {
    const ofHub = Object.values(HUB_STEP_FILES).includes(file); // hubs and spokes have separate namespaces
    for (const document of manifests.get(file) ?? []) {
      const title = formatManifestTitle(document),
        key = `${ofHub ? "hub" : "spoke"} ${title}`,
        previous = locations.get(key);
      if (previous !== undefined && title !== "") {
        report(`${file}: duplicate ${title}${previous === file ? "" : `; it is also in ${previous}`}`);
      }
      locations.set(key, file);
    }
  }
}
