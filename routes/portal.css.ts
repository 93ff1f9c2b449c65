import { portalStyle } from "#lib/portal/assets.ts";
import { assetEndpoint, stylePath } from "#lib/portal/page/asset.ts";

export const GET = assetEndpoint({
  summary: "The style sheet of the portal's pages",
  type: "text/css; charset=utf-8",
  text: portalStyle,
  path: stylePath,
});
