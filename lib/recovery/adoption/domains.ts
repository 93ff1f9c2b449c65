/** Reserves the domains of spokes that are adopted from a cluster. */
import { sql } from "kysely";
import { Refusal } from "#lib/base/refusals.ts";
import type { Config } from "#lib/base/config.ts";
import { getServiceDomains, listParentDomains } from "#lib/domains/spokes/domains.ts";
import { FORMER_DOMAIN_DAYS, isDomainInUse, lockDomains } from "#lib/domains/spokes/names.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { SpokeSiteRecord } from "#lib/moodle/site-record.ts";

export type DomainConfig = Pick<Config, "rootDomain" | "publicUrl">;

/** Reserves the spoke's domain. Throws a Refusal if the domain is already in use. */
export async function reserveDomain(tx: Tx, config: DomainConfig, { id, domain }: SpokeSiteRecord): Promise<void> {
  const ownNames = getServiceDomains(config);
  await lockDomains(tx, domain, ownNames);
  if (!await isDomainInUse(tx, domain, listParentDomains(domain, ownNames), id)) return;
  const message = `the domain ${domain}, a parent or a subdomain is in use`;
  throw new Refusal("DomainTaken", message, "Change the domain of the other spoke, or remove that spoke.");
}

export async function storeFormerDomains(tx: Tx, { id, blueprintInputs }: SpokeSiteRecord): Promise<void> {
  const formerHosts = (blueprintInputs as SpokeInputs).formerHosts ?? [];
  await tx.deleteFrom("former_domains").where("spokeId", "=", id).execute();
  if (formerHosts.length === 0) return;
  const until = sql<Date>`wheelwright_now() + make_interval(days => ${FORMER_DOMAIN_DAYS}::integer)`;
  await tx.insertInto("former_domains").values(formerHosts.map(({ host }) => ({ domain: host, spokeId: id, until })))
    .onConflict((conflict) => conflict.doNothing()).execute();
}
