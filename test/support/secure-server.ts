/** Starts a separate PostgreSQL server with TLS, with the certificate for `localhost` in test/data/tls. */
import { chown, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { resolveDatabaseAddress } from "#lib/base/database-address.ts";
import { openTransport } from "#lib/drivers/db/transport.ts";
import { openSeparatePostgresServer, type SeparatePostgresServer, withAdminConnection } from "#test/support/server.ts";
import { until } from "#test/support/until.ts";

export const tlsFile = (name: string): string => fileURLToPath(new URL(`../data/tls/${name}`, import.meta.url));

/** Returns the URL with additional query parameters. */
export function withParameters(url: string, parameters: Readonly<Record<string, string>>): string {
  const changed = new URL(url);
  for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, value);
  return changed.href.replaceAll("+", "%20"); // PostgreSQL connection strings accept spaces only as %20
}

/** Returns the URL with parameters for TLS and for the CA that signed the server's certificate. */
export function withTlsUrl(url: string): string {
  return withParameters(url, { sslmode: "verify-ca", sslrootcert: tlsFile("ca.crt") });
}

/** Starts the server, which accepts connections with and without TLS. Its `url` does not use TLS. */
export async function openSecureServer(): Promise<SeparatePostgresServer> {
  const server = await openSeparatePostgresServer();
  const data = join(server.directory, "data"), { uid, gid } = await stat(data);
  for (const name of ["server.crt", "server.key", "ca.crt"]) {
    // Restricts access to the key file: PostgreSQL rejects a key that other users can read.
    await writeFile(join(data, name), await readFile(tlsFile(name)), { mode: 0o600 });
    await chown(join(data, name), uid, gid);
  }
  await withAdminConnection(server.url, async (sql) => {
    for (
      const setting of [
        "ssl_cert_file = 'server.crt'",
        "ssl_key_file = 'server.key'",
        "ssl_ca_file = 'ca.crt'",
        "ssl = on",
      ]
    ) {
      await sql.unsafe(`alter system set ${setting}`);
    }
    await sql`select pg_reload_conf()`;
  });
  const address = resolveDatabaseAddress(withTlsUrl(server.url));
  await until(async () => {
    const transport = openTransport(address, address.hosts[0]!);
    return await transport.ready.then(() => true, () => false).finally(transport.cut);
  });
  return server;
}
