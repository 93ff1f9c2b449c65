/** Creates several spokes one after another, in the listed order: spokes named on the command line or in a file. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { getErrorReason } from "#lib/base/errors.ts";
import { decodeUtf8 } from "#lib/base/utf8.ts";
import { type NewSpoke, type Problem, type Spoke, type Wheelwright, WheelwrightError } from "#lib/client/client.ts";
import { CommandError, EXIT, UsageError } from "./exit-status.ts";
import { readStandardInput } from "./prompt.ts";

export interface SpokeRequest {
  readonly hub: string;
  readonly body: NewSpoke;
}

/** The result of creating one spoke, in the same format as the API's outcomes for bulk actions. */
export interface CreationOutcome {
  /** The spoke's name as requested, in the form `hub/slug`. */
  readonly id: string;
  readonly accepted: boolean;
  readonly outcome: "created" | "exists" | "refused";
  readonly spoke?: Spoke;
  readonly error?: Pick<Problem, "statusCode" | "code" | "message">;
  /** The fields in which an existing spoke differs from the request. */
  readonly differs: readonly string[];
}

export async function createSpokes(api: Wheelwright, requests: readonly SpokeRequest[]): Promise<CreationOutcome[]> {
  return await processEach(
    requests,
    async (one) => toOutcome(one, await api.createFederationSpoke({ federationId: one.hub }, one.body), "created"),
  );
}

/** Creates the requested spokes that do not exist yet. */
export async function ensureSpokes(api: Wheelwright, requests: readonly SpokeRequest[]): Promise<CreationOutcome[]> {
  const spokesByHub = new Map<string, Promise<readonly Spoke[]>>();
  return await processEach(requests, async (one) => {
    const { hub, body } = one;
    if (!spokesByHub.has(hub)) spokesByHub.set(hub, Promise.resolve(api.listFederationSpokes({ federationId: hub })));
    const found = (await spokesByHub.get(hub)!).find((spoke) => spoke.slug === body.slug && spoke.state !== "removing");
    if (found) return toOutcome(one, found, "exists", findDifferences(one, found));
    return toOutcome(one, await createOnce(api, one), "created");
  });
}

/**
 * Creates a spoke with an idempotency key that is derived from the request, so that a repeated request creates no
 * second spoke. The API remembers a key for a day. If the API returns a spoke that no longer exists, sends the
 * request again with a key that includes the ID of that spoke.
 */
async function createOnce(api: Wheelwright, { hub, body }: SpokeRequest): Promise<Spoke> {
  for (let removedId = "";;) {
    const idempotencyKey = createHash("sha256").update(JSON.stringify([hub, body, removedId])).digest("hex");
    const spoke = await api.createFederationSpoke({ federationId: hub }, body, { idempotencyKey });
    const now = await api.getSpoke({ spokeId: spoke.id }).catch((error) => {
      if (error instanceof WheelwrightError && error.statusCode === 404) return null;
      throw error;
    });
    if (now && now.state !== "removing") return now;
    removedId = spoke.id;
  }
}

function toOutcome(
  { hub, body }: SpokeRequest,
  spoke: Spoke,
  outcome: "created" | "exists",
  differs: readonly string[] = [],
): CreationOutcome {
  return { id: `${hub}/${body.slug}`, accepted: true, outcome, spoke, differs };
}

/** Returns the names of the requested fields in which the existing spoke differs. */
function findDifferences({ body }: SpokeRequest, spoke: Spoke): string[] {
  const record = spoke as unknown as Readonly<Record<string, unknown>>;
  return Object.entries(body).filter(([name, value]) =>
    value !== null && name in record && name !== "adminEmail" && record[name] !== value
  ).map(([name]) => name);
}

/**
 * Creates each spoke, and continues if the server refuses a spoke. Sends no more requests after a 401, a 5xx or a lost
 * connection, and reports the remaining spokes with the same error.
 */
async function processEach(
  requests: readonly SpokeRequest[],
  create: (one: SpokeRequest) => Promise<CreationOutcome>,
): Promise<CreationOutcome[]> {
  const outcomes: CreationOutcome[] = [];
  let fatalError: WheelwrightError | null = null;
  for (const one of requests) {
    try {
      if (fatalError) throw fatalError;
      outcomes.push(await create(one));
    } catch (error) {
      if (!(error instanceof WheelwrightError)) throw error;
      const { statusCode, code, message } = error;
      if (statusCode === 0 || statusCode === 401 || statusCode >= 500) fatalError = error;
      const id = `${one.hub}/${one.body.slug}`, refusal = { statusCode, code, message };
      outcomes.push({ id, accepted: false, outcome: "refused", error: refusal, differs: [] });
    }
  }
  return outcomes;
}

/**
 * Reads the spokes listed in a file, or in standard input for `-`. Throws a CommandError if the file cannot be parsed,
 * or if an entry has no hub or slug. The server validates the other fields.
 */
export async function readSpokeFile(file: string, hub: string | undefined): Promise<SpokeRequest[]> {
  const name = file === "-" ? "standard input" : file;
  const text = file === "-" ? await readStandardInput() : await readFile(file).then(decodeUtf8).catch((cause) => {
    throw new CommandError(EXIT.failed, `Cannot read ${file}: ${getErrorReason(cause)}`, { cause });
  });
  const { parse } = await import("yaml");
  let found: unknown;
  try {
    found = parse(text);
  } catch (cause) {
    throw new UsageError(`${name} is neither YAML nor JSON: ${String((cause as Error).message).split("\n")[0]}`, {
      cause,
    });
  }
  const list = Array.isArray(found) ? found : (found as { spokes?: unknown } | null)?.spokes;
  if (!Array.isArray(list)) {
    throw new UsageError(`${name} must contain a list of spokes, at the top level or under "spokes"`);
  }
  return list.map((entry: unknown, i) => parseEntry(entry, hub, `Entry ${i + 1} of ${name}`));
}

function parseEntry(entry: unknown, defaultHub: string | undefined, where: string): SpokeRequest {
  if (typeof entry !== "object" || entry === null) {
    throw new UsageError(`${where} must be a spoke, for example {hub: north, slug: ash}`);
  }
  const { hub: named, federationId, ...body } = entry as Record<string, unknown>,
    hub = named ?? federationId ?? defaultHub;
  if (typeof body["slug"] !== "string") {
    throw new UsageError(`${where} needs a slug, for example {hub: north, slug: ash}`);
  }
  if (typeof hub !== "string") {
    throw new UsageError(`${where} needs a hub, for example {hub: north, slug: ash}. Or use --hub`);
  }
  return { hub, body: body as unknown as NewSpoke };
}
