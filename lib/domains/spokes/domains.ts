/**
 * Decides which domain a spoke gets. Domains are stored in lower-case ASCII, with other scripts in Punycode (for
 * example, xn--bcher-kva.example), so that each domain has only one spelling.
 */
import { domainToASCII, domainToUnicode } from "node:url";
import * as v from "valibot";
import type { Config } from "#lib/base/config.ts";
import { Fault } from "#lib/base/errors.ts";
import { HostName } from "#lib/base/schema.ts";

/** The domains of the service itself, in lower case and without a trailing dot. */
export interface ServiceDomains {
  readonly rootDomain: string;
  readonly publicHost: string;
}

export function getServiceDomains({ rootDomain, publicUrl }: Pick<Config, "rootDomain" | "publicUrl">): ServiceDomains {
  return { rootDomain: rootDomain.toLowerCase(), publicHost: publicUrl.hostname.replace(/\.$/, "") };
}

/** Returns whether `domain` is a subdomain of `other`, at any depth. */
export function isSubdomain(domain: string, other: string): boolean {
  return domain.endsWith(`.${other}`);
}

/** Returns the parent domains that other spokes could use. Returns none for a subdomain of ROOT_DOMAIN. */
export function listParentDomains(domain: string, { rootDomain }: ServiceDomains): string[] {
  if (isSubdomain(domain, rootDomain)) return [];
  const labels = domain.split(".");
  return labels.slice(1, -1).map((_, i) => labels.slice(i + 1).join("."));
}

/** Returns the domains to try for a spoke, in order of preference. Throws an `invalid` fault if no domain is valid. */
export function listCandidateDomains(
  config: Pick<Config, "rootDomain" | "publicUrl">,
  slug: string,
  hubSlug: string,
  requested: string | undefined,
): string[] {
  const ownNames = getServiceDomains(config);
  if (requested !== undefined) {
    requireUnreservedDomain(requested, ownNames);
    requireReachable(requested);
    return [requested];
  }
  const domains = listDefaultDomains(slug, hubSlug, ownNames);
  if (domains.length > 0) return domains;
  const message = `domain is required: the slug ${slug} gives no valid name under ${config.rootDomain}`;
  throw new Fault("invalid", "domain_needed", message);
}

/** Throws an `invalid` fault (`domain_reserved`) if the domain is reserved for the service. */
export function requireUnreservedDomain(domain: string, ownNames: ServiceDomains): void {
  const why = reservedReason(domain, ownNames);
  if (why) throw new Fault("invalid", "domain_reserved", `domain cannot be used for a spoke: ${why}`);
}

/**
 * Returns why the domain is reserved, or null if a spoke can use the domain. A spoke's domain must not be a parent or
 * subdomain of the service's own domains, because such domains can share cookies.
 */
function reservedReason(domain: string, { rootDomain, publicHost }: ServiceDomains): string | null {
  const belongs = `${domain} belongs to the service`;
  if ([rootDomain, publicHost].some((own) => domain === own || isSubdomain(own, domain))) return belongs;
  if (!isSubdomain(domain, rootDomain)) return isSubdomain(domain, publicHost) ? belongs : null;
  const labels = domain.slice(0, -rootDomain.length - 1).split(".").length;
  return labels === 1 ? null : `a name under ${rootDomain} must have one label, and ${domain} has ${labels}`;
}

/** Matches host names whose last label is a number. Browsers treat such names as IPv4 addresses. */
const ADDRESS = /(?:^|\.)(?:\d+|0x[\da-f]*)$/;

/** Throws an `invalid` fault (`domain_invalid`) if browsers cannot open the domain. */
function requireReachable(domain: string): void {
  const broken = domain.split(".").find((label) => label.startsWith("xn--") && !isALabel(label));
  if (broken === undefined && !ADDRESS.test(domain)) return;
  const why = broken === undefined
    ? `${domain} ends in a number, so browsers treat it as an IP address`
    : `${broken} is not valid Punycode`;
  throw new Fault("invalid", "domain_invalid", `domain must be a host name such as school.example.org; ${why}`);
}

/** Returns whether an `xn--` label is valid Punycode. Decoding an invalid label changes nothing or inserts U+FFFD. */
function isALabel(label: string): boolean {
  const letters = domainToUnicode(label);
  return letters !== label && !letters.includes("\uFFFD") && domainToASCII(letters) === label;
}

/**
 * Returns the default domains, in order of preference. Each domain has a single label before ROOT_DOMAIN, because a
 * wildcard certificate covers only one label. Domains that are too long or reserved are omitted.
 */
export function listDefaultDomains(slug: string, hubSlug: string, ownNames: ServiceDomains): string[] {
  return [`${slug}.${ownNames.rootDomain}`, `${slug}-${hubSlug}.${ownNames.rootDomain}`]
    .filter((domain) => v.is(HostName, domain) && reservedReason(domain, ownNames) === null);
}

/** Creates the fault for a taken domain. The message does not reveal which spoke uses the domain. */
export function domainTakenFault(domains: readonly string[]): Fault {
  const message = domains.length === 1
    ? `The domain ${domains[0]} is in use, or is a parent or subdomain of a domain in use; choose another domain`
    : `The domains ${domains.join(" and ")} are taken, or parents or subdomains of domains in use; choose another`;
  return new Fault("conflict", "domain_taken", message);
}
