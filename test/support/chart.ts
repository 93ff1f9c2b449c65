/** Renders the Helm chart's templates one by one. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { helm } from "#test/support/tools.ts";

export const CHART = fileURLToPath(new URL("../../deploy/helm/wheelwright", import.meta.url));

/** The chart's required values, without optional values. */
export const REQUIRED_CHART_VALUES = {
  image: { repository: "registry.example.org/wheelwright" },
  publicUrl: "https://hubs.example.org",
  rootDomain: "spokes.example.org",
  existingSecret: "wheelwright",
};

/** Returns the rendered templates as text, keyed by file name. Omits templates that render no object. */
export function renderTemplates(
  values: object,
  release = "wheelwright",
  namespace = "wheelwright",
): Map<string, string> {
  const text = runHelm(["template", release, CHART, "--namespace", namespace, "--values", "-"], JSON.stringify(values));
  const texts = new Map<string, string>();
  for (const document of text.split(/^---\n/m).filter((each) => each.trim() !== "")) {
    const [, file = "", rest = ""] = /^# Source: wheelwright\/templates\/(\S+)\n(.*)$/s.exec(document) ?? [];
    texts.set(file, texts.has(file) ? `${texts.get(file)}---\n${rest}` : rest);
  }
  return new Map([...texts].sort(([a], [b]) => a < b ? -1 : 1));
}

export function renderObjects(values: object, release?: string, namespace?: string): Json[] {
  return [...renderTemplates(values, release, namespace).values()].flatMap(readObjects);
}

export function readObjects(text: string): Json[] {
  return parseAllDocuments(text).map((document) => document.toJS()).filter((object) => object !== null);
}

/** Runs Helm and returns its output. Throws an error with Helm's message if Helm fails. */
export function runHelm(args: readonly string[], input = ""): string {
  if (helm === null) throw new Error("Helm is missing; to download it, run npm run generate -- tools");
  return execFileSync(helm, args, { input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"], maxBuffer: 2 ** 24 });
}
