/** Spokes and hubs by what people call them: an id, `hub/slug`, a domain, or a slug alone where only one spoke has it. */
import type { Spoke, Wheelwright } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { didYouMean } from "../commands/line.ts";
import { MISUSED, NOT_FOUND } from "./status.ts";

/** Throws CommandError where there is none, or more than one. */
export async function lookUpSpoke(api: Wheelwright, name: string): Promise<Spoke> {
  const [hub, slug, ...more] = name.split("/");
  if (slug === undefined && isDirect(name)) return await api.getSpoke({ spokeId: name });
  if (more.length > 0 || !hub || slug === "") {
    throw new CommandError(
      MISUSED,
      `A spoke is named by its id, by HUB/SLUG, or by its domain; ${name} is none of these`,
    );
  }
  const spokes = slug === undefined
    ? await api.listMySpokes({ slug: hub })
    : await api.listFederationSpokes({ federationId: hub, slug });
  if (spokes.length === 1) return spokes[0]!;
  if (spokes.length > 1) {
    const names = spokes.map(({ domain }) => domain).join(", ");
    throw new CommandError(
      MISUSED,
      `Several spokes are called ${name}; name it by its hub, as HUB/${name}, or by its domain: ${names}`,
    );
  }
  const known = slug === undefined ? await api.listMySpokes() : await api.listFederationSpokes({ federationId: hub });
  const meant = didYouMean(slug ?? hub, known.map((each) => each.slug));
  throw new CommandError(NOT_FOUND, `You see no spoke ${name}${meant}`);
}

/** What the API takes for it; asks only where it must. */
export async function spokeIdOf(api: Wheelwright, name: string): Promise<string> {
  return isDirect(name) && !name.includes("/") ? name : (await lookUpSpoke(api, name)).id;
}

function isDirect(name: string): boolean {
  return name.includes(".") || /^spk_/.test(name);
}

/** The slug of each hub that is seen, by its id. */
export async function hubSlugs(api: Wheelwright): Promise<ReadonlyMap<string, string>> {
  return new Map((await api.listFederations()).map(({ id, slug }) => [id, slug]));
}

/** `hub/slug`, or the domain of a spoke whose hub is not seen. */
export function spokeName(
  spoke: Pick<Spoke, "federationId" | "slug" | "domain">,
  hubs: ReadonlyMap<string, string>,
): string {
  const hub = hubs.get(spoke.federationId);
  return hub ? `${hub}/${spoke.slug}` : spoke.domain;
}
