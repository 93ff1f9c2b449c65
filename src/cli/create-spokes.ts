/** Creates several spokes one after another, so that the server installs the spokes in the listed order. */
import { createHash } from "node:crypto";
import { type Problem, type Spoke, type Wheelwright, WheelwrightError } from "#lib/client/client.ts";
import type { SpokeRequest } from "./spoke-files.ts";

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
    async (one) => createdOutcome(one, await api.createFederationSpoke({ federationId: one.hub }, one.body)),
  );
}

/** Creates the requested spokes that do not exist yet. */
export async function ensureSpokes(api: Wheelwright, requests: readonly SpokeRequest[]): Promise<CreationOutcome[]> {
  const spokesByHub = new Map<string, Promise<readonly Spoke[]>>();
  return await processEach(requests, async (one) => {
    const { hub, body } = one;
    if (!spokesByHub.has(hub)) spokesByHub.set(hub, Promise.resolve(api.listFederationSpokes({ federationId: hub })));
    const found = (await spokesByHub.get(hub)!).find((spoke) => spoke.slug === body.slug && spoke.state !== "removing");
    return found ? existingOutcome(one, found) : createdOutcome(one, await createOnce(api, one));
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

function createdOutcome({ hub, body }: SpokeRequest, spoke: Spoke): CreationOutcome {
  return { id: `${hub}/${body.slug}`, accepted: true, outcome: "created", spoke, differs: [] };
}

function existingOutcome({ hub, body }: SpokeRequest, spoke: Spoke): CreationOutcome {
  const record = spoke as unknown as Readonly<Record<string, unknown>>;
  const differs = Object.entries(body).filter(([name, value]) =>
    value !== null && name in record && name !== "adminEmail" && record[name] !== value
  ).map(([name]) => name);
  return {
    id: `${hub}/${body.slug}`,
    accepted: true,
    outcome: "exists",
    spoke,
    differs,
  };
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
      const refusal = { statusCode, code, message };
      outcomes.push({
        id: `${one.hub}/${one.body.slug}`,
        accepted: false,
        outcome: "refused",
        error: refusal,
        differs: [],
      });
    }
  }
  return outcomes;
}
