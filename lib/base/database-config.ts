/** Builds the database addresses that the service and the schema's owner use to connect. */
import { accessSync, constants } from "node:fs";
import {
  type DatabaseAddress,
  DatabaseAddressError,
  type DatabaseSource,
  parseConnectionString,
} from "#lib/base/database-address.ts";
import type { ProcessVariables } from "#lib/base/environment.ts";
import { getErrorReason } from "#lib/base/errors.ts";
import { readVariables } from "#lib/base/variable-files.ts";

export interface DatabaseConfig {
  /** The connection string at startup, for display. New connections use `source`, which rereads the variables. */
  readonly url: string;
  readonly source: DatabaseSource;
  /** The schema owner's connection string, for migrations. Null if the service's role owns the schema. */
  readonly ownerUrl: string | null;
  readonly ownerSource: DatabaseSource | null;
}

/** The variables that make up a database address. Values in files (NAME_FILE) are reread for each connection. */
const DATABASE_VARIABLES = [
  ...["DATABASE_URL", "DATABASE_OWNER_URL", "POSTGRES_PASSWORD", "POSTGRES_HOST", "POSTGRES_PORT", "POSTGRES_USER"],
  ...["POSTGRES_DB", "POSTGRES_OWNER_USER", "POSTGRES_OWNER_PASSWORD"],
];

export function readDatabaseConfig(env: ProcessVariables): DatabaseConfig {
  const values = readVariables(DATABASE_VARIABLES, env, []), ownerUrl = ownerConnectionString(values);
  return {
    url: serviceConnectionString(values) ?? "",
    source: createSource(env, serviceConnectionString),
    ownerUrl,
    ownerSource: ownerUrl === null ? null : createSource(env, ownerConnectionString),
  };
}

/** Returns the problems in the connection strings, each prefixed with its variable's name. */
export function checkDatabaseVariables(values: Readonly<Record<string, string>>, env: ProcessVariables): string[] {
  const texts = [
    [values.DATABASE_URL ? "DATABASE_URL" : "POSTGRES_HOST", serviceConnectionString(values)],
    [values.DATABASE_OWNER_URL ? "DATABASE_OWNER_URL" : "POSTGRES_HOST", ownerConnectionString(values)],
  ] as const;
  return texts.flatMap(([name, text]) => {
    if (text === null) return [];
    try {
      return findUnreadableFiles(parseConnectionString(text, env)).map((problem) => `${name} ${problem}`);
    } catch (error) {
      if (!(error instanceof DatabaseAddressError)) throw error;
      return [`${name} ${error.message}`];
    }
  });
}

function findUnreadableFiles({ tls }: DatabaseAddress): string[] {
  const files = [["sslrootcert", tls.rootCert], ["sslcert", tls.cert], ["sslkey", tls.key]] as const;
  return files.flatMap(([keyword, path]) => {
    try {
      if (path !== null) accessSync(path, constants.R_OK);
      return [];
    } catch (error) {
      return [`has an ${keyword} whose file cannot be read: ${getErrorReason(error)}`];
    }
  });
}

type VariableValues = Readonly<Record<string, string>>;

function createSource(
  env: ProcessVariables,
  connectionStringOf: (values: VariableValues) => string | null,
): DatabaseSource {
  let cached: { readonly text: string; readonly address: DatabaseAddress } | null = null;
  return () => {
    const problems: string[] = [], text = connectionStringOf(readVariables(DATABASE_VARIABLES, env, problems));
    if (problems.length > 0 || text === null) {
      throw new DatabaseAddressError(problems.join("; ") || "No database address is set");
    }
    if (cached?.text !== text) cached = { text, address: parseConnectionString(text, env) };
    return cached.address;
  };
}

function serviceConnectionString(values: VariableValues): string | null {
  return values.DATABASE_URL ??
    buildConnectionString(values, values.POSTGRES_USER ?? "wheelwright", values.POSTGRES_PASSWORD);
}

function ownerConnectionString(values: VariableValues): string | null {
  return values.DATABASE_OWNER_URL ??
    buildConnectionString(values, values.POSTGRES_OWNER_USER ?? "postgres", values.POSTGRES_OWNER_PASSWORD);
}

function buildConnectionString(values: VariableValues, user: string, password: string | undefined): string | null {
  if (password === undefined) return null;
  const { POSTGRES_HOST: host = "postgres", POSTGRES_PORT: port = "5432", POSTGRES_DB: database = "wheelwright" } =
    values;
  const hostAndPort = `${host.includes(":") ? `[${host}]` : encodeURIComponent(host)}:${port}`;
  return `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${hostAndPort}/${
    encodeURIComponent(database)
  }`;
}
