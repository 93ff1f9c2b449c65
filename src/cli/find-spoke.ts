/** Finds spokes by ID, `hub/slug`, domain, or a slug that only one spoke has. Also formats spoke names for display. */
import type { Spoke, Wheelwright } from "#lib/client/client.ts";
import { suggestSimilarName } from "./parse.ts";
import { CommandError, EXIT, UsageError } from "./exit-status.ts";

/** Reads the spoke with the given name. Throws a CommandError if no spoke or more than one spoke matches. */
export async function requireSpoke(api: Wheelwright, name: string): Promise<Spoke> {
  const [hub, slug, ...more] = name.split("/");
  if (slug === undefined && isIdOrDomain(name)) return await api.getSpoke({ spokeId: name });
  if (more.length > 0 || !hub || slug === "") {
    throw new UsageError(`"${name}" does not name a spoke. Use the ID, HUB/SLUG or domain of the spoke`);
  }
  const spokes = slug === undefined
    ? await api.listMySpokes({ slug: hub })
    : await api.listFederationSpokes({ federationId: hub, slug });
  if (spokes.length === 1) return spokes[0]!;
  if (spokes.length > 1) {
    const names = spokes.map(({ domain }) => domain).join(", ");
    throw new UsageError(`Several spokes have the slug ${name}. Use HUB/${name} or one of the domains: ${names}`);
  }
  const candidates = slug === undefined
    ? await api.listMySpokes()
    : await api.listFederationSpokes({ federationId: hub });
  const suggestion = suggestSimilarName(slug ?? hub, candidates.map((each) => each.slug));
  throw new CommandError(EXIT.notFound, `No spoke ${name} found${suggestion}`);
}

/** Returns a spoke's ID or domain, as the API requires. Sends a request only if `name` is a slug or `hub/slug`. */
export async function resolveSpokeId(api: Wheelwright, name: string): Promise<string> {
  return isIdOrDomain(name) && !name.includes("/") ? name : (await requireSpoke(api, name)).id;
}

function isIdOrDomain(name: string): boolean {
  return name.includes(".") || /^spk_/.test(name);
}

/** Returns the slugs of all hubs that the user can see, keyed by hub ID. */
export async function readHubSlugs(api: Wheelwright): Promise<ReadonlyMap<string, string>> {
  return new Map((await api.listFederations()).map(({ id, slug }) => [id, slug]));
}

/** Returns `hub/slug`, or the spoke's domain if the user cannot see the hub. */
export function formatSpokeName(
  spoke: Pick<Spoke, "federationId" | "slug" | "domain">,
  hubs: ReadonlyMap<string, string>,
): string {
  const hub = hubs.get(spoke.federationId);
  return hub ? `${hub}/${spoke.slug}` : spoke.domain;
}
