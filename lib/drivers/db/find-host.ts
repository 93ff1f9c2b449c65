/** Finds the host to connect to, for connections that client.ts does not open. */
import { openDatabaseClient } from "#lib/drivers/db/client.ts";
import type { DatabaseAddress, DatabaseHost } from "#lib/base/database-address.ts";

/** Returns the first suitable host that answers. If there is only one host, returns it without connecting. */
export async function findDatabaseHost(
  address: DatabaseAddress,
  name: string,
  connectLimit: number,
): Promise<DatabaseHost> {
  if (address.hosts.length === 1) return address.hosts[0]!;
  const client = await openDatabaseClient({ url: () => address, name, settings: {}, connectLimit });
  await client.close();
  return client.host;
}
