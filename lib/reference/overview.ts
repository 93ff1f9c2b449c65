/** Describes what applies to every endpoint. Shown in the OpenAPI document and at the top of the reference page. */

interface Topic {
  readonly title: string;
  /** The topic's paragraphs. Text in backticks is code. */
  readonly paragraphs: readonly string[];
}

export const OVERVIEW_LEAD =
  "The control plane for hosted Moodle sites. A hub (federation) groups spokes; a spoke is one Moodle site " +
  "on a Kubernetes cluster. Programs can use these endpoints to do everything that people can do.";

/** Describes the permissions of tokens with each scope, starting with the narrowest scope. */
export const TOKEN_SCOPE_TEXTS: readonly (readonly [scope: string, may: string])[] = [
  ["readonly", "may read everything that its user may read, and changes nothing"],
  ["provisioning", "may also create and remove spokes"],
  ["cli", "may do everything that its user may do with a token"],
];

export const OVERVIEW_TOPICS: readonly Topic[] = [
  {
    title: "Authentication",
    paragraphs: [
      "Programs send a token: `Authorization: Bearer ww_…`. People sign in and have a session cookie; " +
      "only a session can create tokens. A token has its user's rights, limited by its scope, until it expires or is revoked.",
      "The answer is 404 for an object that you may not see, and 403 for an action that you may not perform.",
    ],
  },
  {
    title: "Responses and errors",
    paragraphs: [
      "Responses are JSON, with times in ISO 8601 UTC. IDs are opaque text. An error is always " +
      "`{statusCode, code, message, error}`. Programs use the code, which each endpoint lists. The message explains what " +
      "could not be done and how to make it possible.",
      "Every response has an `X-Request-Id`; send your own to find the request in the log. " +
      "Responses 429, 503 and 504 have a `Retry-After` header in seconds; wait longer after each attempt.",
    ],
  },
  {
    title: "Operations",
    paragraphs: [
      "Creating, changing and removing return immediately. The work continues as an operation, which shows its steps. Follow " +
      "the hub's event stream instead of polling: after a disconnect, send `Last-Event-ID` to miss no event.",
      "To retry a creation safely, send an `Idempotency-Key`: requests with the same key and body within 24 hours are done once and get the same response.",
    ],
  },
  {
    title: "Pagination",
    paragraphs: [
      "Lists are newest first. `limit` sets the maximum number of entries of a page. The `Link` header has the URL of the " +
      'next page (`rel="next"`) until the list ends. Its cursor skips and repeats nothing. The oldest entry\'s timestamp as ' +
      "`before` works as well, but skips entries that share it.",
    ],
  },
  {
    title: "Versioning",
    paragraphs: [
      "This is v0. Fields and endpoints may be added at any time: ignore unknown fields. Breaking changes are announced " +
      "at least 30 days ahead; until then, responses have the headers `Deprecation`, `Sunset` and `Link`.",
      "Announcements and release notes are at `/changelog`, as JSON at `/api/changelog`, and " +
      "as an Atom feed at `/changelog.atom`. Users with an active token also get an email.",
    ],
  },
];

/** Scopes for endpoints that do not accept tokens. */
export const NON_TOKEN_SCOPE_TEXTS: readonly (readonly [word: string, means: string])[] = [
  ["session", "requires a session and refuses a token"],
  ["flow", "requires nothing and refuses a token"],
  ["public", "requires nothing and ignores credentials"],
];

/** Returns the overview in CommonMark, for the OpenAPI document. */
export function renderOverview(): string {
  const scopes = TOKEN_SCOPE_TEXTS.map(([scope, may]) => `- \`${scope}\` ${may}`).join("\n");
  const topics = OVERVIEW_TOPICS.map(({ title, paragraphs }) => [`## ${title}`, ...paragraphs].join("\n\n"));
  return [OVERVIEW_LEAD, ...topics, `## Scopes\n\n${scopes}`].join("\n\n");
}
