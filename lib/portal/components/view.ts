/** Types that describe a page's content, to which the frame is added later. */
import type { Role } from "#lib/domains/auth/access.ts";
import type { Markup } from "#lib/http/page.ts";

export interface CurrentUser {
  readonly displayName: string;
  readonly email: string;
  readonly role: Role;
  readonly unread: number;
  /** A warning that operators see on every page; null if there is none. */
  readonly warning: string | null;
}

/** A position in a hub's event stream, after the event with the number `since`. */
export interface StreamPosition {
  readonly federationId: string;
  readonly since: number;
}

export type PortalSection =
  | "hubs"
  | "requests"
  | "notifications"
  | "audit"
  | "users"
  | "tokens"
  | "account"
  | "changelog";
export type NavLink = readonly [text: string, href: string];

/** A page's content, without the frame. */
export interface PageView {
  readonly title: string;
  readonly section: PortalSection;
  /** Links to the parent pages, outermost first. */
  readonly crumbs?: readonly NavLink[];
  /** The state of what the page is about, shown next to the title. */
  readonly badge?: Markup | string;
  readonly lead?: Markup | string;
  /** Buttons and links to show next to the title. */
  readonly actions?: Markup | string;
  /** The tabs, and the path of the current tab. */
  readonly tabs?: { readonly links: readonly NavLink[]; readonly here: string };
  readonly body: Markup;
  /** A message about the user's last action. */
  readonly flash?: Markup | string | undefined;
  /** The event stream whose events make the page refresh its live parts. */
  readonly follow?: StreamPosition;
  /** How often to refresh the page even without an event, in seconds. */
  readonly poll?: number;
  /** CSS that only this page needs. */
  readonly style?: string;
  /** The response's HTTP status. Defaults to 200. */
  readonly status?: number;
}
