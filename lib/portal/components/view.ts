/** Types that describe the content of a portal page. `shell.ts` adds the frame with the navigation. */
import type { UserRole } from "#lib/model/user.ts";
import type { Markup } from "#lib/http/page.ts";

export interface CurrentUser {
  readonly displayName: string;
  readonly email: string;
  readonly role: UserRole;
  readonly unread: number;
  /** A warning that operators see on every page; null if there is no warning. */
  readonly warning: string | null;
  /** Whether the user may sign in with a password. */
  readonly usesPassword: boolean;
}

/** A position in a hub's event stream: right after the event with the number `since`. */
export interface StreamPosition {
  readonly federationId: string;
  readonly since: number;
  /** The only spoke whose events refresh the page. If absent, the events of all of the hub's spokes do. */
  readonly spokeId?: string;
}

export type PortalSection =
  | "hubs"
  | "spokes"
  | "operations"
  | "rollouts"
  | "requests"
  | "notifications"
  | "audit"
  | "users"
  | "webhooks"
  | "tokens"
  | "account"
  | "changelog";
export type NavLink = readonly [text: string, href: string];

/** The content of a portal page, without the frame and the navigation. */
export interface PageView {
  readonly title: string;
  readonly section: PortalSection;
  /** Links to the parent pages, outermost first. */
  readonly crumbs?: readonly NavLink[];
  /** A badge next to the title, with the state of the page's hub, spoke, operation or request. */
  readonly badge?: Markup | string;
  readonly lead?: Markup | string;
  /** Buttons and links next to the title of the page. */
  readonly actions?: Markup | string;
  /** The tabs of the page, and the path of the current tab. */
  readonly tabs?: { readonly links: readonly NavLink[]; readonly here: string };
  readonly body: Markup;
  /** A message about the user's last action. */
  readonly flash?: Markup | string | undefined;
  /** The hub event stream that the page follows. Events refresh the live parts that they change. */
  readonly follow?: StreamPosition;
  /** The number of seconds after which the page refreshes even without an event. */
  readonly poll?: number;
  /** The response's HTTP status. Defaults to 200. */
  readonly status?: number;
  /**
   * The URL to which the browser continues. A redirect of a form to another origin would not pass the page's content
   * security policy.
   */
  readonly continueTo?: string;
}
