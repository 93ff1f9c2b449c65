/** Serves the portal's script at a URL with its hash. */
import { asset } from "#lib/portal/page/asset.ts";
import { portalScript, scriptPath } from "#lib/portal/script/script.ts";

export const GET = asset({
  summary: "The script of the portal's pages",
  type: "text/javascript; charset=utf-8",
  text: portalScript,
  path: scriptPath,
});
