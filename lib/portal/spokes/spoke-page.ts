/** Loads the data that all of a spoke's pages need, and renders their headers. */
import { Fault } from "#lib/base/errors.ts";
import { canManageHub } from "#lib/domains/federations/viewer.ts";
import { SPOKE_OPERATIONS } from "#lib/operations/table.ts";
import { stateBadge } from "#lib/portal/components/parts.ts";
import type { Hub, Spoke } from "#lib/portal/components/api-types.ts";
import type { NavLink, PageView, StreamPosition } from "#lib/portal/components/view.ts";
import { type EndpointReturning, resultIfVisible } from "#lib/portal/page/call-api.ts";
import type { PageContext } from "#lib/portal/page/page.ts";

export interface SpokePageData {
  readonly spoke: Spoke;
  /** The spoke's hub; null if the user may not see the hub. */
  readonly hub: Hub | null;
  /** Whether the user is an operator or one of the hub's admins. */
  readonly canManageHub: boolean;
  readonly isOperator: boolean;
  readonly follow: StreamPosition;
}

type SpokePageCall = Pick<PageContext<unknown, unknown>, "callApi" | "actor" | "follow">;

/** Loads a spoke and its hub. Call this before other reads, to miss no event. Operators also see removed spokes. */
export async function loadSpokePage(
  { callApi, actor, follow }: SpokePageCall,
  spokes: EndpointReturning<Spoke>,
  hubs: EndpointReturning<Hub>,
): Promise<SpokePageData> {
  const query = { includeRemoved: "true" };
  const { federationId } = await callApi(spokes, { query }), following = await follow(federationId);
  const [spoke, hub] = await Promise.all([
    callApi(spokes, { query }),
    resultIfVisible(callApi(hubs, { params: { federationId }, query })),
  ]);
  return {
    spoke,
    hub,
    canManageHub: canManageHub(actor, federationId),
    isOperator: actor.role === "operator",
    follow: { ...following, spokeId: spoke.id },
  };
}

type Head =
  & Pick<PageView, "title" | "section" | "crumbs" | "badge" | "follow">
  & Required<Pick<PageView, "tabs">>;

/** Returns the page header for a tab of a spoke. `path` is the path of the tab, relative to the spoke's path. */
export function spokeHeader({ spoke, hub, follow }: SpokePageData, path: string): Head {
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

/** Returns the navigation section and the breadcrumb for a page below a spoke's page. */
export function subpageHeader(
  { spoke: { id, displayName }, hub }: SpokePageData,
): Pick<PageView, "section" | "crumbs"> {
  return { section: "hubs", crumbs: [...crumbsOf(hub), [displayName, `/spokes/${id}`]] };
}

function crumbsOf(hub: Hub | null): NavLink[] {
  return [["Hubs", "/hubs"], ...(hub ? [[hub.name, `/hubs/${hub.id}`] as const] : [])];
}

export type ActionName = keyof typeof SPOKE_OPERATIONS;

/** Returns the actions that the user may run in the spoke's current state, according to SPOKE_OPERATIONS. */
export function allowedActions({ spoke: { state, maintenance }, isOperator }: SpokePageData): readonly ActionName[] {
  return (Object.keys(SPOKE_OPERATIONS) as ActionName[]).filter((name) => {
    const operation = SPOKE_OPERATIONS[name];
    if (!("action" in operation) || ("forOperators" in operation && !isOperator)) return false;
    if (name === (maintenance ? "maintenance-on" : "maintenance-off")) return false;
    return (operation.from as readonly string[]).includes(state) || (state === "failed" && "mends" in operation);
  });
}

/** Throws a `forbidden` fault (`federation_admin_only`) if the user is neither an operator nor a hub admin. */
export function requireHubManager(spokePage: SpokePageData): SpokePageData {
  if (spokePage.canManageHub) return spokePage;
  throw new Fault("forbidden", "federation_admin_only", "Only operators and admins of the hub can remove a spoke");
}
