/** Parses YAML to plain data. Rejects tags, circular aliases, and aliases that expand to too much data. */
import { parseAllDocuments } from "yaml";
import { getErrorMessage } from "#lib/base/errors.ts";

const MAX_CHARACTERS = 4 * 2 ** 20; // the maximum number of characters in all documents, with aliases expanded

const SEPARATOR = "\n---\n"; // the separator of documents

/** Writes YAML documents as JSON, which is parsed about a hundred times faster than YAML. */
export function writeYamlDocuments(documents: readonly unknown[]): string {
  return documents.map((document) => JSON.stringify(document)).join(SEPARATOR);
}

/** Parses text that `writeYamlDocuments` wrote. Returns null for any other text, because it may be ordinary YAML. */
function parseWrittenDocuments(text: string): unknown[] | null {
  if (!text.startsWith("{")) return null;
  try {
    const documents = text.split(SEPARATOR).map((document) => JSON.parse(document));
    return writeYamlDocuments(documents) === text ? documents : null;
  } catch {
    return null;
  }
}

/** Returns all documents that are not empty. If the text is invalid, reports the problems and returns an empty list. */
export function parseYaml(text: string, report: (problem: string) => void): unknown[] {
  const written = parseWrittenDocuments(text);
  if (written) return written;
  try {
    const parsed = parseAllDocuments(text, { schema: "core", prettyErrors: true });
    const documents = Array.isArray(parsed) ? parsed : [];
    const issues = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]);
    for (const { message } of issues) report(message.split("\n")[0]!.replace(/:$/, ""));
    return issues.length > 0
      ? []
      : documents.map((document) => toPlainData(document.toJS())).filter((each) => each !== null);
  } catch (error) {
    report(getErrorMessage(error).split("\n")[0]!);
    return [];
  }
}

/** Parses a settings file, which must have one document. Reports problems; returns undefined if empty or invalid. */
export function parseYamlDocument(text: string, report: (problem: string) => void): unknown {
  const documents = parseYaml(text, report);
  if (documents.length > 1) report("must contain exactly one document");
  return documents.length > 1 ? undefined : documents[0];
}

function toPlainData(value: unknown): unknown {
  const text = JSON.stringify(value ?? null); // throws for circular aliases
  if (text.length > MAX_CHARACTERS) throw new Error("the document is too large after its aliases are expanded");
  return JSON.parse(text);
}
