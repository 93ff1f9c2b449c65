/** The parts that the API is told in, in the order in which somebody new would want them. */

interface Area {
  readonly name: string;
  readonly description: string;
}

/** In their order on a page; a path fits one of them at most, and what fits none is the service's own. */
const AREAS: readonly (readonly [name: string, description: string, fits: RegExp])[] = [
  [
    "Signing in",
    "Sessions for people, tokens for programs, and the ways back in when a password is lost.",
    /^\/api\/(?:auth\/|onboarding\b)/,
  ],
  [
    "Hubs",
    "A hub (federation) groups spokes and those who run them.",
    /^\/api\/(?:overview$|federations\b(?!\/[^/]+\/(?:spokes|billing|operations)\b))/,
  ],
  [
    "Spokes",
    "A spoke is one learning platform with its own database and files, in a hub.",
    /^\/api\/(?:federations\/[^/]+\/spokes|spokes|my-spokes)\b(?!.*\/operations\b)/,
  ],
  [
    "Operations",
    "What is done in the background: how far it is, what it waits for, and what went wrong.",
    /\/operations\b/,
  ],
  [
    "Billing",
    "What hubs pay for, where a payment provider is connected.",
    /^\/api\/(?:federations\/[^/]+\/)?billing\b/,
  ],
  ["Requests for hubs", "Whoever has no hub yet asks for one; an operator decides.", /^\/api\/federation-requests\b/],
  [
    "Requests for restores",
    "Admins of a hub request that an operator restore a spoke from a backup.",
    /\/restore-requests\b/,
  ],
  ["Notifications", "What happened that concerns you, and whether you have read it.", /^\/api\/notifications\b/],
  ["Catalogue", "What hubs and spokes can be made of.", /^\/api\/catalog$/],
  ["Users", "Everybody who has an account. For operators.", /^\/api\/users\b/],
  ["Audit log", "Everything that was ever changed, and by whom. For operators.", /^\/api\/audit$/],
  [
    "Pages",
    "What people come to by the links in mails. They work without script, and are no interface for programs.",
    /^\/(?:invite|reset|verify)$/,
  ],
  ["The service", "What it is, whether it works, what describes it and what changes. Nobody has to sign in.", /^$/],
];

/** Its name. */
export function areaOf(pattern: string): string {
  return (AREAS.find(([, , fits]) => fits.test(pattern)) ?? AREAS.at(-1)!)[0];
}

export function listAreas(): readonly Area[] {
  return AREAS.map(([name, description]) => ({ name, description }));
}
