/** Groups endpoints into the reference's sections, in the order in which a new reader needs them. */

interface Area {
  readonly name: string;
  readonly description: string;
}

/** The sections in the order in which the page shows them. Paths that match none belong to the last section. */
const AREAS: readonly (readonly [name: string, description: string, matches: RegExp])[] = [
  [
    "Signing in",
    "Sessions for people, tokens for programs, and password resets.",
    /^\/api\/(?:auth\/|onboarding\b)/,
  ],
  [
    "Hubs",
    "A hub (federation) groups spokes and their admins.",
    /^\/api\/(?:overview$|federations\b(?!\/[^/]+\/(?:spokes|billing|operations)\b))/,
  ],
  [
    "Spokes",
    "A spoke is one Moodle site with its own database and files. It belongs to a hub.",
    /^\/api\/(?:federations\/[^/]+\/spokes|spokes|my-spokes)\b(?!.*\/operations\b)/,
  ],
  [
    "Operations",
    "Work that runs in the background: its progress, what it waits for, and why it failed.",
    /\/operations\b/,
  ],
  [
    "Billing",
    "Subscriptions and invoices of hubs, if a payment provider is connected.",
    /^\/api\/(?:federations\/[^/]+\/)?billing\b/,
  ],
  [
    "Requests for hubs",
    "Users request a hub; an operator approves or rejects the request.",
    /^\/api\/federation-requests\b/,
  ],
  [
    "Requests for restores",
    "Hub admins request that an operator restore a spoke from a backup.",
    /\/restore-requests\b/,
  ],
  ["Notifications", "Events that concern you, read or unread.", /^\/api\/notifications\b/],
  ["Catalog", "The sizes, versions, regions and other options of hubs and spokes.", /^\/api\/catalog$/],
  ["Users", "All accounts. For operators.", /^\/api\/users\b/],
  ["Audit log", "Every change and who made it. For operators.", /^\/api\/audit$/],
  [
    "Pages",
    "Pages that links in emails open. They work without JavaScript and are not an API.",
    /^\/(?:invite|reset|verify)$/,
  ],
  ["The service", "Version, health, API description and changelog. No sign-in required.", /^$/],
];

export function areaOf(pattern: string): string {
  return (AREAS.find(([, , fits]) => fits.test(pattern)) ?? AREAS.at(-1)!)[0];
}

export function listAreas(): readonly Area[] {
  return AREAS.map(([name, description]) => ({ name, description }));
}
