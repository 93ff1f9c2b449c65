/** Groups endpoints into the sections of the API reference, in the order in which a new reader needs the sections. */

interface Area {
  readonly name: string;
  readonly description: string;
}

/** The sections of the API reference, in order. A path that matches no section belongs to the last section. */
const AREAS: readonly (readonly [name: string, description: string, matches: RegExp])[] = [
  [
    "Signing in",
    "Sessions for people, tokens for programs, and password resets.",
    /^\/api\/(?:auth\/|onboarding\b)/,
  ],
  [
    "Hubs",
    "A hub (federation) is a group of spokes with its own admins.",
    /^\/api\/(?:overview\b|federations\b(?!\/[^/]+\/(?:spokes|billing|cost|operations|webhooks)\b))/,
  ],
  [
    "Spokes",
    "A spoke is one Moodle site with its own database and files. Each spoke belongs to a hub.",
    /^\/api\/(?:federations\/[^/]+\/spokes|spokes|my-spokes)\b(?!.*\/operations\b)/,
  ],
  [
    "Operations",
    "Operations run in the background. They show their progress, what they wait for, and why they failed.",
    /\/operations\b/,
  ],
  [
    "Rollouts",
    "A rollout runs an action on many spokes, wave by wave, and pauses itself when spokes fail.",
    /^\/api\/rollouts\b/,
  ],
  [
    "Billing",
    "The costs of hubs, and their subscriptions and invoices if a payment provider is connected.",
    /^\/api\/(?:federations\/[^/]+\/(?:billing|cost)|billing)\b/,
  ],
  [
    "Requests for hubs",
    "Users request a hub; an operator approves or rejects the request.",
    /^\/api\/federation-requests\b/,
  ],
  [
    "Requests for restores",
    "Hub admins request a restore of a spoke; an operator restores the spoke from a backup.",
    /\/restore-requests\b/,
  ],
  [
    "Webhooks",
    "A webhook sends the events of a hub, or of all hubs, to a URL. Messages are signed and repeated until they arrive.",
    /\/webhooks\b/,
  ],
  ["Notifications", "Notifications about events in your hubs and spokes, read or unread.", /^\/api\/notifications\b/],
  ["Catalog", "The sizes, versions, regions and other options for hubs and spokes.", /^\/api\/catalog$/],
  ["Users", "All user accounts. Only for operators.", /^\/api\/users\b/],
  ["Audit log", "Every change, with the user who made the change. Only for operators.", /^\/api\/audit$/],
  [
    "Pages",
    "Pages that open from links in emails. These pages work without JavaScript and are not part of the API.",
    /^\/(?:invite|reset|verify)$/,
  ],
  ["The service", "The version, health, API description and changelog of the service. No sign-in required.", /^$/],
];

export function findReferenceSection(pattern: string): string {
  return (AREAS.find(([, , fits]) => fits.test(pattern)) ?? AREAS.at(-1)!)[0];
}

export function listReferenceSections(): readonly Area[] {
  return AREAS.map(([name, description]) => ({ name, description }));
}
