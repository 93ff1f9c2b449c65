/** What all pages of a spoke are about, and what they begin with. */
import { Fault } from "#lib/base/errors.ts";
import { runsHub } from "#lib/domains/federations/viewer.ts";
import { SPOKE_OPERATIONS } from "#lib/operations/table.ts";
import { stateBadge } from "#lib/portal/components/parts.ts";
import type { Hub, Spoke } from "#lib/portal/components/told.ts";
import type { Follow, View, Way } from "#lib/portal/components/view.ts";
import { type Answering, ifAllowed } from "#lib/portal/page/ask.ts";
import type { PageCall } from "#lib/portal/page/page.ts";

export interface SpokePlace {
  readonly spoke: Spoke;
  /** Its hub, or null for one who may not see it. */
  readonly hub: Hub | null;
  /** Whether the caller runs the hub, rather than some of its spokes. */
  readonly runs: boolean;
  readonly operates: boolean;
  readonly follow: Follow;
}

type Asking = Pick<PageCall<unknown, unknown>, "ask" | "actor" | "follow">;

/** To be asked before what else the page shows is read. A removed spoke is there for operators, as in the API. */
export async function findPlace(
  { ask, actor, follow }: Asking,
  spokes: Answering<Spoke>,
  hubs: Answering<Hub>,
): Promise<SpokePlace> {
  const query = { includeRemoved: "true" };
  const { federationId } = await ask(spokes, { query }), followed = await follow(federationId);
  const [spoke, hub] = await Promise.all([
    ask(spokes, { query }),
    ifAllowed(ask(hubs, { params: { federationId }, query })),
  ]);
  return { spoke, hub, runs: runsHub(actor, federationId), operates: actor.role === "operator", follow: followed };
}

type Head = Pick<View, "title" | "section" | "crumbs" | "badge" | "follow" | "style"> & Required<Pick<View, "tabs">>;

/** Of a page that is a tab of the spoke: `path` is what stands behind the spoke's own address. */
export function spokeHead({ spoke, hub, follow }: SpokePlace, path: string): Head {
  const { id, displayName, state, health } = spoke;
  const of = (text: string, path: string): Way => [text, `/spokes/${id}${path}`];
  const living = [of("Members", "/members"), of("Settings", "/settings")];
  return {
    title: displayName,
    section: "hubs",
    crumbs: crumbsOf(hub),
    badge: stateBadge(state, health),
    tabs: {
      links: [
        of("Overview", ""),
        of("Activity", "/activity"),
        of("Backups", "/backups"),
        ...(state === "removed" ? [] : living),
      ],
      here: `/spokes/${id}${path}`,
    },
    follow,
  };
}

/** Of a page below the spoke's own. */
export function belowSpoke({ spoke: { id, displayName }, hub }: SpokePlace): Pick<View, "section" | "crumbs"> {
  return { section: "hubs", crumbs: [...crumbsOf(hub), [displayName, `/spokes/${id}`]] };
}

function crumbsOf(hub: Hub | null): Way[] {
  return [["Hubs", "/hubs"], ...(hub ? [[hub.name, `/hubs/${hub.id}`] as const] : [])];
}

export type ActionName = keyof typeof SPOKE_OPERATIONS;

/** What the caller may ask of the spoke as it is, by the operations' own declarations. */
export function actionsOf({ spoke: { state, maintenance }, operates }: SpokePlace): readonly ActionName[] {
  return (Object.keys(SPOKE_OPERATIONS) as ActionName[]).filter((name) => {
    const operation = SPOKE_OPERATIONS[name];
    if (!("isAction" in operation) || ("forOperators" in operation && !operates)) return false;
    if (name === (maintenance ? "maintenance-on" : "maintenance-off")) return false;
    return (operation.from as readonly string[]).includes(state) || (state === "failed" && "mends" in operation);
  });
}

/** For pages of what those who run the hub may do. Throws Fault forbidden `federation_admin_only`, as the API does. */
export function requireStanding(place: SpokePlace): SpokePlace {
  if (place.runs) return place;
  throw new Fault("forbidden", "federation_admin_only", "Only an operator or an admin of its hub may remove a spoke");
}
