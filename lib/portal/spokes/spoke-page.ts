/** What all pages of a spoke are about, and what they begin with. */
import { Fault } from "#lib/base/errors.ts";
import { canManageHub } from "#lib/domains/federations/viewer.ts";
import { SPOKE_OPERATIONS } from "#lib/operations/table.ts";
import { stateBadge } from "#lib/portal/components/parts.ts";
import type { Hub, Spoke } from "#lib/portal/components/api-types.ts";
import type { Follow, NavLink, View } from "#lib/portal/components/view.ts";
import { type EndpointReturning, ifAllowed } from "#lib/portal/page/call-api.ts";
import type { PageCall } from "#lib/portal/page/page.ts";

export interface SpokePage {
  readonly spoke: Spoke;
  /** Its hub, or null for one who may not see it. */
  readonly hub: Hub | null;
  /** Whether the caller runs the hub, rather than some of its spokes. */
  readonly canManageHub: boolean;
  readonly isOperator: boolean;
  readonly follow: Follow;
}

type SpokePageCall = Pick<PageCall<unknown, unknown>, "callApi" | "actor" | "follow">;

/** To be asked before what else the page shows is read. A removed spoke is there for operators, as in the API. */
export async function loadSpokePage(
  { callApi, actor, follow }: SpokePageCall,
  spokes: EndpointReturning<Spoke>,
  hubs: EndpointReturning<Hub>,
): Promise<SpokePage> {
  const query = { includeRemoved: "true" };
  const { federationId } = await callApi(spokes, { query }), following = await follow(federationId);
  const [spoke, hub] = await Promise.all([
    callApi(spokes, { query }),
    ifAllowed(callApi(hubs, { params: { federationId }, query })),
  ]);
  return {
    spoke,
    hub,
    canManageHub: canManageHub(actor, federationId),
    isOperator: actor.role === "operator",
    follow: following,
  };
}

type Head = Pick<View, "title" | "section" | "crumbs" | "badge" | "follow" | "style"> & Required<Pick<View, "tabs">>;

/** Of a page that is a tab of the spoke: `path` is what stands behind the spoke's own address. */
export function spokeHead({ spoke, hub, follow }: SpokePage, path: string): Head {
  const { id, displayName, state, health } = spoke;
  const of = (text: string, path: string): NavLink => [text, `/spokes/${id}${path}`];
  const activeTabs = [of("Members", "/members"), of("Settings", "/settings")];
  return {
    title: displayName,
    section: "hubs",
    crumbs: crumbsOf(hub),
    badge: stateBadge(state, health),
    tabs: {
      links: [
        of("Overview", ""),
        of("Operations", "/operations"),
        of("Activity", "/activity"),
        of("Backups", "/backups"),
        ...(state === "removed" ? [] : activeTabs),
      ],
      here: `/spokes/${id}${path}`,
    },
    follow,
  };
}

/** Of a page below the spoke's own. */
export function subpageHead({ spoke: { id, displayName }, hub }: SpokePage): Pick<View, "section" | "crumbs"> {
  return { section: "hubs", crumbs: [...crumbsOf(hub), [displayName, `/spokes/${id}`]] };
}

function crumbsOf(hub: Hub | null): NavLink[] {
  return [["Hubs", "/hubs"], ...(hub ? [[hub.name, `/hubs/${hub.id}`] as const] : [])];
}

export type ActionName = keyof typeof SPOKE_OPERATIONS;

/** What the caller may ask of the spoke as it is, by the operations' own declarations. */
export function allowedActions({ spoke: { state, maintenance }, isOperator }: SpokePage): readonly ActionName[] {
  return (Object.keys(SPOKE_OPERATIONS) as ActionName[]).filter((name) => {
    const operation = SPOKE_OPERATIONS[name];
    if (!("isAction" in operation) || ("forOperators" in operation && !isOperator)) return false;
    if (name === (maintenance ? "maintenance-on" : "maintenance-off")) return false;
    return (operation.from as readonly string[]).includes(state) || (state === "failed" && "mends" in operation);
  });
}

/** For pages of what those who run the hub may do. Throws Fault forbidden `federation_admin_only`, as the API does. */
export function requireHubManager(spokePage: SpokePage): SpokePage {
  if (spokePage.canManageHub) return spokePage;
  throw new Fault("forbidden", "federation_admin_only", "Only an operator or an admin of its hub may remove a spoke");
}
