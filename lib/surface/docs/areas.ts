/** The parts that the API is told in, in the order in which somebody new would want them. */

interface Area {
  readonly name: string;
  readonly description: string;
}

const SERVICE: Area = {
  name: "The service",
  description: "What it is, whether it works, what describes it and what changes. Nobody has to sign in.",
};

const BILLING: Area = {
  name: "Billing",
  description: "What hubs pay for, where a payment provider is connected.",
};

/** The first whose pattern fits the path has it: what is about a hub's spokes comes before what is about hubs. */
const AREAS: readonly (readonly [pattern: RegExp, area: Area])[] = [
  [/^\/(?:invite|reset|verify)$/, {
    name: "Pages",
    description:
      "What people come to by the links in mails. They work without script, and are no interface for programs.",
  }],
  [/^\/api\/auth\/|^\/api\/onboarding\b/, {
    name: "Signing in",
    description: "Sessions for people, tokens for programs, and the ways back in when a password is lost.",
  }],
  [/^\/api\/federation-requests\b/, {
    name: "Requests for hubs",
    description: "Whoever has no hub yet asks for one; an operator decides.",
  }],
  [/\/operations\b/, {
    name: "Operations",
    description: "What is done in the background: how far it is, what it waits for, and what went wrong.",
  }],
  [/^\/api\/federations\/[^/]+\/spokes\b|^\/api\/spokes\b|^\/api\/my-spokes$/, {
    name: "Spokes",
    description: "A spoke is one learning platform with its own database and files, in a hub.",
  }],
  [/^\/api\/federations\/[^/]+\/billing\b/, BILLING],
  [/^\/api\/federations\b/, { name: "Hubs", description: "A hub (federation) groups spokes and those who run them." }],
  [/^\/api\/catalog$/, { name: "Catalogue", description: "What hubs and spokes can be made of." }],
  [/^\/api\/notifications\b/, {
    name: "Notifications",
    description: "What happened that concerns you, and whether you have read it.",
  }],
  [/^\/api\/users\b/, { name: "Users", description: "Everybody who has an account. For operators." }],
  [/^\/api\/billing\b/, BILLING],
  [/^\/api\/audit$/, {
    name: "Audit log",
    description: "Everything that was ever changed, and by whom. For operators.",
  }],
];

export function areaOf(pattern: string): Area {
  return AREAS.find(([fits]) => fits.test(pattern))?.[1] ?? SERVICE;
}

/** All of them, in their order on a page: those of hubs before those of spokes, the service last. */
export function listAreas(): readonly Area[] {
  const names = [
    "Signing in",
    "Hubs",
    "Spokes",
    "Operations",
    "Billing",
    "Requests for hubs",
    "Notifications",
    "Catalogue",
    "Users",
    "Audit log",
  ];
  const all = AREAS.map(([, area]) => area);
  const first = names.flatMap((name) => all.find((area) => area.name === name) ?? []);
  return [...first, ...all.filter((area) => !first.includes(area)), SERVICE];
}
