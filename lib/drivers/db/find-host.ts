/** Finds the host of an address for connections that client.ts does not open. */
import { openClient } from "#lib/drivers/db/client.ts";
import type { DatabaseAddress, DatabaseHost } from "#lib/base/database-address.ts";

/** Connects only if the address has several hosts. */
export async function findHost(address: DatabaseAddress, name: string, connectLimit: number): Promise<DatabaseHost> {
  if (address.hosts.length === 1) return address.hosts[0]!;
  const client = await openClient({ url: () => address, name, settings: {}, connectLimit });
  await client.close();
  return client.host;
}
