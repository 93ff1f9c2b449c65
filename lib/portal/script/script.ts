/**
 * Combines the portal's script. Every page works without it. It converts times, refreshes pages and adds keyboard
 * shortcuts.
 *
 * The script is text, because the executable contains no asset files. It calls only this server and builds no HTML: it
 * replaces parts of the page with those of a newly fetched one.
 */
import { assetPath } from "#lib/portal/page/asset.ts";
import { connectionScript } from "#lib/portal/script/connection.ts";
import { draftScript } from "#lib/portal/script/drafts.ts";
import { shortcutScript } from "#lib/portal/script/shortcuts.ts";
import { liveScript } from "#lib/portal/script/live.ts";
import { domMorphScript } from "#lib/portal/script/morph.ts";
import { enhancementScript } from "#lib/portal/script/enhancements.ts";

export const portalScript: string = `(() => {
"use strict";
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const shell = document.querySelector(".shell");
const announcer = document.getElementById("announcer");
${connectionScript}${domMorphScript}${draftScript}${enhancementScript}${liveScript}${shortcutScript}
})();
`;

/** The path with a content hash, so that browsers can cache it forever. */
export const scriptPath: string = assetPath("portal.js", portalScript);
