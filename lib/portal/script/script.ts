/**
 * Combines the portal's scripts. Every page also works without JavaScript. The script sends requests only to this
 * server and builds no HTML: the script replaces parts of a page with the same parts of a newly fetched copy.
 */
import { assetPath } from "#lib/portal/page/asset.ts";
import { reconnectScript } from "#lib/portal/script/connection.ts";
import { draftScript } from "#lib/portal/script/drafts.ts";
import { shortcutScript } from "#lib/portal/script/shortcuts.ts";
import { liveUpdateScript } from "#lib/portal/script/live.ts";
import { domUpdateScript } from "#lib/portal/script/morph.ts";
import { enhancementScript } from "#lib/portal/script/enhancements.ts";

export const portalScript: string = `(() => {
"use strict";
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const shell = document.querySelector(".shell");
const announcer = document.getElementById("announcer");
${reconnectScript}${domUpdateScript}${draftScript}${enhancementScript}${liveUpdateScript}${shortcutScript}
})();
`;

/** The path of the portal's script, with a content hash so that browsers can cache the file indefinitely. */
export const scriptPath: string = assetPath("portal.js", portalScript);
