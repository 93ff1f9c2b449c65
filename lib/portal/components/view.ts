/** A page as its view makes it, before the frame is around it. */
import type { Role } from "#lib/domains/auth/access.ts";
import type { Markup } from "#lib/http/page.ts";

/** Who looks at the page. */
export interface CurrentUser {
  readonly displayName: string;
  readonly email: string;
  readonly role: Role;
  /** Notifications that are unread. */
  readonly unread: number;
  /** What operators are told on every page; null where there is nothing. */
  readonly warning: string | null;
}

/** A hub's events, from the one after `since` on. */
export interface Follow {
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

/** A page without what is around it: of typed data, for one who may see it. */
export interface View {
  readonly title: string;
  readonly section: PortalSection;
  /** What it is part of, from the outside in. */
  readonly crumbs?: readonly NavLink[];
  /** Beside the title: the state of what the page is about. */
  readonly badge?: Markup | string;
  readonly lead?: Markup | string;
  /** Buttons and links for what can be done here. */
  readonly actions?: Markup | string;
  /** Pages about the same thing, and which of them this is, by its address. */
  readonly tabs?: { readonly links: readonly NavLink[]; readonly here: string };
  readonly body: Markup;
  /** What has just been done. */
  readonly flash?: Markup | string | undefined;
  /** Whose events make the page's live parts new. */
  readonly follow?: Follow;
  /** Seconds after which they are made new without an event. */
  readonly poll?: number;
  /** How parts look that this page alone has. */
  readonly style?: string;
  /** 200 when absent. */
  readonly status?: number;
}
