/**
 * Fills placeholders (`${NAME}`) in the scalar values of parsed YAML, so a value cannot change a manifest's structure.
 * If a placeholder is a field's whole value, the inserted value keeps its type. A null or undefined value removes its
 * key or list item. Maps and lists that become empty are removed too, because an empty selector would match all
 * objects.
 */
import { parseYaml } from "#lib/moodle/yaml.ts";

const TOKEN = /\$\$\{|\$\{([A-Z][A-Z0-9_]*)\}|\$\{/g;
const LONE = /^\$\{([A-Z][A-Z0-9_]*)\}$/;
const ABSENT = Symbol("absent");

export type ManifestTemplate = unknown;
export type PlaceholderValues = Readonly<Record<string, unknown>>;

/** Parses the YAML documents in a file. Calls `report` with a sentence for each problem. */
export function parseManifestDocuments(
  file: string,
  text: string,
  report: (problem: string) => void,
): ManifestTemplate[] {
  return parseYaml(text, (problem) => report(`${file}: ${problem}`));
}

/** Reports unknown or malformed placeholders, and placeholders in keys. `at` is the template's path in its document. */
export function checkPlaceholders(
  file: string,
  template: ManifestTemplate,
  names: ReadonlySet<string>,
  report: (problem: string) => void,
  at: readonly (string | number)[] = [],
): void {
  const reportHere = (problem: string): void =>
    report([file, ...(at.length > 0 ? [at.join(".")] : []), problem].join(": "));
  const checkItem = (step: string | number, item: unknown): void =>
    checkPlaceholders(file, item, names, report, [...at, step]);
  if (typeof template === "string") {
    for (const [token, name] of template.matchAll(TOKEN)) {
      if (token === "${") {
        reportHere(
          `invalid placeholder in "${excerpt(template)}"; write \${NAME} in capitals, and $\${ for a literal \${`,
        );
      } else if (name !== undefined && !names.has(name)) reportHere(`unknown placeholder \${${name}}`);
    }
  } else if (Array.isArray(template)) {
    template.forEach((item, i) => checkItem(i, item));
  } else if (isYamlMap(template)) {
    for (const [key, item] of Object.entries(template)) {
      if (key.includes("${")) reportHere(`keys cannot contain placeholders: ${key}`);
      checkItem(key, item);
    }
  }
}

/** Returns the template with its placeholders filled. Throws a TypeError if `values` lacks one of the placeholders. */
export function fillPlaceholders(template: ManifestTemplate, values: PlaceholderValues): unknown {
  const filled = fillNode(template, values);
  return filled === ABSENT ? undefined : filled;
}

function fillNode(node: ManifestTemplate, values: PlaceholderValues): unknown {
  if (typeof node === "string") return fillText(node, values);
  if (Array.isArray(node)) {
    const items = node.map((item) => fillNode(item, values)).filter((item) => item !== ABSENT);
    return node.length > 0 && items.length === 0 ? ABSENT : items;
  }
  if (!isYamlMap(node)) return node;
  const all = Object.entries(node).map(([key, item]) => [key, fillNode(item, values)] as const);
  const present = all.filter(([, item]) => item !== ABSENT);
  return all.length > 0 && present.length === 0 ? ABSENT : Object.fromEntries(present);
}

function fillText(text: string, values: PlaceholderValues): unknown {
  const lone = LONE.exec(text)?.[1];
  if (lone !== undefined) return valueOf(lone, values) ?? ABSENT;
  let absent = false;
  const filled = text.replace(TOKEN, (token, name?: string) => {
    if (name === undefined) return token === "$${" ? "${" : token;
    const value = valueOf(name, values);
    if (value === undefined || value === null) absent = true;
    else if (typeof value === "object") {
      throw new TypeError(`\${${name}} is not a scalar; it must be the whole value of its field`);
    }
    return String(value);
  });
  return absent ? ABSENT : filled;
}

function valueOf(name: string, values: PlaceholderValues): unknown {
  if (!Object.hasOwn(values, name)) throw new TypeError(`Missing value for \${${name}}`);
  return values[name];
}

export function isYamlMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function excerpt(text: string): string {
  const line = text.split("\n").find((part) => part.includes("${")) ?? text;
  return line.trim().slice(0, 60);
}
