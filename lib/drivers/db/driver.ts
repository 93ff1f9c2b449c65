/** Creates a client of the PostgreSQL driver for one connection to one host. Ignores environment variables. */
import type { Socket } from "node:net";
import postgres from "postgres";
import { fromColumnName } from "#lib/drivers/db/naming.ts";
import { findDatabasePassword } from "#lib/drivers/db/passfile.ts";
import { POSTGRES_TYPES } from "#lib/drivers/db/values.ts";
import type { DatabaseAddress, DatabaseHost } from "#lib/base/database-address.ts";

interface DriverEvents {
  readonly onclose: () => void;
  readonly onnotify?: (channel: string, payload: string) => void;
  readonly socket: () => Promise<Socket>;
}

type Sql = postgres.Sql<Record<string, unknown>>;
type DriverOptions = postgres.Options<Record<string, postgres.PostgresType>>;

export function openPostgresClient(
  address: DatabaseAddress,
  host: DatabaseHost,
  name: string,
  events: DriverEvents,
): Sql {
  const settings: object = {
    host: [host.host],
    port: [host.port],
    database: address.database,
    user: address.user,
    pass: () => findDatabasePassword(address, host),
    ssl: false, // the socket is already encrypted
    target_session_attrs: "read-write",
    max: 1,
    fetch_types: false,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 0,
    types: POSTGRES_TYPES,
    transform: { column: { from: fromColumnName } },
    connection: { application_name: name, ...(address.options === null ? {} : { options: address.options }) },
    onnotice: () => {},
    ...events,
  };
  // Passes parsed options, so that the variable PGTARGETSESSIONATTRS cannot override `target_session_attrs`.
  const { options } = postgres(settings as DriverOptions), parsed: object = { ...options, target_session_attrs: null };
  return postgres(parsed as DriverOptions) as Sql;
}
