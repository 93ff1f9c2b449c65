import { portalScript } from "#lib/portal/assets.ts";
import { assetEndpoint, scriptPath } from "#lib/portal/page/asset.ts";

export const GET = assetEndpoint({
  summary: "The script of the portal's pages",
  type: "text/javascript; charset=utf-8",
  text: portalScript,
  path: scriptPath,
});
