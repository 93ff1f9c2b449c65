/** What holds for every endpoint, told once: the document's description and the beginning of the reference page. */

interface Topic {
  readonly title: string;
  /** Paragraphs; what stands between backticks is code. */
  readonly paragraphs: readonly string[];
}

export const LEAD =
  "The control plane for hosted learning platforms. A hub (federation) groups spokes; a spoke is one platform " +
  "on a cluster. Everything that people can do, programs can do through these endpoints.";

/** What a token of each scope may, narrowest first. */
export const SCOPES: readonly (readonly [scope: string, may: string])[] = [
  ["readonly", "reads everything that its user may read, and changes nothing"],
  ["provisioning", "also creates and removes spokes"],
  ["cli", "does everything that its user may do with a token"],
];

export const TOPICS: readonly Topic[] = [
  {
    title: "Who asks",
    paragraphs: [
      "Programs send a token: `Authorization: Bearer ww_…`. People sign in and hold a session in a cookie; " +
      "tokens are minted with a session alone. A token acts as its user, narrowed by its scope, until it expires or is revoked.",
      "What you may not see is answered with 404, what you see but may not do with 403.",
    ],
  },
  {
    title: "What comes back",
    paragraphs: [
      "JSON, with times in ISO 8601 UTC and ids that are opaque text. An error is always " +
      "`{statusCode, code, message, error}`: programs go by the code, which each endpoint lists, and the message says what " +
      "could not be done and what would make it possible.",
      "Every answer to what can be read as a request has an `X-Request-Id`; send one of your own to find it in the log. " +
      "429, 503 and 504 say in `Retry-After` how many seconds to wait; wait longer each time.",
    ],
  },
  {
    title: "What takes time",
    paragraphs: [
      "Creating, changing and removing answer at once; the work goes on as an operation, which shows its steps. Follow " +
      "the hub's event stream instead of asking again and again: a client that was cut off sends `Last-Event-ID` and misses nothing.",
      "A creation that may be sent twice takes an `Idempotency-Key`: the same key and body within 24 hours are done once and answered alike.",
    ],
  },
  {
    title: "Long lists",
    paragraphs: [
      "Lists are newest first. With `limit`, a page has at most that many entries, and the `Link` header leads to the next " +
      'one (`rel="next"`) until the list ends. Its cursor skips and repeats nothing. The oldest entry\'s timestamp as ' +
      "`before` works as well, but skips entries that share it.",
    ],
  },
  {
    title: "What may change",
    paragraphs: [
      "This is v0. Fields and endpoints are added without notice: ignore what you do not know. What breaks is announced " +
      "at least 30 days ahead and says so in its answers by `Deprecation`, `Sunset` and `Link`.",
      "What is announced, and what each release changed, is at `/changelog` for people, at `/api/changelog` for programs and " +
      "at `/changelog.atom` for readers of feeds; everybody with an active token gets a mail.",
    ],
  },
];

/** What is no token's: the words that an endpoint has in place of a scope. */
export const OTHER_SCOPES: readonly (readonly [word: string, means: string])[] = [
  ["session", "is for people: it needs a session, and refuses a token"],
  ["flow", "needs nothing, and refuses a token"],
  ["public", "needs nothing, and looks at no credential"],
];

/** All of it as CommonMark, for the document. */
export function overview(): string {
  const scopes = SCOPES.map(([scope, may]) => `- \`${scope}\` ${may}`).join("\n");
  const topics = TOPICS.map(({ title, paragraphs }) => [`## ${title}`, ...paragraphs].join("\n\n"));
  return [LEAD, ...topics, `## Scopes\n\n${scopes}`].join("\n\n");
}
