/**
 * The script of the portal. Every page also works without JavaScript. The script sends requests only to this server and
 * builds no HTML: it replaces parts of a page with the same parts of a newly fetched copy. The order of the imports is
 * the order in which listeners of the same event run.
 */
import "#lib/portal/browser/connection.ts";
import "#lib/portal/browser/drafts.ts";
import "#lib/portal/browser/enhancements.ts";
import "#lib/portal/browser/forms.ts";
import "#lib/portal/browser/live.ts";
import "#lib/portal/browser/passkeys.ts";
import "#lib/portal/browser/shortcuts.ts";
