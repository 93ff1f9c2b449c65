/**
 * Stores the current, requested and former domains of spokes. Call `lockDomains` before checking and changing a domain,
 * so that the result of the check stays valid until the transaction ends.
 */
import { sql } from "kysely";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { prepareQuery } from "#lib/drivers/db/prepare.ts";
import { isSubdomain, type ServiceDomains } from "#lib/domains/spokes/domains.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

/** The number of days for which a spoke's former domain redirects to the current domain. */
export const FORMER_DOMAIN_DAYS = 30;

/**
 * Returns whether another live spoke uses the domain, a parent domain (`above`) or a subdomain. Reversed names of
 * subdomains start with the reversed domain and `.`; the end of this range is `/`, the character after `.`.
 */
export async function isDomainInUse(
  rows: RowQueries,
  domain: string,
  above: readonly string[],
  own: string | null = null,
): Promise<boolean> {
  const reversed = [...domain].reverse().join("");
  const [found] = await findConflict(rows, {
    ...(above.length > 0 ? { names: [domain, ...above] } : { name: domain }),
    from: `${reversed}.`,
    to: `${reversed}/`,
    own,
  });
  return found!.taken;
}

interface DomainConflict {
  /**
   * The domain and its parent domains, or only `name` if there are none. PostgreSQL plans a query with a list each time,
   * which takes ten times as long as the query itself.
   */
  readonly names?: readonly string[];
  readonly name?: string;
  /** The range of the reversed names of subdomains. */
  readonly from: string;
  readonly to: string;
  readonly own: string | null;
}

const findConflict = prepareQuery((_, { names, name, from, to, own }: DomainConflict) => {
  const conflicts = (column: "domain" | "requestedDomain") => {
    const used = sql.ref(column);
    return sql`(${names ? sql`${used} = any(${names}::text[])` : sql`${used} = ${name}`}
      or reverse(${used}) collate "C" > ${from} and reverse(${used}) collate "C" < ${to})`;
  };
  return sql<{ taken: boolean }>`select
    exists (select from spokes where state <> 'removed' and ${conflicts("domain")} and id is distinct from ${own})
    or exists (select from spokes where state <> 'removed' and requested_domain is not null
      and ${conflicts("requestedDomain")} and id is distinct from ${own})
    or exists (select from former_domains where ${conflicts("domain")} and spoke_id is distinct from ${own}) as taken`;
});

/** Returns whether another live spoke, in any hub, uses one of the given domains. */
export async function isAnyDomainInUse(
  rows: RowQueries,
  names: readonly string[],
  own: string | null,
): Promise<boolean> {
  if (names.length === 0) return false;
  const { rows: found } = await sql<{ taken: boolean }>`select
    exists (select from spokes where state <> 'removed' and domain = any(${names}::text[]) and id is distinct from ${own})
    or exists (select from spokes where state <> 'removed' and requested_domain = any(${names}::text[])
      and id is distinct from ${own})
    or exists (select from former_domains where domain = any(${names}::text[]) and spoke_id is distinct from ${own})
      as taken`.execute(rows);
  return found[0]!.taken;
}

/**
 * Locks a domain with its parent domains and subdomains until the transaction ends. The lock for a subdomain of
 * ROOT_DOMAIN uses the full name, because no parent can be in use. Other locks use the last two labels.
 */
export async function lockDomains(tx: Tx, domain: string, { rootDomain }: ServiceDomains): Promise<void> {
  const lockedName = isSubdomain(domain, rootDomain) ? domain : domain.split(".").slice(-2).join(".");
  await takeLock(tx, { name: `wheelwright: names below ${lockedName}` });
}

const takeLock = prepareQuery((_, { name }: { readonly name: string }) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
);

export interface FormerDomain {
  readonly domain: string;
  readonly until: Date;
}

/** Lists the former domains of each spoke, sorted by expiry date. */
export async function listFormerDomains(
  rows: RowQueries,
  ids: readonly string[],
): Promise<Map<string, FormerDomain[]>> {
  if (ids.length === 0) return new Map();
  const found = await rows.selectFrom("former_domains").selectAll().where(sql<boolean>`spoke_id = any(${ids}::text[])`)
    .orderBy("until").orderBy("domain").execute();
  const grouped = Map.groupBy(found, ({ spokeId }) => spokeId);
  return new Map([...grouped].map(([id, rows]) => [id, rows.map(({ domain, until }) => ({ domain, until }))]));
}

/** Lists a spoke's former domains that are still reserved for the spoke. */
export async function listReservedDomains(rows: RowQueries, id: string): Promise<string[]> {
  const found = await rows.selectFrom("former_domains").select("domain").where("spokeId", "=", id)
    .where("until", ">", sql<Date>`wheelwright_now()`).execute();
  return found.map(({ domain }) => domain);
}

/** Gives the spoke a new domain. The previous domain becomes a former domain. */
export async function switchDomain(tx: Tx, { id, domain: previous }: SpokeRow, domain: string): Promise<void> {
  await tx.deleteFrom("former_domains").where("domain", "=", domain).execute();
  await tx.insertInto("former_domains").values({
    domain: previous,
    spokeId: id,
    until: sql<Date>`wheelwright_now() + make_interval(days => ${FORMER_DOMAIN_DAYS}::integer)`,
  }).execute();
  await tx.updateTable("spokes").set({ domain, requestedDomain: null }).where("id", "=", id).execute();
}

export async function clearRequestedDomain(tx: Tx, id: string): Promise<void> {
  await tx.updateTable("spokes").set({ requestedDomain: null }).where("id", "=", id).execute();
}

/** Releases the spoke's former domains, except the domains in `except`. Returns the released domains. */
export async function releaseFormerDomains(tx: Tx, id: string, except: readonly string[] = []): Promise<string[]> {
  const freed = await tx.deleteFrom("former_domains").where("spokeId", "=", id)
    .where(sql<boolean>`domain <> all(${except}::text[])`).returning("domain").execute();
  return freed.map(({ domain }) => domain);
}
