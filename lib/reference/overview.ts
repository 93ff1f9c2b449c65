/** Contains the texts that apply to all API endpoints, for the OpenAPI document and the top of the reference page. */

interface Topic {
  readonly title: string;
  /** The topic's paragraphs. Text in backticks is code. */
  readonly paragraphs: readonly string[];
}

export const OVERVIEW_INTRODUCTION = "The control plane for hosted Moodle sites. A hub (federation) groups spokes. " +
  "A spoke is one Moodle site on a Kubernetes cluster. " +
  "With these endpoints, programs can do everything that people can do.";

/** The permissions of API tokens by scope, from the narrowest scope to the widest. */
export const TOKEN_SCOPE_DESCRIPTIONS: readonly (readonly [scope: string, may: string])[] = [
  ["readonly", "may read everything that its user may read, and changes nothing"],
  ["provisioning", "may also create and remove spokes"],
  ["cli", "may do everything that its user may do with a token"],
];

export const OVERVIEW_TOPICS: readonly Topic[] = [
  {
    title: "Authentication",
    paragraphs: [
      "Programs send a token: `Authorization: Bearer ww_…`. People sign in and get a session cookie. " +
      "Only users with a session can create tokens. " +
      "A token has the rights of its user, limited by its scope, until the token expires or is revoked.",
      "The response has status 404 for an object that you may not see, and 403 for an action that you may not perform.",
    ],
  },
  {
    title: "Responses and errors",
    paragraphs: [
      "Responses are JSON, with times in ISO 8601 UTC. IDs are opaque strings. " +
      "Errors always have the form `{statusCode, code, message, error}`. " +
      "Each endpoint lists its error codes for programs. " +
      "The error message explains what could not be done, and how to make it possible.",
      "Every response has an `X-Request-Id` header. You can send your own ID to find the request in the log. " +
      "Responses with status 429, 503 or 504 have a `Retry-After` header in seconds. Wait longer after each attempt.",
    ],
  },
  {
    title: "Operations",
    paragraphs: [
      "Requests that create, change or remove objects return immediately. An operation does the work and shows its steps. " +
      "Follow the hub's event stream instead of polling. After a disconnect, send `Last-Event-ID` to miss no events.",
      "To retry a creation safely, send an `Idempotency-Key` header. " +
      "Requests with the same key and body within 24 hours are carried out once and get the same response.",
    ],
  },
  {
    title: "Pagination",
    paragraphs: [
      "Lists are newest first. The parameter `limit` sets the maximum number of entries on a page. " +
      'The `Link` header has the URL of the next page (`rel="next"`) until the list ends. ' +
      "With the cursor in this URL, no entry is skipped or repeated. " +
      "The parameter `before` also accepts the timestamp of the oldest entry, but skips entries with the same timestamp.",
    ],
  },
  {
    title: "Versioning",
    paragraphs: [
      "This is API version v0. Fields and endpoints may be added at any time, so ignore unknown fields. " +
      "Breaking changes are announced at least 30 days ahead. " +
      "Until a change takes effect, responses have the headers `Deprecation`, `Sunset` and `Link`.",
      "Announcements and release notes are on the page `/changelog`. " +
      "The changelog is also available as JSON at `/api/changelog`, and as an Atom feed at `/changelog.atom`. " +
      "Users with an active token also get announcements by email.",
    ],
  },
];

/** The scopes of endpoints that do not accept tokens, with an explanation of each scope. */
export const NON_TOKEN_SCOPE_DESCRIPTIONS: readonly (readonly [word: string, means: string])[] = [
  ["session", "requires a session and refuses a token"],
  ["flow", "requires nothing and refuses a token"],
  ["public", "requires nothing and ignores credentials"],
];

/** Returns the texts that apply to all endpoints, formatted as CommonMark for the OpenAPI document. */
export function renderOverview(): string {
  const scopes = TOKEN_SCOPE_DESCRIPTIONS.map(([scope, may]) => `- \`${scope}\` ${may}`).join("\n");
  const topics = OVERVIEW_TOPICS.map(({ title, paragraphs }) => [`## ${title}`, ...paragraphs].join("\n\n"));
  return [OVERVIEW_INTRODUCTION, ...topics, `## Scopes\n\n${scopes}`].join("\n\n");
}
