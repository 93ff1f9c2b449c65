/**
 * Keeps what the API has promised: compares the document of the last release with the one that this program gives.
 *
 *   npm run check:contract                            fails on what breaks those who call, and was not announced
 *   npm run check:contract -- --on 2027-01-31         the same as it will be judged on that day
 *   npm run release:contract                          makes the present document the promise, unless it breaks the last
 *
 * The promise is test/golden/openapi.released.json: part of cutting a release is to write it anew and to commit it.
 */
import { readFile, rename, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { checkContract } from "#lib/docs/contract/contract.ts";
import { findHasty } from "#lib/docs/contract/declared.ts";
import { type Exception, EXCEPTIONS, staleExceptions } from "#lib/docs/contract/exceptions.ts";
import { type OpenApiDocument, operationsOf } from "#lib/docs/contract/document.ts";
import { reportContract } from "#lib/docs/contract/report.ts";
import { describeApi } from "#lib/docs/openapi.ts";
import { manifest } from "./manifest.ts";

const PROMISE = new URL("../test/golden/openapi.released.json", import.meta.url);

export interface Asked {
  /** The file that holds the last release's document. */
  readonly promise: URL;
  readonly present: OpenApiDocument;
  /** An ISO date. */
  readonly today: string;
  readonly exceptions?: readonly Exception[];
}

export interface Said {
  readonly status: number;
  readonly text: string;
}

export async function check({ promise, present, today, exceptions = [] }: Asked): Promise<Said> {
  const released = JSON.parse(await readFile(promise, "utf8")) as OpenApiDocument;
  const found = checkContract(released, present, today, exceptions), stale = staleExceptions(found, exceptions);
  const status = stale.length > 0 || found.some(({ verdict }) => !verdict.allowed) ? 1 : 0;
  const text = reportContract(found, { endpoints: operationsOf(released).length, today });
  return { status, text: text + stale.map(tellStale).join("") };
}

function tellStale({ says }: Exception): string {
  return `\nAn exception excuses nothing any more; take it out of lib/docs/contract/exceptions.ts: … ${says}\n`;
}

/** Writes the present document over the released one, unless that would break a promise or make one too short. */
export async function release(asked: Asked): Promise<Said> {
  const { status, text } = await check(asked);
  if (status !== 0) return { status, text: `${text}\nNot released.\n` };
  const { promise, present, today } = asked;
  const hasty = findHasty(JSON.parse(await readFile(promise, "utf8")) as OpenApiDocument, present, today);
  if (hasty.length > 0) {
    const told = "Not released: who calls would learn of it less than 30 days ahead";
    return { status: 1, text: `${told}\n${hasty.map((one) => `  ${one}\n`).join("")}` };
  }
  await writeFile(`${fileURLToPath(promise)}.new`, `${JSON.stringify(present, null, 2)}\n`);
  await rename(`${fileURLToPath(promise)}.new`, promise); // whole, or as it was
  return { status: 0, text: `${text}\nReleased: commit ${fileURLToPath(promise)}\n` };
}

/** What the golden file holds: not of one version, so that nothing but the surface makes it another. */
export function presentDocument(): OpenApiDocument {
  const document = describeApi(manifest, { api: "v0", version: "golden", commit: "golden" });
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument;
}

async function main(line: string[]): Promise<number> {
  const { values } = parseArgs({ args: line, options: { on: { type: "string" }, release: { type: "boolean" } } });
  const today = values.on ?? new Date().toISOString().slice(0, 10);
  const { status, text } = await (values.release ? release : check)({
    promise: PROMISE,
    present: presentDocument(),
    today,
    exceptions: EXCEPTIONS,
  });
  (status === 0 ? process.stdout : process.stderr).write(text);
  return status;
}

// A test imports this module too, and does nothing by that.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).then((status) => process.exitCode = status, (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}
