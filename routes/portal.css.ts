/** The portal's style sheet, under an address that changes with it. */
import { portalStyle, stylePath } from "#lib/portal/components/stylesheet.ts";
import { asset } from "#lib/portal/page/asset.ts";

export const GET = asset({
  summary: "The style sheet of the portal's pages",
  type: "text/css; charset=utf-8",
  text: portalStyle,
  path: stylePath,
});
