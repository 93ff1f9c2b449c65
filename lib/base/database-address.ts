/**
 * Parses PostgreSQL connection strings as libpq does: URIs and `key=value` strings, with PG variables as defaults.
 * Unsupported parameters are refused, because ignoring one could weaken the connection's security. The database
 * driver's own parser is not used, because it sends unknown parameters to the server as settings.
 */
import { isIP } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { checkConnectionKeyword, CONNECTION_KEYWORDS } from "#lib/base/database-keywords.ts";
import type { ProcessVariables } from "#lib/base/environment.ts";
import { SECOND } from "#lib/base/time.ts";

export interface DatabaseHost {
  /** A host name, an IP address without brackets, or the absolute path to a directory that contains a Unix socket. */
  readonly host: string;
  readonly port: number;
}

export interface DatabaseTls {
  readonly mode: "disable" | "prefer" | "require" | "verify-ca" | "verify-full";
  /** Whether to start TLS without asking the server first (`sslnegotiation=direct`). */
  readonly direct: boolean;
  /** Whether to send the host name to the server when TLS starts (`sslsni`). */
  readonly sni: boolean;
  /** The path to a PEM file with root certificates. Null if not set. */
  readonly rootCert: string | null;
  readonly cert: string | null;
  readonly key: string | null;
  readonly keyPassword: string | null;
  readonly minVersion: string | null;
  readonly maxVersion: string | null;
}

export interface DatabaseAddress {
  /** The hosts, in the order in which to try them. */
  readonly hosts: readonly DatabaseHost[];
  readonly database: string;
  readonly user: string;
  /** The password. Null if a password file contains the password, or if no password is set. */
  readonly password: string | null;
  readonly passfile: string | null;
  readonly applicationName: string | null;
  /** Command-line options for the server process, such as `-c search_path=wheelwright`. */
  readonly options: string | null;
  /** How long to wait for one host before trying the next, in milliseconds. Null if not set. */
  readonly connectTimeout: number | null;
  /** The servers to accept: any server, only servers that accept writes, or only servers that are not standbys. */
  readonly target: "any" | "read-write" | "primary";
  readonly tls: DatabaseTls;
}

/**
 * A connection string, or a function that returns the database address. The function is called for each new connection,
 * so that a changed password file takes effect without a restart.
 */
export type DatabaseSource = string | (() => DatabaseAddress);

/** A problem in a connection string. The message follows a variable's name and never quotes the string itself. */
export class DatabaseAddressError extends Error {
  override readonly name = "AddressError";
}

export function resolveDatabaseAddress(source: DatabaseSource): DatabaseAddress {
  return typeof source === "string" ? parseConnectionString(source) : source();
}

/** Parses a connection string, with the PG variables in `env` as defaults. Throws DatabaseAddressError if invalid. */
export function parseConnectionString(text: string, env: ProcessVariables = {}): DatabaseAddress {
  const parameters = /^postgres(?:ql)?:\/\//.test(text) ? parseUri(text) : parseKeyValuePairs(text);
  for (const [keyword, value] of parameters) {
    const problem = checkConnectionKeyword(keyword, value);
    if (problem) throw new DatabaseAddressError(problem);
  }
  for (const [keyword, { variable }] of Object.entries(CONNECTION_KEYWORDS)) {
    const value = variable && env[variable];
    if (!value || parameters.has(keyword)) continue;
    const problem = checkConnectionKeyword(keyword, value);
    if (problem) throw new DatabaseAddressError(`cannot be used with ${variable}, which ${problem}`);
    parameters.set(keyword, value);
  }
  return buildAddress(parameters, env);
}

