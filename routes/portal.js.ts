import { assetEndpoint } from "#lib/portal/page/asset.ts";
import { portalScript, scriptPath } from "#lib/portal/script/script.ts";

export const GET = assetEndpoint({
  summary: "The script of the portal's pages",
  type: "text/javascript; charset=utf-8",
  text: portalScript,
  path: scriptPath,
});
