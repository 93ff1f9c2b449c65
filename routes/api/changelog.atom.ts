import { publicAccess } from "#lib/domains/auth/access.ts";
import { buildChangelogFeed } from "#lib/reference/changelog/feed.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { textReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "The changelog as an Atom feed, with an entry for each announcement and release",
  access: publicAccess,
  scope: "public",
  cacheSeconds: 300,
  reply: textReply("application/atom+xml; charset=utf-8"),
  faults: ["database_unavailable", "database_lost", "database_busy", "database_slow", "database_closed"],
  handle: ({ app, service }) => buildChangelogFeed(app, service.releases),
});
