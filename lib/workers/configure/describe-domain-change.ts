/** Describes what a change of a site's domain means. */
import { formatSpokeUrl } from "#lib/catalog/inputs.ts";
import { FORMER_DOMAIN_DAYS } from "#lib/domains/spokes/names.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { registersClient } from "#lib/moodle/sign-on.ts";

/** Returns notes about what else changes, and what users must do, when a site moves to another domain. */
export function describeDomainChange(before: SpokeInputs, after: SpokeInputs): string[] {
  return [
    `Once ${after.host} works, ${before.host} redirects to its front page for ${FORMER_DOMAIN_DAYS} days. ` +
    `Links to ${before.host} in the site's content are not changed, ` +
    "because Moodle's tool for this (admin/tool/replace) is experimental",
    ...(before.identity && !registersClient(after.shared?.signIn?.values)
      ? [`Add the redirect URI ${formatSpokeUrl(after)}/admin/oauth2callback.php to the hub's identity provider`]
      : []),
  ];
}
