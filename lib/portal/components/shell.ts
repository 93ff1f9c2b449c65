/** Renders the frame around every portal page: the navigation, the breadcrumb and the user's name. */
import type { UserRole } from "#lib/model/user.ts";
import { type HtmlPage, LOGO_SVG, type Markup, markup, trustedMarkup } from "#lib/http/page.ts";
import { icon, type IconName } from "#lib/portal/components/icons.ts";
import { callout, humanize } from "#lib/portal/components/parts.ts";
import type { CurrentUser, PageView, PortalSection } from "#lib/portal/components/view.ts";
import { scriptPath, stylePath } from "#lib/portal/page/asset.ts";

interface NavItem {
  readonly section: PortalSection;
  readonly icon: IconName;
  readonly text: string;
  readonly href: string;
  readonly roles?: readonly UserRole[];
}

const NAVIGATION: readonly NavItem[] = [
  { section: "hubs", icon: "hubs", text: "Hubs", href: "/hubs" },
  { section: "spokes", icon: "sites", text: "Spokes", href: "/spokes" },
  { section: "operations", icon: "work", text: "Operations", href: "/operations" },
  { section: "rollouts", icon: "waves", text: "Rollouts", href: "/rollouts" },
  { section: "requests", icon: "requests", text: "Requests", href: "/requests" },
  { section: "notifications", icon: "bell", text: "Notifications", href: "/notifications" },
  { section: "webhooks", icon: "news", text: "Webhooks", href: "/webhooks", roles: ["operator"] },
  { section: "audit", icon: "audit", text: "Audit", href: "/audit", roles: ["operator"] },
  { section: "users", icon: "people", text: "Users", href: "/users", roles: ["operator"] },
];

const ACCOUNT_NAVIGATION: readonly NavItem[] = [
  { section: "tokens", icon: "key", text: "API tokens", href: "/tokens" },
  { section: "account", icon: "account", text: "Account", href: "/account" },
];

export function renderShell(me: CurrentUser, view: PageView): HtmlPage {
  const { title, section, follow, poll } = view;
  const places = (list: readonly NavItem[]) =>
    list.filter(({ roles }) => !roles || roles.includes(me.role)).map((spokePage) =>
      navItemLink(spokePage, section, me.unread)
    );
  return {
    title: `${title} · Wheelwright`,
    sheet: stylePath,
    source: scriptPath,
    body: markup`<a class="skip" href="#main">Skip to content</a>
<div class="shell" data-me="${me.email}" ${
      follow ? markup`data-hub="${follow.federationId}" data-since="${follow.since}"` : ""
    }${follow?.spokeId ? markup` data-spoke="${follow.spokeId}"` : ""} ${poll ? markup`data-poll="${poll}"` : ""}>
<header class="side">
<a class="brand" href="/hubs">${trustedMarkup(LOGO_SVG)}<span>Wheelwright</span></a>
<nav aria-label="Main"><ul>${places(NAVIGATION)}</ul><ul class="own">${places(ACCOUNT_NAVIGATION)}</ul>
<ul class="outer"><li><a href="/changelog">Changelog</a></li><li><a href="/api/docs">API</a></li></ul></nav>
<div class="me"><p class="who"><b>${me.displayName}</b><span class="soft">${humanize(me.role)}</span></p>
<form method="post" action="/sign-out"><button class="plain" title="Sign out">${
      icon("out")
    }<span class="visually-hidden">Sign out</span></button></form></div>
</header>
<main id="main" tabindex="-1">
${me.warning === null ? "" : callout("warn", me.warning)}
${headOf(view)}
${view.flash ? markup`<div id="flash">${callout("good", view.flash)}</div>` : ""}
${view.body}
</main>
<p class="visually-hidden" id="announcer" role="status" aria-live="polite"></p>
</div>`,
  };
}

function navItemLink({ section, icon: sign, text, href }: NavItem, here: PortalSection, unread: number): Markup {
  const count = section === "notifications"
    ? markup`<span class="count" id="unread" data-live ${unread === 0 ? markup`hidden` : ""}><span>${
      unread > 99 ? "99+" : unread
    }</span><span class="visually-hidden"> unread</span></span>`
    : "";
  return markup`<li><a href="${href}" ${section === here ? markup`aria-current="true"` : ""}>${
    icon(sign)
  }<span>${text}</span>${count}</a></li>`;
}

function headOf({ title, crumbs = [], badge = "", lead = "", actions = "", tabs }: PageView): Markup {
  const trail = crumbs.length === 0
    ? ""
    : markup`<nav class="crumbs" aria-label="Breadcrumb"><ol>${
      crumbs.map(([text, href]) => markup`<li><a href="${href}">${text}</a></li>`)
    }</ol></nav>`;
  return markup`<div class="head">${trail}
<div class="title"><h1>${title}</h1><span id="state" data-live>${badge}</span><div class="button-row" id="title-actions" data-live>${actions}</div></div>
${lead ? markup`<p class="lead" id="lead" data-live>${lead}</p>` : ""}
${tabs ? tabRow(title, tabs) : ""}</div>`;
}

function tabRow(title: string, { links, here }: NonNullable<PageView["tabs"]>): Markup {
  return markup`<nav class="tabs" aria-label="${title}"><ul>${
    links.map(([text, href]) =>
      markup`<li><a href="${href}" ${href === here ? markup`aria-current="page"` : ""}>${text}</a></li>`
    )
  }</ul></nav>`;
}
