/**
 * Reads YAML as plain data: maps, lists and scalars. Tags, circular aliases, and aliases that expand without bounds are
 * reported as problems of the file.
 */
import { parseAllDocuments } from "yaml";
import { messageOf } from "#lib/base/errors.ts";

const MOST_LETTERS = 4 * 2 ** 20; // the maximum number of characters in all documents, with aliases expanded

const BETWEEN = "\n---\n"; // the separator of documents

/** Writes documents as JSON, which `readYaml` parses a hundred times faster than YAML. */
export function writeDocuments(documents: readonly unknown[]): string {
  return documents.map((document) => JSON.stringify(document)).join(BETWEEN);
}

/** Parses documents that `writeDocuments` wrote; null for any other text, which may mean something else in YAML. */
function readWritten(text: string): unknown[] | null {
  if (!text.startsWith("{")) return null;
  try {
    const documents = text.split(BETWEEN).map((document) => JSON.parse(document));
    return writeDocuments(documents) === text ? documents : null;
  } catch {
    return null;
  }
}

/** Returns the documents that are not empty. If there are problems, reports them and returns an empty list. */
export function readYaml(text: string, report: (problem: string) => void): unknown[] {
  const written = readWritten(text);
  if (written) return written;
  try {
    const parsed = parseAllDocuments(text, { schema: "core", prettyErrors: true });
    const documents = Array.isArray(parsed) ? parsed : [];
    const wrong = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]);
    for (const { message } of wrong) report(message.split("\n")[0]!.replace(/:$/, ""));
    return wrong.length > 0 ? [] : documents.map((document) => plain(document.toJS())).filter((each) => each !== null);
  } catch (error) {
    report(messageOf(error).split("\n")[0]!);
    return [];
  }
}

/** Returns the only document of a settings file; undefined if it is empty or invalid. */
export function readOneYaml(text: string, report: (problem: string) => void): unknown {
  const documents = readYaml(text, report);
  if (documents.length > 1) report("there must be one document in it");
  return documents.length > 1 ? undefined : documents[0];
}

function plain(value: unknown): unknown {
  const text = JSON.stringify(value ?? null); // throws for circular aliases
  if (text.length > MOST_LETTERS) throw new Error("its aliases make too much of it");
  return JSON.parse(text);
}
