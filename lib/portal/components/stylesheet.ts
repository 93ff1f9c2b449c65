/** Builds the style sheet that all portal pages share. Styles for a single page are in that page's module. */
import { sharedPageCss } from "#lib/reference/theme.ts";
import { listStyle } from "#lib/portal/hubs/style.ts";
import { formStyle } from "#lib/portal/components/form-style.ts";
import { componentStyle } from "#lib/portal/components/part-style.ts";
import { progressStyle } from "#lib/portal/components/progress.ts";
import { shellStyle } from "#lib/portal/components/shell-style.ts";
import { assetPath } from "#lib/portal/page/asset.ts";

export const portalStyle: string = sharedPageCss + formStyle + shellStyle + componentStyle + progressStyle + listStyle;
export const stylePath: string = assetPath("portal.css", portalStyle);
