/**
 * The configuration: environment variables, read once, checked by one schema, frozen, and never looked at again.
 *
 * Every problem is reported in one message that names each variable. A value may come from a file by NAME_FILE, as
 * container secrets do. Values never appear in the message: some of them are secrets.
 */
import { join } from "node:path";
import * as v from "valibot";
import { databaseConfig, databaseProblems } from "#lib/base/database-config.ts";
import { processEnvironment, type ProcessVariables, showsColours } from "#lib/base/environment.ts";
import { traceSettings } from "#lib/base/otel.ts";
import { missingFiles, readGiven } from "#lib/base/variable-files.ts";
import { Variables } from "#lib/base/variables.ts";

/**
 * What must be told: `serve` needs a database, its address and a domain, `migrate` a database; `dev` has its own of all, and
 * `any` reads what there is.
 */
export type Mode = "serve" | "migrate" | "dev" | "any";

export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    const many = problems.length === 1 ? "1 variable is" : `${problems.length} variables are`;
    super(`${many} not usable:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

interface ConfigSource {
  readonly mode: Mode;
  readonly env: ProcessVariables;
  /** Whether standard output is a terminal: then the log is made for people unless LOG_FORMAT says otherwise. */
  readonly terminal: boolean;
  /** Whether files that variables name are looked for. */
  readonly files?: boolean;
}

export type Config = Readonly<ReturnType<typeof build>>;

/** The configuration of this process. Throws ConfigError. */
export function readConfig(source: ConfigSource): Config {
  const problems: string[] = [];
  const given = readGiven(Object.keys(Variables.entries), source.env, problems);
  const result = v.safeParse(Variables, given);
  for (const issue of result.issues ?? []) problems.push(`${v.getDotPath(issue)} ${issue.message}`);
  problems.push(...missing(source, given));
  if (source.files) problems.push(...missingFiles(source.mode, given));
  if (source.mode !== "dev") problems.push(...databaseProblems(given, source.env));
  if (problems.length > 0 || !result.success) throw new ConfigError([...new Set(problems)]);
  return Object.freeze(build(result.output, source));
}

/** The configuration of the environment that this process was started with. */
export function readProcessConfig(mode: Mode): Config {
  return readConfig({ mode, env: processEnvironment(), terminal: process.stdout.isTTY === true });
}

/** Reads the configuration of a program that starts. The files that variables name must exist. */
export function readStartConfig(mode: "serve" | "dev"): Config {
  return readConfig({ mode, env: processEnvironment(), terminal: process.stdout.isTTY === true, files: true });
}

/** The variables that this process was started with, each `set` or, where NAME_FILE names it, `file`. */
export function readNamesOfProcess(): ReadonlyMap<string, "set" | "file"> {
  const env = processEnvironment();
  const names = Object.keys(Variables.entries).filter((name) => env[name] || env[`${name}_FILE`]);
  return new Map(names.map((name) => [name, env[name] ? "set" : "file"]));
}

/** Where each pod is told that its cluster's API server is; no URL outside of a cluster. */
export function serverOfPod(): string {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" } = processEnvironment();
  const scheme = ["80", "8080", "8001"].includes(port) ? "http" : "https";
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Where a listener is whose port the system chose: the default PUBLIC_URL knows only port 0. */
export function publicUrlOn(port: number, { publicUrl }: Pick<Config, "publicUrl">): URL {
  return publicUrl.port === "0" ? new URL(`http://localhost:${port}`) : publicUrl;
}

/** The URL of a path of this service, from outside. */
export function pageAt(home: URL, path: string): URL {
  return new URL(path, home);
}

