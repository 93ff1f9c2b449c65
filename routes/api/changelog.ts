import { publicAccess } from "#lib/domains/auth/access.ts";
import { ChangelogView, showChangelog } from "#lib/domains/changelog/view.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "Announcements and the changes in each release, newest first",
  access: publicAccess,
  scope: "public",
  cacheSeconds: 300,
  reply: okReply(ChangelogView),
  faults: ["database_unavailable", "database_lost", "database_busy", "database_slow", "database_closed"],
  handle: ({ app, service }) => showChangelog(app, service.releases),
});
