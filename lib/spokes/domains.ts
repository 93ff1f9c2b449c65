/** Under which domain a spoke is reached. Deciding is pure; what is taken is the database's to say. */
import * as v from "valibot";
import type { Config } from "#lib/config.ts";
import { Fault } from "#lib/errors.ts";
import { HostName } from "#lib/schema.ts";

export interface Place {
  readonly rootDomain: string;
  /** Host of PUBLIC_URL. */
  readonly publicHost: string;
}

/** The domains to try in turn: the one that was asked for, or else the slug's own. Throws Fault invalid or conflict. */
export function domainsFor(
  config: Pick<Config, "rootDomain" | "publicUrl">,
  slug: string,
  hubSlug: string,
  asked: string | undefined,
): string[] {
  const place = { rootDomain: config.rootDomain, publicHost: config.publicUrl.hostname };
  if (asked !== undefined) {
    refuseReserved(asked, place);
    return [asked];
  }
  const domains = defaultDomains(slug, hubSlug, place);
  if (domains.length > 0) return domains;
  const message = `domain is needed: none can be made of the slug ${slug}, the hub's and ${config.rootDomain}`;
  throw new Fault("invalid", "domain_needed", message);
}

/** Throws Fault invalid `domain_reserved` for a domain under which the service itself is reached. */
export function refuseReserved(domain: string, place: Place): void {
  if (!isReserved(domain, place)) return;
  throw new Fault("invalid", "domain_reserved", `domain must be a spoke's own; ${domain} belongs to the service`);
}

/**
 * The domains that a spoke gets by itself, the first choice first: each one label below ROOT_DOMAIN, because a wildcard
 * certificate covers no more. One that is too long for a label, or the service's own, is left out.
 */
export function defaultDomains(slug: string, hubSlug: string, place: Place): string[] {
  return [`${slug}.${place.rootDomain}`, `${slug}-${hubSlug}.${place.rootDomain}`]
    .filter((domain) => v.is(HostName, domain) && !isReserved(domain, place));
}

function isReserved(domain: string, { rootDomain, publicHost }: Place): boolean {
  return domain === rootDomain.toLowerCase() || domain === publicHost.toLowerCase();
}
