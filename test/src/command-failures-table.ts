/** The table of failures: environment, exit status and message. command-failures.test.ts runs each row. */
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import type { TestDatabase } from "#test/support/database.ts";

export interface Place {
  db: TestDatabase;
  /** A database with the schema of a later release. */
  newer: TestDatabase;
  /** A server that uses a port. */
  taken: Server;
  /** A directory with a valid kubeconfig, invalid files and unusable data directories. */
  directory: string;
  /** A DATA_DIR that the test process has locked. */
  held: string;
}

/** A secret in an invalid file. No message may contain the secret. */
export const SECRET = "s3cret-of-the-file";

function changed(url: string, change: Partial<Pick<URL, "password" | "pathname">>): string {
  return Object.assign(new URL(url), change).href;
}

type Row = readonly [what: string, env: (place: Place) => Record<string, string>, status: number, said: RegExp];

export interface Case {
  readonly what: string;
  readonly line: string;
  readonly env: Row[1];
  readonly status: number;
  readonly said: RegExp;
}

const SERVE: readonly Row[] = [
  [
    "a wrong password of the database",
    ({ db }) => ({ DATABASE_URL: changed(db.url, { password: SECRET }) }),
    78,
    /^The database refuses the connection \(see DATABASE_URL or the POSTGRES_ variables\): password authentication failed/,
  ],
  [
    "a missing database",
    ({ db }) => ({ DATABASE_URL: changed(db.url, { pathname: "/nowhere" }) }),
    78,
    /^The database refuses the connection \(see DATABASE_URL or .*"nowhere" does not exist$/,
  ],
  [
    "a database that needs a newer release",
    ({ newer }) => ({ DATABASE_URL: newer.url }),
    78,
    /^The database is newer than this program: its migration 9999_later.sql needs 9998_before.sql, .*run a newer release$/,
  ],
  [
    "a port that is in use",
    ({ taken }) => ({ PORT: String((taken.address() as AddressInfo).port) }),
    69,
    /^Cannot listen on 127\.0\.0\.1:\d+: the port is in use\. .*set PORT to another port$/,
  ],
  [
    "a port for metrics that is in use",
    ({ taken }) => ({ METRICS_PORT: String((taken.address() as AddressInfo).port) }),
    69,
    /^Cannot listen on 127\.0\.0\.1:\d+: the port is in use\. .*set METRICS_PORT to another port$/,
  ],
  [
    "an address of another machine",
    () => ({ HOST: "192.0.2.7" }),
    78,
    /^Cannot listen on 192\.0\.2\.7:0: this machine does not have that address\. Set HOST to /,
  ],
  [
    "a missing kubeconfig",
    ({ directory }) => ({ KUBECONFIG: join(directory, "none") }),
    78,
    /^wheelwright serve cannot start: .*\n {2}KUBECONFIG points to a file that cannot be read: no such file or directory$/,
  ],
  [
    "an invalid kubeconfig, whose content is not shown",
    ({ directory }) => ({ KUBECONFIG: join(directory, "no-yaml") }),
    78,
    /^KUBECONFIG cannot be used: Cannot read the kubeconfig file .*\/no-yaml: .* at line \d+, column \d+$/,
  ],
  [
    "a kubeconfig that is a directory",
    ({ directory }) => ({ KUBECONFIG: join(directory, "folder") }),
    78,
    /^KUBECONFIG cannot be used: Cannot read the kubeconfig file .*\/folder: it is a directory$/,
  ],
  [
    "an invalid catalog",
    ({ directory }) => ({ CATALOG: join(directory, "no-catalog") }),
    78,
    /^wheelwright serve cannot start: .*\n {2}CATALOG.* at line \d+, column \d+$/,
  ],
  [
    "a missing blueprint directory",
    ({ directory }) => ({ BLUEPRINT_DIR: join(directory, "none") }),
    78,
    /^wheelwright serve cannot start: .*\n {2}BLUEPRINT_DIR .*cannot be read: no such file or directory$/,
  ],
  [
    "a missing file of a variable",
    ({ directory }) => ({ PUBLIC_URL: "", PUBLIC_URL_FILE: join(directory, "none") }),
    78,
    /^wheelwright serve cannot start: .*\n {2}PUBLIC_URL_FILE points to a file .*: no such file or directory$/,
  ],
];

const at = (directory: string, name: string): string => join(directory, name);

/** Failures that need only a command line and environment variables. */
const OTHERS: readonly (readonly [line: string, env: Row[1], status: number, said: RegExp])[] = [
  [
    "dev",
    ({ directory }) => ({ DATA_DIR: at(directory, "kubeconfig") }),
    78,
    /not a directory; set DATA_DIR to a directory that this user can write to$/,
  ],
  [
    "dev",
    ({ directory }) => ({ DATA_DIR: at(directory, "kubeconfig/below") }),
    78,
    /^Cannot use DATA_DIR .*\/below: not a directory/,
  ],
  [
    "dev",
    () => ({ DATA_DIR: "/proc/wheelwright/below" }),
    78,
    /^Cannot use DATA_DIR \/proc\/wheelwright\/below: no file can be created there; set/,
  ],
  [
    "dev",
    () => ({ DATA_DIR: "/sys/wheelwright" }),
    78,
    /^Cannot use DATA_DIR \/sys\/wheelwright: permission denied; set/,
  ],
  ["dev", ({ directory }) => ({ DATA_DIR: at(directory, "x".repeat(300)) }), 78, /: the path is too long; set/],
  [
    "dev",
    ({ directory }) => ({ DATA_DIR: at(directory, "damaged") }),
    69,
    /^Cannot load the simulated cluster's state from .*\/damaged\/cluster\.json: the file is damaged; to start with an empty cluster, move this file to another folder$/,
  ],
  [
    "dev",
    ({ directory }) => ({ DATA_DIR: at(directory, "occupied") }),
    69,
    /^Cannot run PostgreSQL in .*\/occupied\/postgres: path already exists; free disk space in this directory, or set DATA_DIR/,
  ],
  [
    "dev",
    ({ held }) => ({ DATA_DIR: held }),
    69,
    new RegExp(
      `^Another Wheelwright process .${process.pid}. uses DATA_DIR .*\. Stop it, or set a different DATA_DIR and PORT`,
    ),
  ],
  [
    "dev",
    ({ taken }) => ({ PORT: String((taken.address() as AddressInfo).port) }),
    69,
    /^Cannot listen on 127\.0\.0\.1:\d+: the port is in use/,
  ],
  [
    "dev",
    () => ({ HOST: "no.such.host.invalid" }),
    78,
    /^Cannot listen on no\.such\.host\.invalid:\d+: host name not found\. Set HOST/,
  ],
  [
    "dev",
    () => ({ PORT: "70000" }),
    78,
    /^wheelwright dev cannot start: 1 variable is unusable:\n {2}PORT must be a whole number from 0 to 65535$/,
  ],
  [
    "dev --kubeconfig /nowhere",
    () => ({}),
    78,
    /^KUBECONFIG cannot be used: Cannot read the kubeconfig file \/nowhere: no such file or directory$/,
  ],
  ["dev --kubeconfig", () => ({}), 2, /^Option --kubeconfig needs a value: /],
  ["dev --kubeconfg=x", () => ({}), 2, /^Unknown option --kubeconfg\. Did you mean --kubeconfig\?$/],
  ["serve --constructor", () => ({}), 2, /^Unknown option --constructor$/],
  ["serve now", () => ({}), 2, /^Unexpected argument "now"$/],
  ["sevre", () => ({}), 2, /^Unknown command "sevre"\. Did you mean serve\?$/],
  ["provision", () => ({}), 2, /^Unknown command "provision"$/],
  [
    "audit verfy",
    () => ({}),
    2,
    /^Unknown subcommand "verfy" of wheelwright audit\. Did you mean verify\?$/,
  ],
  ["admin", () => ({}), 2, /^wheelwright admin needs a subcommand$/],
  ["doctor --json=yes", () => ({}), 2, /^Option --json takes no value$/],
  ["simulate --port 80000", () => ({}), 2, /^--port must be a whole number from 0 to 65535$/],
  [
    "simulate --kubeconfig /nowhere/file",
    () => ({}),
    69,
    /^wheelwright simulate failed: no such file or directory \(\/nowhere\/file\)$/,
  ],
];

export const CASES: readonly Case[] = [
  ...SERVE.map(([what, env, status, said]) => ({ what, line: "serve", env, status, said })),
  ...OTHERS.map(([line, env, status, said]) => ({ what: `${line}: ${said.source}`, line, env, status, said })),
];
