/**
 * YAML as plain data: maps, lists and scalars, and nothing that a parser could be led astray by.
 *
 * A tag would make something else of a value, an alias of an alias grows without bounds, and one that leads to itself
 * has no end: each is told as a problem with the file and stops the start, like any other mistake.
 */
import { parseAllDocuments } from "yaml";
import { messageOf } from "#lib/base/errors.ts";

const MOST_LETTERS = 4 * 2 ** 20; // of all documents, aliases written out

const BETWEEN = "\n---\n"; // documents

/** YAML that is read in a hundredth of the time, because it is JSON. */
export function writeDocuments(documents: readonly unknown[]): string {
  return documents.map((document) => JSON.stringify(document)).join(BETWEEN);
}

/** What was written so, to the letter: only then is it sure that YAML means the same. */
function readWritten(text: string): unknown[] | null {
  if (!text.startsWith("{")) return null;
  try {
    const documents = text.split(BETWEEN).map((document) => JSON.parse(document));
    return writeDocuments(documents) === text ? documents : null;
  } catch {
    return null;
  }
}

/** The documents that hold anything; none where something is wrong, which is told in one line each. */
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

/** The one document of a file of settings; undefined where none exists, or something is wrong. */
export function readOneYaml(text: string, report: (problem: string) => void): unknown {
  const documents = readYaml(text, report);
  if (documents.length > 1) report("there must be one document in it");
  return documents.length > 1 ? undefined : documents[0];
}

function plain(value: unknown): unknown {
  const text = JSON.stringify(value ?? null); // throws for what leads to itself
  if (text.length > MOST_LETTERS) throw new Error("its aliases make too much of it");
  return JSON.parse(text);
}
