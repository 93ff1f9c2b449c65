/**
 * Under which domain a spoke is reached. Deciding is pure; what is taken is the database's to say.
 *
 * A domain is lower-case ASCII: letters of other scripts are given as browsers send them, in A-labels (xn--bcher-kva.example),
 * and not in their own. So a name has one spelling, which compares, and which is the same in the ingress, the certificate
 * and the site.
 */
import { domainToASCII, domainToUnicode } from "node:url";
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
    refuseUnreachable(asked);
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

/** What a browser reads as an IPv4 address, or refuses as a broken one: its last label is a number. */
const ADDRESS = /(?:^|\.)(?:\d+|0x[\da-f]*)$/;

/** Throws Fault invalid `domain_invalid` for a host name under which no browser would come to the site. */
function refuseUnreachable(domain: string): void {
  const broken = domain.split(".").find((label) => label.startsWith("xn--") && !isALabel(label));
  if (broken === undefined && !ADDRESS.test(domain)) return;
  const why = broken === undefined
    ? `${domain} ends in a number, which browsers take for an address`
    : `${broken} stands for no letters`;
  throw new Fault("invalid", "domain_invalid", `domain must be a host name such as school.example.org; ${why}`);
}

/** Whether it can be decoded, and comes back the same. One that cannot is left as it is, or marked with U+FFFD. */
function isALabel(label: string): boolean {
  const letters = domainToUnicode(label);
  return letters !== label && !letters.includes("\uFFFD") && domainToASCII(letters) === label;
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
