/**
 * The one script of the portal. Without it every page is whole and every form works; with it times are in the reader's zone,
 * pages are made new as things happen, and the keyboard leads everywhere.
 *
 * As text, because the executable carries no assets. It asks this server alone, and builds no HTML of its own: what is new
 * comes as a page, whose parts take the place of those that stand.
 */
import { assetPath } from "#lib/portal/page/asset.ts";
import { connection } from "#lib/portal/script/connection.ts";
import { drafts } from "#lib/portal/script/drafts.ts";
import { keys } from "#lib/portal/script/keys.ts";
import { live } from "#lib/portal/script/live.ts";
import { morph } from "#lib/portal/script/morph.ts";
import { enhancements } from "#lib/portal/script/enhancements.ts";

export const portalScript: string = `(() => {
"use strict";
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const shell = document.querySelector(".shell");
const announcer = document.getElementById("announcer");
${connection}${morph}${drafts}${enhancements}${live}${keys}
})();
`;

/** Named after what it is, so that browsers may keep it for as long as they like. */
export const scriptPath: string = assetPath("portal.js", portalScript);
