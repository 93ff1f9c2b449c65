import { portalStyle, stylePath } from "#lib/portal/components/stylesheet.ts";
import { assetEndpoint } from "#lib/portal/page/asset.ts";

export const GET = assetEndpoint({
  summary: "The style sheet of the portal's pages",
  type: "text/css; charset=utf-8",
  text: portalStyle,
  path: stylePath,
});
