/**
 * The rows of memberships: who has a seat in a hub, and who in a spoke. The two tables are alike, and what is done with
 * them is the same. What a seat is worth stands in store.ts: nothing, until the address is verified.
 */
import { sql } from "kysely";
import { spokeUrl } from "#lib/catalog/inputs.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import { comesAfter, type ListPage, type ListPageRequest, readPage } from "#lib/drivers/db/pages.ts";

/** What somebody administers. */
export type Seat = { readonly federationId: string } | { readonly spokeId: string };

export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  /** Invited, and has not accepted yet: until then the seat opens nothing. */
  readonly pending: boolean;
  /** Why the mail server refused the last mail for good; null when it did not. */
  readonly mailRefused: string | null;
  /** Since when the seat is theirs. */
  readonly createdAt: Date;
}

/** What somebody administers, as people call it. */
export interface AdministeredObject {
  readonly name: string;
  /** Of a spoke: where its site is, and whether it should answer there now. */
  readonly site:
    | { readonly spokeId: string; readonly host: string; readonly url: string; readonly open: boolean }
    | null;
}

/** Returns whether the user had no such seat before. Streams that it has open look again, and widen. */
export async function addSeat(tx: Tx, seat: Seat, userId: string): Promise<boolean> {
  const { table, column, id } = tableOf(seat);
  const { rows } = await sql`insert into ${table} (${column}, user_id) values (${id}, ${userId})
    on conflict do nothing returning user_id`.execute(tx);
  if (rows.length > 0) tx.wakes.add(`user:${userId}`);
  return rows.length > 0;
}

/** Returns whether the user had it. Streams that it has open look again, and narrow or end. */
export async function removeSeat(tx: Tx, seat: Seat, userId: string): Promise<boolean> {
  const { table, column, id } = tableOf(seat);
  const { rows } = await sql`delete from ${table} where ${column} = ${id} and user_id = ${userId}
    returning user_id`.execute(tx);
  if (rows.length > 0) tx.wakes.add(`user:${userId}`);
  return rows.length > 0;
}

/** Newest first; complete unless a limit is given. */
export async function listSeats(rows: Rows, seat: Seat, page: ListPageRequest): Promise<ListPage<Member>> {
  const { table, column, id } = tableOf(seat);
  return await readPage(page, async (bounds) => {
    const { rows: found } = await sql<Member>`
      select user_id, email, display_name, email_verified_at is null as pending, mail_refused, seat.created_at
      from ${table} as seat join users on users.id = seat.user_id
      where seat.${column} = ${id} and ${comesAfter(bounds, sql`seat.created_at`, sql`seat.user_id`)}
      order by seat.created_at desc, seat.user_id desc limit ${bounds.maxRows ?? null}`.execute(rows);
    return found;
  }, ({ createdAt, userId }) => [createdAt, userId]);
}

/**
 * What the user administers or will, once the address is verified, by the names that people gave it: hubs, then spokes,
 * as they came.
 */
export async function listAdministeredObjects(rows: Rows, userId: string): Promise<AdministeredObject[]> {
  const { rows: found } = await sql<AdministeredRow>`
    select name, spoke_id, state, domain, blueprint_inputs from (
      select 1 as rank, hub.name, member.created_at, hub.id,
        null as spoke_id, null as state, null as domain, null::jsonb as blueprint_inputs
        from federation_members as member
        join federations as hub on hub.id = member.federation_id
        where member.user_id = ${userId} and hub.state <> 'removed'
      union all
      select 2, spoke.display_name, member.created_at, spoke.id,
        spoke.id, spoke.state, spoke.domain, spoke.blueprint_inputs
        from spoke_members as member
        join spokes as spoke on spoke.id = member.spoke_id
        where member.user_id = ${userId} and spoke.state <> 'removed'
    ) as seats order by rank, created_at, id`.execute(rows);
  return found.map(({ name, spokeId, state, domain: host, blueprintInputs: inputs }) => ({
    name,
    site: spokeId === null ? null : { spokeId, host, url: spokeUrl({ ...inputs, host }), open: state === "active" },
  }));
}

/** The same by their names alone. */
export async function listAdministeredNames(rows: Rows, userId: string): Promise<string[]> {
  return (await listAdministeredObjects(rows, userId)).map(({ name }) => name);
}

type AdministeredRow =
  & { readonly name: string; readonly domain: string; readonly blueprintInputs: SpokeInputs }
  & ({ readonly spokeId: string; readonly state: string } | { readonly spokeId: null; readonly state: null });

function tableOf(seat: Seat) {
  return "spokeId" in seat
    ? { table: sql.table("spoke_members"), column: sql.ref("spokeId"), id: seat.spokeId }
    : { table: sql.table("federation_members"), column: sql.ref("federationId"), id: seat.federationId };
}
