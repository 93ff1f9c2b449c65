import * as v from "valibot";
import { summariseBackups } from "#lib/domains/backups/summary.ts";
import { BackupSummaryView } from "#lib/domains/backups/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { QueryFlag } from "#lib/base/schema.ts";
import { spokeAccess } from "#lib/domains/spokes/access.ts";

export const GET = endpoint({
  summary: "A spoke's backups, their schedule and their retention. To restore a backup, create a restore request",
  access: spokeAccess("see"),
  scope: "readonly",
  query: v.object({ includeRemoved: QueryFlag }),
  reply: okReply(BackupSummaryView),
  handle: ({ app, actor, spoke }) => summariseBackups(app, actor, spoke),
});
