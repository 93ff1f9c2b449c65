/** Makes the database's addresses of the variables, for the service's role and for the owner's. */
import { accessSync, constants } from "node:fs";
import { AddressError, type DatabaseAddress, type DatabaseSource, readAddress } from "#lib/base/database-address.ts";
import type { ProcessVariables } from "#lib/base/environment.ts";
import { reasonOf } from "#lib/base/errors.ts";
import { readGiven } from "#lib/base/variable-files.ts";

export interface DatabaseConfig {
  /** The address at the start. Connections are opened with `source`. */
  readonly url: string;
  readonly source: DatabaseSource;
  /** The address of the schema's owner, who migrates. Null if the service's own role owns the schema. */
  readonly ownerUrl: string | null;
  readonly ownerSource: DatabaseSource | null;
}

/** The variables that hold where the database is. Their files are read again for each connection. */
const NAMES = [
  ...["DATABASE_URL", "DATABASE_OWNER_URL", "POSTGRES_PASSWORD", "POSTGRES_HOST", "POSTGRES_PORT", "POSTGRES_USER"],
  ...["POSTGRES_DB", "POSTGRES_OWNER_USER", "POSTGRES_OWNER_PASSWORD"],
];

export function databaseConfig(env: ProcessVariables): DatabaseConfig {
  const given = readGiven(NAMES, env, []), ownerUrl = ownerText(given);
  return {
    url: serviceText(given) ?? "",
    source: sourceOf(env, serviceText),
    ownerUrl,
    ownerSource: ownerUrl === null ? null : sourceOf(env, ownerText),
  };
}

/** Problems of the connection strings, each named by its variable. */
export function databaseProblems(given: Readonly<Record<string, string>>, env: ProcessVariables): string[] {
  const texts = [
    [given.DATABASE_URL ? "DATABASE_URL" : "POSTGRES_HOST", serviceText(given)],
    [given.DATABASE_OWNER_URL ? "DATABASE_OWNER_URL" : "POSTGRES_HOST", ownerText(given)],
  ] as const;
  return texts.flatMap(([name, text]) => {
    if (text === null) return [];
    try {
      return unreadable(readAddress(text, env)).map((problem) => `${name} ${problem}`);
    } catch (error) {
      if (!(error instanceof AddressError)) throw error;
      return [`${name} ${error.message}`];
    }
  });
}

function unreadable({ tls }: DatabaseAddress): string[] {
  const files = [["sslrootcert", tls.rootCert], ["sslcert", tls.cert], ["sslkey", tls.key]] as const;
  return files.flatMap(([keyword, path]) => {
    try {
      if (path !== null) accessSync(path, constants.R_OK);
      return [];
    } catch (error) {
      return [`has an ${keyword} that names a file that cannot be read: ${reasonOf(error)}`];
    }
  });
}

type Given = Readonly<Record<string, string>>;

function sourceOf(env: ProcessVariables, textOf: (given: Given) => string | null): DatabaseSource {
  let last: { readonly text: string; readonly address: DatabaseAddress } | null = null;
  return () => {
    const problems: string[] = [], text = textOf(readGiven(NAMES, env, problems));
    if (problems.length > 0 || text === null) {
      throw new AddressError(problems.join("; ") || "The database has no address");
    }
    if (last?.text !== text) last = { text, address: readAddress(text, env) };
    return last.address;
  };
}

function serviceText(given: Given): string | null {
  return given.DATABASE_URL ?? partsText(given, given.POSTGRES_USER ?? "wheelwright", given.POSTGRES_PASSWORD);
}

function ownerText(given: Given): string | null {
  return given.DATABASE_OWNER_URL ??
    partsText(given, given.POSTGRES_OWNER_USER ?? "postgres", given.POSTGRES_OWNER_PASSWORD);
}

function partsText(given: Given, user: string, password: string | undefined): string | null {
  if (password === undefined) return null;
  const { POSTGRES_HOST: host = "postgres", POSTGRES_PORT: port = "5432", POSTGRES_DB: database = "wheelwright" } =
    given;
  const place = `${host.includes(":") ? `[${host}]` : encodeURIComponent(host)}:${port}`;
  return `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${place}/${
    encodeURIComponent(database)
  }`;
}
