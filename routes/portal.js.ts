/** The portal's script, under a name that changes with it. */
import * as v from "valibot";
import { anyone } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/surface/http/endpoint.ts";
import { plainText } from "#lib/surface/http/reply.ts";
import { portalScript } from "#lib/surface/portal/script/script.ts";
import { DAY, SECOND } from "#lib/base/time.ts";

export const GET = endpoint({
  summary: "The script of the portal's pages",
  access: anyone,
  scope: "public",
  portal: true,
  query: v.object({ v: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{12}$/, "must be 12 hexadecimal digits"))) }),
  holds: 365 * DAY / SECOND,
  once: true,
  reply: plainText("text/javascript; charset=utf-8"),
  handle: () => portalScript,
});