function missing({ mode, env }: ConfigSource, given: Readonly<Record<string, string>>): string[] {
  const problems: string[] = [];
  const has = (name: string) => given[name] !== undefined || !!env[`${name}_FILE`]; // a file that cannot be read is told
  const need = (name: string, why: string) => has(name) || problems.push(`${name} is missing: ${why}`);
  if ((mode === "serve" || mode === "migrate") && !has("POSTGRES_PASSWORD")) {
    need("DATABASE_URL", "set it, or POSTGRES_PASSWORD, to reach PostgreSQL");
  }
  if (mode === "serve") {
    need("PUBLIC_URL", "where browsers find this service, for links and cookies, such as https://hubs.example.org");
    need("ROOT_DOMAIN", "the wildcard domain under which spokes live");
    if (!given.KUBECONFIG_HOST_PATH && !env.KUBERNETES_SERVICE_HOST) {
      need("KUBECONFIG", "the file that names your cluster");
    }
  }
  if (given.BOOTSTRAP_ADMIN_EMAIL) need("BOOTSTRAP_ADMIN_PASSWORD", "BOOTSTRAP_ADMIN_EMAIL is set");
  if (given.BOOTSTRAP_ADMIN_PASSWORD) need("BOOTSTRAP_ADMIN_EMAIL", "BOOTSTRAP_ADMIN_PASSWORD is set");
  if (given.SMTP_HOST) need("SMTP_FROM", "SMTP_HOST is set, and a mail needs a sender");
  if (given.STRIPE_SECRET_KEY) need("STRIPE_WEBHOOK_SECRET", "STRIPE_SECRET_KEY is set, and its events must be proved");
  if (mode === "dev" && /^[a-z]+_live_/.test(given.STRIPE_SECRET_KEY ?? "")) {
    problems.push("STRIPE_SECRET_KEY is a live key: what dev makes up would be charged; use a test key");
  }
  if (given.METRICS_PORT && Number(given.METRICS_PORT) === Number(given.PORT ?? 3000)) {
    problems.push(
      "METRICS_PORT is the port that PORT names: set it to another one, which only your Prometheus reaches",
    );
  }
  if (given.SMTP_USER) need("SMTP_PASS", "SMTP_USER is set");
  if (given.SPOKE_SMTP_USER) need("SPOKE_SMTP_HOST", "SPOKE_SMTP_USER is set");
  if (given.SPOKE_SMTP_USER) need("SPOKE_SMTP_SECRET", "SPOKE_SMTP_USER is set, and the passwords are made from it");
  if (given.SPOKE_SMTP_SECRET) need("SPOKE_SMTP_USER", "SPOKE_SMTP_SECRET is set, and each spoke needs an account");
  return problems;
}

