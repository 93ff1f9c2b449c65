/**
 * Under which domain a spoke is reached. Deciding is pure; what is taken is the database's to say.
 *
 * A domain is lower-case ASCII: letters of other scripts are given as browsers send them, in A-labels
 * (xn--bcher-kva.example), and not in their own. So a name has one spelling, which compares, and which is the same in
 * the ingress, the certificate and the site.
 */
import { domainToASCII, domainToUnicode } from "node:url";
import * as v from "valibot";
import type { Config } from "#lib/base/config.ts";
import { Fault } from "#lib/base/errors.ts";
import { HostName } from "#lib/base/schema.ts";

/** The service's own names, in lower case and without a dot at the end. */
export interface OwnNames {
  readonly rootDomain: string;
  /** Host of PUBLIC_URL. */
  readonly publicHost: string;
}

export function ownNamesOf({ rootDomain, publicUrl }: Pick<Config, "rootDomain" | "publicUrl">): OwnNames {
  return { rootDomain: rootDomain.toLowerCase(), publicHost: publicUrl.hostname.replace(/\.$/, "") };
}

/** Whether the domain stands below the other, by however many labels. */
export function isSubdomain(domain: string, other: string): boolean {
  return domain.endsWith(`.${other}`);
}

/**
 * The names above a domain that another spoke may have. Of a domain below ROOT_DOMAIN there are none: what is above that is
 * the service's, and a spoke that got such a name before must not keep all others from theirs.
 */
export function parentNames(domain: string, { rootDomain }: OwnNames): string[] {
  if (isSubdomain(domain, rootDomain)) return [];
  const labels = domain.split(".");
  return labels.slice(1, -1).map((_, i) => labels.slice(i + 1).join("."));
}

/** The domains to try in turn: the one that was asked for, or else the slug's own. Throws Fault invalid or conflict. */
export function domainsFor(
  config: Pick<Config, "rootDomain" | "publicUrl">,
  slug: string,
  hubSlug: string,
  requested: string | undefined,
): string[] {
  const ownNames = ownNamesOf(config);
  if (requested !== undefined) {
    requireUnreserved(requested, ownNames);
    requireReachable(requested);
    return [requested];
  }
  const domains = defaultDomains(slug, hubSlug, ownNames);
  if (domains.length > 0) return domains;
  const message = `domain is needed: none can be derived from the slug ${slug}, the hub's and ${config.rootDomain}`;
  throw new Fault("invalid", "domain_needed", message);
}

/** Throws Fault invalid `domain_reserved` for a domain that is the service's. */
export function requireUnreserved(domain: string, ownNames: OwnNames): void {
  const why = reservedReason(domain, ownNames);
  if (why) throw new Fault("invalid", "domain_reserved", `domain must be a spoke's own; ${why}`);
}

/**
 * Why no spoke may have the domain, or null. A site could set cookies for all names below its own, and read those that are
 * set for a name above it: so none may stand above or below the service, or below another site.
 */
function reservedReason(domain: string, { rootDomain, publicHost }: OwnNames): string | null {
  const belongs = `${domain} belongs to the service`;
  if ([rootDomain, publicHost].some((own) => domain === own || isSubdomain(own, domain))) return belongs;
  if (!isSubdomain(domain, rootDomain)) return isSubdomain(domain, publicHost) ? belongs : null;
  const labels = domain.slice(0, -rootDomain.length - 1).split(".").length;
  return labels === 1 ? null : `below ${rootDomain} it may have one label, and ${domain} has ${labels}`;
}

/** What a browser reads as an IPv4 address, or refuses as a broken one: its last label is a number. */
const ADDRESS = /(?:^|\.)(?:\d+|0x[\da-f]*)$/;

/** Throws Fault invalid `domain_invalid` for a host name under which no browser would come to the site. */
function requireReachable(domain: string): void {
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
export function defaultDomains(slug: string, hubSlug: string, ownNames: OwnNames): string[] {
  return [`${slug}.${ownNames.rootDomain}`, `${slug}-${hubSlug}.${ownNames.rootDomain}`]
    .filter((domain) => v.is(HostName, domain) && reservedReason(domain, ownNames) === null);
}

/** It says neither whose it is nor which name is near: another hub's spokes are none of the caller's business. */
export function domainTakenFault(domains: readonly string[]): Fault {
  const what = domains.length === 1 ? `The domain ${domains[0]} is` : `The domains ${domains.join(" and ")} are`;
  const message = `${what} taken, or above or below a name in use; choose another domain`;
  return new Fault("conflict", "domain_taken", message);
}
