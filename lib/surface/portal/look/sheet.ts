/** The style sheet that all pages of the portal share. A page's own few rules are in the page. */
import { theme } from "#lib/surface/docs/theme.ts";
import { listStyle } from "#lib/surface/portal/hubs/style.ts";
import { formStyle } from "#lib/surface/portal/look/form-style.ts";
import { partStyle } from "#lib/surface/portal/look/part-style.ts";
import { progressStyle } from "#lib/surface/portal/look/progress.ts";
import { shellStyle } from "#lib/surface/portal/look/shell-style.ts";
import { assetPath } from "#lib/surface/portal/page/asset.ts";

export const portalStyle: string = theme + formStyle + shellStyle + partStyle + progressStyle + listStyle;
export const stylePath: string = assetPath("portal.css", portalStyle);
