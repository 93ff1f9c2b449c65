/**
 * Verifies that a hub may use a domain outside ROOT_DOMAIN. The domain's owner must set a TXT record with a hash of the
 * hub's ID; the record is hashed because DNS is public. Operators may use any domain.
 */
import { createHash } from "node:crypto";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { domainTakenFault, getServiceDomains, isSubdomain, listParentDomains } from "#lib/domains/spokes/domains.ts";
import { isAnyDomainInUse } from "#lib/domains/spokes/names.ts";

const MAX_NAME_LENGTH = 253; // characters of a DNS name
const HASH_DIGITS = 40; // 160 bits
const RETRY_SECONDS = 5; // seconds

/**
 * Throws a fault unless the domain's TXT record is set: `conflict` (`domain_unproven` or `domain_taken`), `unavailable`
 * (`dns_unavailable`) or `invalid` (`domain_invalid`). A DNS query can take seconds, so the caller must not hold a
 * database connection. `own` is the ID of the spoke that is moving to the domain, if any.
 */
export async function requireVerifiedDomain(
  { config, db, dns }: Pick<App, "config" | "db" | "dns">,
  actor: Actor,
  hub: Pick<FederationRow, "id">,
  domains: readonly string[],
  signal?: AbortSignal,
  own: string | null = null,
): Promise<void> {
  const ownNames = getServiceDomains(config), { rootDomain } = ownNames;
  const domain = domains.find((each) => !isSubdomain(each, rootDomain));
  if (domain === undefined || actor.role === "operator") return;
  const record = `_wheelwright.${domain}`, value = buildTxtRecordValue(hub.id);
  if (record.length > MAX_NAME_LENGTH) {
    const message = `domain is too long to be verified: ${
      record.length - domain.length
    } more characters are needed before it`;
    throw new Fault("invalid", "domain_invalid", message);
  }
  const texts = await dns.texts(record, signal).catch((cause) => {
    const message = `The DNS servers did not answer the query for ${record}; try again`;
    throw new Fault("unavailable", "dns_unavailable", message, { retryAfter: RETRY_SECONDS, cause });
  });
  if (texts.includes(value)) return;
  // Reports only a parent domain in use, which is public in DNS anyway. The domain itself may still become free.
  if (await isAnyDomainInUse(db.rows, listParentDomains(domain, ownNames), own)) throw domainTakenFault([domain]);
  const message = `${domain} is not verified for this hub: set the TXT record ${record} to ${value}, ` +
    "wait until DNS returns it, and try again";
  throw new Fault("conflict", "domain_unproven", message);
}

export function buildTxtRecordValue(hubId: string): string {
  const hash = createHash("sha256").update(`wheelwright domain proof ${hubId}`).digest("hex");
  return `wheelwright=${hash.slice(0, HASH_DIGITS)}`;
}