/** Returns the user, hosts and database name without the password, for use in messages. */
export function describeDatabase({ user, hosts, database }: DatabaseAddress): string {
  const name = ({ host, port }: DatabaseHost) => `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return `${user}@${hosts.map(name).join(",")}/${database}`;
}

type ConnectionParameters = Map<string, string>;

function buildAddress(parameters: ConnectionParameters, env: ProcessVariables): DatabaseAddress {
  const valueOf = (keyword: string): string | null => parameters.get(keyword) || null;
  const user = valueOf("user") ?? systemUserName(), timeout = Number(valueOf("connect_timeout") ?? 0);
  const minVersion = valueOf("ssl_min_protocol_version"), maxVersion = valueOf("ssl_max_protocol_version");
  if (minVersion && maxVersion && minVersion > maxVersion) {
    throw new DatabaseAddressError("has an ssl_min_protocol_version above its ssl_max_protocol_version");
  }
  const cert = valueOf("sslcert"), key = valueOf("sslkey");
  if ((cert === null) !== (key === null)) {
    throw new DatabaseAddressError("must set both sslcert and sslkey, or neither of them");
  }
  return {
    hosts: parseHostList(valueOf("host"), valueOf("port")),
    database: valueOf("dbname") ?? user,
    user,
    password: valueOf("password"),
    passfile: valueOf("passfile") ?? (env.HOME ? join(env.HOME, ".pgpass") : null),
    applicationName: valueOf("application_name") ?? valueOf("fallback_application_name"),
    options: valueOf("options"),
    connectTimeout: timeout > 0 ? timeout * SECOND : null,
    target: (valueOf("target_session_attrs") ?? "any") as DatabaseAddress["target"],
    tls: {
      mode: tlsMode(valueOf("sslmode"), valueOf("sslrootcert"), valueOf("sslnegotiation")),
      direct: valueOf("sslnegotiation") === "direct",
      sni: valueOf("sslsni") !== "0",
      rootCert: valueOf("sslrootcert") === "system" ? null : valueOf("sslrootcert"),
      ...{ cert, key, keyPassword: valueOf("sslpassword"), minVersion, maxVersion },
    },
  };
}

/** Returns the TLS mode for an `sslmode`. `allow` becomes `prefer`, which uses encryption at least as often. */
function tlsMode(mode: string | null, rootCert: string | null, negotiation: string | null): DatabaseTls["mode"] {
  if (rootCert === "system") {
    if (mode !== null && mode !== "verify-full") {
      throw new DatabaseAddressError("has sslrootcert=system, which needs sslmode=verify-full");
    }
    return "verify-full";
  }
  const chosen = mode === null || mode === "allow" ? "prefer" : mode as DatabaseTls["mode"];
  if (negotiation === "direct" && ["disable", "prefer"].includes(chosen)) {
    throw new DatabaseAddressError("has sslnegotiation=direct, which needs sslmode=require or stricter");
  }
  // Like libpq, treats `require` as `verify-ca` if a root certificate is configured.
  return chosen === "require" && rootCert !== null ? "verify-ca" : chosen;
}

function parseHostList(hosts: string | null, ports: string | null): DatabaseHost[] {
  const names = (hosts ?? "localhost").split(","), numbers = (ports ?? "").split(",");
  if (numbers.length > 1 && numbers.length !== names.length) {
    throw new DatabaseAddressError(`has ${names.length} hosts and ${numbers.length} ports`);
  }
  return names.map((name, i) => {
    const text = (numbers.length > 1 ? numbers[i] : numbers[0]) || "5432", port = Number(text);
    if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) {
      throw new DatabaseAddressError("has a port that is not a whole number from 1 to 65535");
    }
    const host = name || "localhost";
    if (host.startsWith("/")) return { host, port };
    if (!/^[^\s/@[\]?#%]+$/.test(host)) {
      throw new DatabaseAddressError(
        "has a host that is not a host name, an IP address or the absolute path of a directory",
      );
    }
    return { host, port };
  });
}

function systemUserName(): string {
  try {
    return userInfo().username;
  } catch {
    throw new DatabaseAddressError("has no user");
  }
}

/** Parses `postgresql://user:password@host:port,host:port/dbname?keyword=value`, decoding percent-encoded parts. */
function parseUri(text: string): ConnectionParameters {
  const parameters: ConnectionParameters = new Map(), rest = text.slice(text.indexOf("://") + 3);
  const slash = rest.search(/\/|$/), at = rest.slice(0, slash).lastIndexOf("@");
  if (at >= 0) {
    const [user = "", ...password] = rest.slice(0, at).split(":");
    setIfPresent(parameters, "user", decodePercent(user));
    setIfPresent(parameters, "password", decodePercent(password.join(":")));
  }
  const [place = "", ...queries] = rest.slice(at + 1).split("?"), [hosts = "", ...names] = place.split("/");
  if (hosts !== "") parseUriHosts(parameters, hosts);
  setIfPresent(parameters, "dbname", decodePercent(names.join("/")));
  for (const pair of queries.join("?").split("&").filter(Boolean)) {
    const [keyword = "", ...value] = pair.split("=");
    if (value.length !== 1) throw new DatabaseAddressError(`has a parameter that is not keyword=value`);
    const name = decodePercent(keyword), content = decodePercent(value[0]!);
    // Like libpq, accepts JDBC's `ssl=true` as a synonym for `sslmode=require`.
    if (name === "ssl" && content === "true") parameters.set("sslmode", "require");
    else parameters.set(name, content);
  }
  return parameters;
}

function parseUriHosts(parameters: ConnectionParameters, text: string): void {
  const hosts: string[] = [], ports: string[] = [];
  for (const place of text.split(",")) {
    const match = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d*))?$/.exec(place);
    if (!match) {
      throw new DatabaseAddressError(
        "has an invalid host; write an IPv6 address in brackets, such as [::1]:5432",
      );
    }
    const [, address, name = "", port = ""] = match;
    if (address !== undefined && isIP(address.replace(/%.*$/, "")) !== 6) {
      throw new DatabaseAddressError("has brackets that do not contain an IPv6 address");
    }
    hosts.push(address ?? decodePercent(name));
    ports.push(port);
  }
  if (hosts.some((host) => host !== "")) parameters.set("host", hosts.join(","));
  if (ports.some((port) => port !== "")) parameters.set("port", ports.join(","));
}

/** Parses a string such as `host=localhost port=5432 password='it''s \'quoted\''`. */
function parseKeyValuePairs(text: string): ConnectionParameters {
  const parameters: ConnectionParameters = new Map(),
    pair = /\s*([a-z_]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'\\]|\\.)*))(?=\s|$)/gsy;
  const trimmed = text.trim();
  let read = 0;
  for (const [whole, keyword, quoted, plain] of trimmed.matchAll(pair)) {
    parameters.set(keyword!, (quoted ?? plain ?? "").replace(/\\(.)/gs, "$1"));
    read += whole.length;
  }
  if (parameters.size === 0 || read < trimmed.length) {
    throw new DatabaseAddressError("must be a URL such as postgres://user:password@host:5432/name");
  }
  return parameters;
}

function setIfPresent(parameters: ConnectionParameters, keyword: string, value: string): void {
  if (value !== "") parameters.set(keyword, value);
}

function decodePercent(text: string): string {
  try {
    const decoded = decodeURIComponent(text);
    if (!decoded.includes("\0")) return decoded;
  } catch {
    // Text that cannot be decoded causes the error below.
  }
  throw new DatabaseAddressError("has an invalid percent-encoding; write %25 for a percent sign");
}
