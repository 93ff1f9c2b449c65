/** Makes many spokes, one after another, so that they are installed in the order of the list; with an outcome for each. */
import { createHash } from "node:crypto";
import { type Problem, type Spoke, type Wheelwright, WheelwrightError } from "#lib/client/client.ts";
import type { Wanted } from "./spoke-files.ts";

/** As the API's outcomes of bulk actions are. */
export interface CreationOutcome {
  /** `hub/slug`, as it was asked for. */
  readonly id: string;
  readonly accepted: boolean;
  readonly outcome: "created" | "exists" | "refused";
  readonly spoke?: Spoke;
  readonly error?: Pick<Problem, "statusCode" | "code" | "message">;
  /** The fields in which what exists is not as it was asked for. */
  readonly differs: readonly string[];
}

export async function createSpokes(api: Wheelwright, wanted: readonly Wanted[]): Promise<CreationOutcome[]> {
  return await each(
    wanted,
    async (one) => made(one, await api.createFederationSpoke({ federationId: one.hub }, one.body)),
  );
}

/** Makes those that are missing. */
export async function ensureSpokes(api: Wheelwright, wanted: readonly Wanted[]): Promise<CreationOutcome[]> {
  const known = new Map<string, Promise<readonly Spoke[]>>();
  return await each(wanted, async (one) => {
    const { hub, body } = one;
    if (!known.has(hub)) known.set(hub, Promise.resolve(api.listFederationSpokes({ federationId: hub })));
    const found = (await known.get(hub)!).find((spoke) => spoke.slug === body.slug && spoke.state !== "removing");
    return found ? existing(one, found) : made(one, await createOnce(api, one));
  });
}

/**
 * By a key that is the same for the same wish, so that two who ask at once, or one who lost the answer, make one spoke. The
 * key of a spoke that has been destroyed since answers with that one for a day: then the next key is made from it.
 */
async function createOnce(api: Wheelwright, { hub, body }: Wanted): Promise<Spoke> {
  for (let gone = "";;) {
    const idempotencyKey = createHash("sha256").update(JSON.stringify([hub, body, gone])).digest("hex");
    const spoke = await api.createFederationSpoke({ federationId: hub }, body, { idempotencyKey });
    const now = await api.getSpoke({ spokeId: spoke.id }).catch((error) => {
      if (error instanceof WheelwrightError && error.statusCode === 404) return null;
      throw error;
    });
    if (now && now.state !== "removing") return now;
    gone = spoke.id;
  }
}

function made({ hub, body }: Wanted, spoke: Spoke): CreationOutcome {
  return { id: `${hub}/${body.slug}`, accepted: true, outcome: "created", spoke, differs: [] };
}

function existing({ hub, body }: Wanted, spoke: Spoke): CreationOutcome {
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

/** What is refused does not keep the others; a server that is away, or refuses us, is not asked for each of them. */
async function each(
  wanted: readonly Wanted[],
  make: (one: Wanted) => Promise<CreationOutcome>,
): Promise<CreationOutcome[]> {
  const outcomes: CreationOutcome[] = [];
  let lost: WheelwrightError | null = null;
  for (const one of wanted) {
    try {
      if (lost) throw lost;
      outcomes.push(await make(one));
    } catch (error) {
      if (!(error instanceof WheelwrightError)) throw error;
      const { statusCode, code, message } = error;
      if (statusCode === 0 || statusCode === 401 || statusCode >= 500) lost = error;
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
