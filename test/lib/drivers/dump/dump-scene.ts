/** Creates databases with rows in all important tables, and backs them up and restores them in this process. */
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Migration } from "#lib/drivers/db/compare-schema.ts";
import { packBackup, unpackBackup } from "#lib/drivers/dump/pack.ts";
import { restoreDatabaseBackup } from "#lib/drivers/dump/restore.ts";
import { type BackupManifest, readBackupParts } from "#lib/drivers/dump/script.ts";
import { openDatabaseSnapshot } from "#lib/drivers/dump/snapshot.ts";
import { migrations } from "#src/migrations.ts";
import { sealAll } from "#test/lib/audit/scene.ts";
import type { TestDatabase } from "#test/support/database.ts";
import { insertHub, insertSpoke, insertUser } from "#test/support/insert-rows.ts";
import { withAdminConnection } from "#test/support/server.ts";
import { updateRows } from "#test/support/rows.ts";

export const nothing = (): void => {};

export async function* once(bytes: Uint8Array, length = 10_000): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += length) yield bytes.subarray(from, from + length);
}

/** The file's content. */
export async function backUp(url: string, passphrase: string | null = null, known = migrations): Promise<Buffer> {
  const snapshot = await openDatabaseSnapshot(url, "0.1.0", known), found: Uint8Array[] = [];
  try {
    for await (const piece of packBackup(snapshot.text(nothing), passphrase)) found.push(piece);
  } finally {
    await snapshot.close();
  }
  return Buffer.concat(found);
}

export function restore(
  url: string,
  file: Uint8Array,
  { known = migrations, passphrase = "" }: { known?: readonly Migration[]; passphrase?: string } = {},
): Promise<BackupManifest> {
  const text = unpackBackup(once(file), () => Promise.resolve(passphrase));
  return restoreDatabaseBackup({ url, parts: readBackupParts(text, nothing), migrations: known });
}

/** Returns all rows by table. */
export async function rowsIn(url: string): Promise<Record<string, string[]>> {
  return await withAdminConnection(url, async (sql) => {
    const tables = await sql`select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
      order by relname`;
    const found: Record<string, string[]> = {};
    for (const { relname } of tables) {
      const rows = await sql`select row::text from ${sql(relname)} as row order by 1`;
      found[relname] = rows.map(({ row }) => row);
    }
    return found;
  });
}

/** Removes the time of the backup from hubs and spokes. Returns how many did not have it. */
export async function undate(url: string): Promise<number> {
  return await withAdminConnection(url, async (sql) => {
    let left = 0;
    for (const table of ["federations", "spokes"]) {
      left += (await sql`select from ${sql(table)} where backup_updated_at is distinct from updated_at`).length;
      await sql`update ${sql(table)} set backup_updated_at = null`;
    }
    return left;
  });
}

/** Inserts unusual values: a hub with two spokes, one of them a copy of the other. */
export async function fill(db: TestDatabase): Promise<{ hub: string; user: string; spokes: string[] }> {
  const user = await insertUser(db), hub = await insertHub(db, user);
  const spokes = [await insertSpoke(db, user, hub, "ash"), await insertSpoke(db, user, hub, "elm")];
  await updateRows(db, "spokes", { copyOf: spokes[1] }, { id: spokes[0] });
  await updateRows(db, "users", { displayName: "a\tb\\N\n\\.\n“é”\u{1f600}\r", passwordHash: "\\N" });
  await db.transact((tx) =>
    recordChange(tx, SYSTEM_REQUESTER, {
      audit: [1, 2, 3].map((number) => ({
        kind: "spoke_provisioned" as const,
        objectType: "spoke" as const,
        objectId: spokes[0]!,
        federationId: hub,
        spokeId: spokes[0]!,
        metadata: { number, text: "\\.\n\ttab", deep: { "é": [1.5, null, true] } },
      })),
      events: [{ federationId: hub, spokeId: spokes[0]!, state: "active", operation: null }],
    })
  );
  await sealAll(db);
  await db.sql(`
    insert into replicas (id, release) values ('rep_1', 'x');
    insert into sessions (id, user_id, token_hash, ip, user_agent)
      values ('ses_1', '${user}', sha256('1'), '', '');
    insert into api_tokens (id, user_id, name, scope, prefix, token_hash)
      values ('tok_1', '${user}', 'it', 'cli', 'ww_cli_abcd', sha256('\\000\\134'));
    insert into one_time_tokens (id, purpose, user_id, token_hashes, expires_at) values
      ('ott_1', 'password_reset', '${user}', array[sha256('a'), sha256('b')], wheelwright_now() + interval '1 hour'),
      ('ott_2', 'invitation', '${user}', array[sha256('c')], wheelwright_now() + interval '1 hour');
    insert into jobs (id, kind, visible, lane, federation_id, spoke_id, state, holder, attempt, fence, time_limit_ms, plan,
        step_names, finished_steps, label, payload, requester_id, requester_email, requester_ip, requester_agent) values
      ('op_1', 'provision', true, 'federation:${hub}', '${hub}', '${
    spokes[0]
  }', 'running', 'rep_1', 2, nextval('job_fences'),
        9000, 1, array['volumes', 'site, or "not"'], '{volumes}', 'Running', '{"a": "\\\\"}', 'u', 'e', '', ''),
      ('op_2', 'provision', true, 'federation:${hub}', '${hub}', '${spokes[1]}', 'queued', null, 0, 0,
        9000, 1, '{volumes}', '{}', 'Waiting', '{}', 'u', 'e', '', '');
    insert into token_calls (token_id, endpoint, day, calls) values ('tok_1', 'GET /', '2030-01-02', 7);
    insert into templates (id, cluster, cluster_uid, version, moodle_image, postgres_image, revision, storage_class)
      values ('tpl_1', 'default', 'u', '4.5', 'm', 'p', 'r', 's')`);
  return { hub, user, spokes };
}