function build(given: Variables, source: ConfigSource) {
  const { mode, terminal } = source, dev = mode === "dev";
  return {
    /** What dev prints lets an operator in: nobody but this machine is offered it unless HOST says so. */
    host: given.HOST ?? (dev ? "127.0.0.1" : "0.0.0.0"),
    port: given.PORT,
    publicUrl: new URL(given.PUBLIC_URL ?? `http://localhost:${given.PORT}`),
    /** The port of the addresses of new sites; null for the default one. `dev` sets it for its simulated sites. */
    sitePort: null as number | null,
    rootDomain: given.ROOT_DOMAIN ?? "spokes.localhost",
    /** Empty in dev: its embedded server has an address once it runs, and nobody's database is used by accident. */
    database: {
      ...(dev ? { url: "", source: "", ownerUrl: null, ownerSource: null } : databaseConfig(source.env)),
      pool: given.DATABASE_POOL,
    },
    bootstrapAdmin: given.BOOTSTRAP_ADMIN_EMAIL && given.BOOTSTRAP_ADMIN_PASSWORD
      ? { email: given.BOOTSTRAP_ADMIN_EMAIL, password: given.BOOTSTRAP_ADMIN_PASSWORD }
      : null,
    /** Path of a kubeconfig; null is the in-cluster service account, in dev the simulated cluster. */
    kubeconfig: (dev ? undefined : given.KUBECONFIG) ?? given.KUBECONFIG_HOST_PATH ?? null,
    /** The ClusterRole that is bound in each namespace that is made; null where the account has its rights everywhere. */
    clusterRole: given.CLUSTER_ROLE ?? null,
    /** Part of the name of each object in the cluster that no namespace holds, and of each namespace. */
    releaseId: given.RELEASE_ID,
    acmeEmail: given.ACME_EMAIL ?? null,
    smtp: given.SMTP_HOST && given.SMTP_FROM
      ? {
        host: given.SMTP_HOST,
        port: given.SMTP_PORT,
        user: given.SMTP_USER ?? null,
        pass: given.SMTP_PASS ?? null,
        from: given.SMTP_FROM,
        encryption: given.SMTP_TLS,
      }
      : null,
    /** Where sites hand their mail to; its accounts are theirs, one each, and never the service's own. */
    relay: given.SPOKE_SMTP_HOST
      ? {
        host: given.SPOKE_SMTP_HOST,
        port: given.SPOKE_SMTP_PORT,
        user: given.SPOKE_SMTP_USER ?? null,
        secret: given.SPOKE_SMTP_SECRET ?? null,
        from: given.SMTP_FROM ?? null,
      }
      : null,
    /** Where `dev` writes mail that it cannot send; null where mail is sent, or waits. */
    mailDirectory: dev && !given.SMTP_HOST ? join(given.DATA_DIR, "mail") : null,
    trustedProxies: given.TRUSTED_PROXIES,
    /** Empty for those of the system. */
    dnsServers: given.DNS_SERVERS,
    portal: given.PORTAL ?? dev,
    signup: given.SIGNUP,
    catalog: given.CATALOG ?? null,
    blueprintDir: given.BLUEPRINT_DIR ?? null,
    templates: given.TEMPLATES,
    stripe: given.STRIPE_SECRET_KEY && given.STRIPE_WEBHOOK_SECRET
      ? {
        secretKey: given.STRIPE_SECRET_KEY,
        webhookSecret: given.STRIPE_WEBHOOK_SECRET,
        apiBase: given.STRIPE_API_BASE ?? null,
      }
      : null,
    /** Of the database's own backups; null where they are not encrypted. */
    backupPassphrase: given.BACKUP_PASSPHRASE ?? null,
    /** How often the newest backup of each active spoke is restored, to prove it. */
    restoreDrills: given.RESTORE_DRILLS,
    scheduler: { on: given.SCHEDULER, lanes: given.SCHEDULER_LANES },
    maxInFlight: given.MAX_IN_FLIGHT,
    maxStreams: given.MAX_STREAMS,
    requestTimeoutMs: given.REQUEST_TIMEOUT_MS,
    bodyLimitBytes: given.BODY_LIMIT_BYTES,
    metricsPort: given.METRICS_PORT ?? null,
    /** Where traces go; null where none are recorded. */
    traces: traceSettings(given),
    /** What is set of OpenTelemetry's variables that says nothing here. */
    otelUnheeded: unheeded(source.env),
    shutdownGraceMs: given.SHUTDOWN_GRACE_MS ?? (dev ? 5000 : 25_000),
    /** The first part of it, in which requests are still taken: who sends them is told meanwhile to send them elsewhere. */
    shutdownNoticeMs: given.SHUTDOWN_NOTICE_MS ?? (dev ? 0 : 5000),
    log: {
      level: given.LOG_LEVEL,
      format: given.LOG_FORMAT ?? (terminal ? "pretty" as const : "json" as const),
      colours: showsColours(source),
    },
    dataDir: given.DATA_DIR,
    simulatorDelayMs: given.SIMULATOR_DELAY_MS,
    /** Of the delays that were measured; null where all are alike. */
    simulatorFactor: given.SIMULATOR_PROFILE ?? null,
  };
}

/** What goes out is JSON over HTTP, so that asking for it says nothing new. */
function unheeded(env: ProcessVariables): string[] {
  const names = Object.keys(env).filter((name) => name.startsWith("OTEL_") && env[name] && !isOurs(name));
  return names.filter((name) => !name.endsWith("_PROTOCOL") || env[name] !== "http/json").sort();
}

function isOurs(name: string): boolean {
  return name.replace(/_FILE$/, "") in Variables.entries;
}
