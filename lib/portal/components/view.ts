/** Types of a page's content, without its frame. */
import type { Role } from "#lib/domains/auth/access.ts";
import type { Markup } from "#lib/http/page.ts";

/** 33 */
export interface CurrentUser {
  readonly displayName: string;
  readonly email: string;
  readonly role: Role;
  readonly unread: number;
  /** A warning on every page for operators, or null. */
  readonly warning: string | null;
}

/** A position in a hub's events: those after `since`. */
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

/** The content of a page. */
export interface PageView {
  readonly title: string;
  readonly section: PortalSection;
  /** The parent pages, outermost first. */
  readonly crumbs?: readonly NavLink[];
  /** The state of the page's object, next to the title. */
  readonly badge?: Markup | string;
  readonly lead?: Markup | string;
  /** Buttons and links at the title. */
  readonly actions?: Markup | string;
  /** The tabs, and the path of the current one. */
  readonly tabs?: { readonly links: readonly NavLink[]; readonly here: string };
  readonly body: Markup;
  /** A message about the last action. */
  readonly flash?: Markup | string | undefined;
  /** The events that refresh the page's live parts. */
  readonly follow?: StreamPosition;
  /** Seconds between refreshes without an event. */
  readonly poll?: number;
  /** CSS for this page only. */
  readonly style?: string;
  /** The HTTP status. Defaults to 200. */
  readonly status?: number;
}
