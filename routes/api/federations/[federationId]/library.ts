import { showLibrary } from "#lib/domains/courses/library.ts";
import { LibraryView } from "#lib/domains/courses/views.ts";
import { hubAccess } from "#lib/domains/federations/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "The library of a hub's courses: the space that it uses, and its backups",
  access: hubAccess("change"),
  scope: "readonly",
  reply: okReply(LibraryView),
  handle: ({ app, actor, federation }) => showLibrary(app, actor, federation),
});
