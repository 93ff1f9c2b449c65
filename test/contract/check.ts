/** Checks the API contract: compares the surface of the last release with the surface of this program.
 *
 *   npm run check -- contract                         fails on unannounced breaking changes
 *   node test/contract/check.ts --on 2027-01-31       checks as of that day
 *   npm run generate -- contract                      stores the current surface as released, unless it breaks the last
 *   node test/contract/check.ts --write               writes the current surface, as part of npm run generate
 *   node test/contract/check.ts --fresh               fails if the written surface is out of date
 *
 * The contract is test/golden/surface.released.txt. Each release rewrites and commits it. It is a file instead of a
 * tag's content, because shallow clones have no tags and because its changes are reviewed like any other. */
import { readFile, rename, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildOpenApiDocument } from "#lib/reference/openapi.ts";
import { manifest } from "#src/manifest.ts";
import { checkContract } from "#test/contract/contract.ts";
import { findShortAnnouncements } from "#test/contract/announcements.ts";
import type { OpenApiDocument } from "#test/contract/openapi-document.ts";
import { CONTRACT_EXCEPTIONS, type ContractException, listStaleExceptions } from "#test/contract/exceptions.ts";
import { parseSurface } from "#test/contract/parse-surface.ts";
import { reportContract } from "#test/contract/report.ts";
import { renderSurface } from "#test/contract/surface.ts";

const PRESENT = new URL("../golden/surface.txt", import.meta.url);
const PROMISE = new URL("../golden/surface.released.txt", import.meta.url);

export interface ContractCheckOptions {
  /** The file with the last release's surface. */
  readonly promise: URL;
  readonly present: string;
  /** An ISO date. */
  readonly today: string;
  readonly exceptions?: readonly ContractException[];
}

export interface ContractCheckResult {
  readonly status: number;
  readonly text: string;
}

export async function runContractCheck(
  { promise, present, today, exceptions = [] }: ContractCheckOptions,
): Promise<ContractCheckResult> {
  const released = parseSurface(await readFile(promise, "utf8"));
  const found = checkContract(released, parseSurface(present), today, exceptions);
  const stale = listStaleExceptions(found, exceptions);
  const status = stale.length > 0 || found.some(({ check }) => !check.allowed) ? 1 : 0;
  const text = reportContract(found, { endpoints: released.endpoints.size, today });
  return { status, text: text + stale.map(describeStale).join("") };
}

function describeStale({ messageEnd: says }: ContractException): string {
  return `\nAn exception no longer matches a finding. Remove it from test/contract/exceptions.ts: … ${says}\n`;
}

/** Replaces the released surface by the current one. Refuses if that would break the contract or announce a removal too
 * late. */
export async function releaseContract(asked: ContractCheckOptions): Promise<ContractCheckResult> {
  const { status, text } = await runContractCheck(asked);
  if (status !== 0) return { status, text: `${text}\nNot released.\n` };
  const { promise, present, today } = asked;
  const hasty = findShortAnnouncements(parseSurface(await readFile(promise, "utf8")), parseSurface(present), today);
  if (hasty.length > 0) {
    const message = "Not released: API users would be notified less than 30 days ahead";
    return { status: 1, text: `${message}\n${hasty.map((one) => `  ${one}\n`).join("")}` };
  }
  await writeFile(`${fileURLToPath(promise)}.new`, present);
  await rename(`${fileURLToPath(promise)}.new`, promise); // replaces the file atomically
  return { status: 0, text: `${text}\nReleased: commit ${fileURLToPath(promise)}\n` };
}

/** Returns the document with fixed versions, so that only changes of the surface change it. */
export function buildCurrentDocument(): OpenApiDocument {
  const document = buildOpenApiDocument(manifest, { api: "v0", version: "golden", commit: "golden" });
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument;
}

async function fresh(): Promise<ContractCheckResult> {
  if (await readFile(PRESENT, "utf8").catch(() => null) === renderSurface(buildCurrentDocument())) {
    return { status: 0, text: "" };
  }
  return { status: 1, text: "Stale: test/golden/surface.txt; run npm run generate\n" };
}

async function write(): Promise<ContractCheckResult> {
  await writeFile(PRESENT, renderSurface(buildCurrentDocument()));
  return { status: 0, text: "" };
}

async function main(line: string[]): Promise<ContractCheckResult> {
  const flag = { type: "boolean" } as const;
  const options = { on: { type: "string" }, release: flag, write: flag, fresh: flag } as const;
  const { values } = parseArgs({ args: line, options });
  if (values.write) return write();
  if (values.fresh) return fresh();
  const today = values.on ?? new Date().toISOString().slice(0, 10);
  return (values.release ? releaseContract : runContractCheck)({
    promise: PROMISE,
    present: renderSurface(buildCurrentDocument()),
    today,
    exceptions: CONTRACT_EXCEPTIONS,
  });
}

// Does not run when a test imports this module.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).catch((error: Error): ContractCheckResult => ({ status: 1, text: `${error.message}\n` }))
    .then(
      ({ status, text }) => {
        (status === 0 ? process.stdout : process.stderr).write(text);
        process.exitCode = status;
      },
    );
}
