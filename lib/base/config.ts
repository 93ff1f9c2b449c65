/**
 * Reads and validates the configuration from environment variables. A file can provide a variable's value (NAME_FILE),
 * as with container secrets. ConfigError lists all problems by variable name, without the values, because some values
 * are secrets.
 */
import { join } from "node:path";
import * as v from "valibot";
import { checkDatabaseVariables, readDatabaseConfig } from "#lib/base/database-config.ts";
import { processEnvironment, type ProcessVariables, shouldUseColours } from "#lib/base/environment.ts";
import { buildTraceSettings } from "#lib/base/otel.ts";
import { buildSignInConfig } from "#lib/base/sign-in-config.ts";
import { findUnreadablePaths, readVariables } from "#lib/base/variable-files.ts";
import { EnvironmentVariables } from "#lib/base/variables.ts";

/**
 * The command that reads the configuration. It determines which variables are required. `serve` requires a database, a
 * public URL and a domain; `migrate` requires a database; `dev` starts its own database; `any` requires nothing.
 */
export type ConfigMode = "serve" | "migrate" | "dev" | "any";

export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    const many = problems.length === 1 ? "1 variable is" : `${problems.length} variables are`;
    super(`${many} unusable:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

interface ConfigSource {
  readonly mode: ConfigMode;
  readonly env: ProcessVariables;
  /** Whether standard output is a terminal. On a terminal, the log is formatted for people unless LOG_FORMAT is set. */
  readonly terminal: boolean;
  /** Whether to check that the files named in the variables exist. */
  readonly files?: boolean;
}

export type Config = Readonly<ReturnType<typeof buildConfig>>;

/** Returns the validated configuration. Throws ConfigError if a variable is missing or invalid. */
export function readConfig(source: ConfigSource): Config {
  const problems: string[] = [];
  const values = readVariables(Object.keys(EnvironmentVariables.entries), source.env, problems);
  const result = v.safeParse(EnvironmentVariables, values);
  for (const issue of result.issues ?? []) problems.push(`${v.getDotPath(issue)} ${issue.message}`);
  problems.push(...findMissingVariables(source, values));
  if (source.files) problems.push(...findUnreadablePaths(source.mode, values));
  if (source.mode !== "dev") problems.push(...checkDatabaseVariables(values, source.env));
  if (problems.length > 0 || !result.success) throw new ConfigError([...new Set(problems)]);
  return Object.freeze(buildConfig(result.output, source));
}

/** Returns the configuration from this process's environment. Throws ConfigError if it is invalid. */
export function readProcessConfig(mode: ConfigMode): Config {
  return readConfig({ mode, env: processEnvironment(), terminal: process.stdout.isTTY === true });
}

/** Returns the configuration for starting a server. Throws ConfigError if it is invalid or if a file is missing. */
export function readStartConfig(mode: "serve" | "dev"): Config {
  return readConfig({ mode, env: processEnvironment(), terminal: process.stdout.isTTY === true, files: true });
}

/** Returns how each variable is set: `set` by its own name, or `file` if NAME_FILE names a file with the value. */
export function listSetVariables(): ReadonlyMap<string, "set" | "file"> {
  const env = processEnvironment();
  const names = Object.keys(EnvironmentVariables.entries).filter((name) => env[name] || env[`${name}_FILE`]);
  return new Map(names.map((name) => [name, env[name] ? "set" : "file"]));
}

/** Returns the Kubernetes API server's URL from a pod's environment. Outside a cluster, the URL is invalid. */
export function getInClusterServerUrl(): string {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" } = processEnvironment();
  const scheme = ["80", "8080", "8001"].includes(port) ? "http" : "https";
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Returns the public URL. If PORT is 0, the URL contains the port that the system chose. */
export function buildPublicUrl(port: number, { publicUrl }: Pick<Config, "publicUrl">): URL {
  return publicUrl.port === "0" ? new URL(`http://localhost:${port}`) : publicUrl;
}

export function buildAbsoluteUrl(home: URL, path: string): URL {
  return new URL(path, home);
}

function findMissingVariables({ mode, env }: ConfigSource, values: Readonly<Record<string, string>>): string[] {
  const problems: string[] = [];
  // A variable counts as set even if its file is unreadable, because readVariables reports unreadable files.
  const isSet = (name: string) => values[name] !== undefined || !!env[`${name}_FILE`];
  const requireVariable = (name: string, why: string) => isSet(name) || problems.push(`${name} is missing: ${why}`);
  if ((mode === "serve" || mode === "migrate") && !isSet("POSTGRES_PASSWORD")) {
    requireVariable("DATABASE_URL", "set DATABASE_URL or POSTGRES_PASSWORD to connect to PostgreSQL");
  }
  if (mode === "serve") {
    requireVariable(
      "PUBLIC_URL",
      "set PUBLIC_URL to the URL of this service, such as https://hubs.example.org",
    );
    requireVariable("ROOT_DOMAIN", "set ROOT_DOMAIN to the wildcard domain for the spokes");
    if (!values.KUBECONFIG_HOST_PATH && !env.KUBERNETES_SERVICE_HOST) {
      requireVariable("KUBECONFIG", "set KUBECONFIG to the path of your cluster's kubeconfig file");
    }
  }
  if (values.BOOTSTRAP_ADMIN_EMAIL) {
    requireVariable("BOOTSTRAP_ADMIN_PASSWORD", "BOOTSTRAP_ADMIN_EMAIL is set, so a password is required");
  }
  if (values.BOOTSTRAP_ADMIN_PASSWORD) {
    requireVariable("BOOTSTRAP_ADMIN_EMAIL", "BOOTSTRAP_ADMIN_PASSWORD is set, so an email address is required");
  }
  if (values.SMTP_HOST) requireVariable("SMTP_FROM", "SMTP_HOST is set, so emails need a sender");
  if (values.STRIPE_SECRET_KEY) {
    requireVariable("STRIPE_WEBHOOK_SECRET", "STRIPE_SECRET_KEY is set, so webhook events must be verified");
  }
  if (mode === "dev" && /^[a-z]+_live_/.test(values.STRIPE_SECRET_KEY ?? "")) {
    problems.push("STRIPE_SECRET_KEY is a live key, and dev would charge real cards: use a test key");
  }
  if (values.METRICS_PORT && Number(values.METRICS_PORT) === Number(values.PORT ?? 3000)) {
    problems.push(
      "METRICS_PORT is the same as PORT: set METRICS_PORT to a port that only Prometheus can reach",
    );
  }
  if (values.PASSWORDS === "off") {
    requireVariable("SIGN_IN_PROVIDERS", "PASSWORDS is off, so people need a provider to sign in");
  }
  if (values.SMTP_USER) requireVariable("SMTP_PASS", "SMTP_USER is set, so a password is required");
  if (values.SPOKE_SMTP_USER) {
    requireVariable("SPOKE_SMTP_HOST", "SPOKE_SMTP_USER is set, so a mail server is required");
    requireVariable("SPOKE_SMTP_SECRET", "SPOKE_SMTP_USER is set, so spoke passwords need a secret");
  }
  if (values.SPOKE_SMTP_SECRET) {
    requireVariable("SPOKE_SMTP_USER", "SPOKE_SMTP_SECRET is set, so each spoke needs a user name");
  }
  return problems;
}

function buildConfig(values: EnvironmentVariables, source: ConfigSource) {
  const { mode, terminal } = source, dev = mode === "dev";
  return {
    /** The address to listen on. `dev` prints a password, so it listens only on localhost unless HOST is set. */
    host: values.HOST ?? (dev ? "127.0.0.1" : "0.0.0.0"),
    port: values.PORT,
    publicUrl: new URL(values.PUBLIC_URL ?? `http://localhost:${values.PORT}`),
    /** The port in the URLs of new sites; null for the default port. `dev` sets a port for its simulated sites. */
    sitePort: null as number | null,
    rootDomain: values.ROOT_DOMAIN ?? "spokes.localhost",
    /** The database's address. Empty in `dev`, which starts a database server and must never use another one. */
    database: {
      ...(dev ? { url: "", source: "", ownerUrl: null, ownerSource: null } : readDatabaseConfig(source.env)),
      pool: values.DATABASE_POOL,
    },
    bootstrapAdmin: values.BOOTSTRAP_ADMIN_EMAIL && values.BOOTSTRAP_ADMIN_PASSWORD
      ? { email: values.BOOTSTRAP_ADMIN_EMAIL, password: values.BOOTSTRAP_ADMIN_PASSWORD }
      : null,
    /** The path to a kubeconfig file. Null to use the pod's service account, or in `dev` the simulated cluster. */
    kubeconfig: (dev ? undefined : values.KUBECONFIG) ?? values.KUBECONFIG_HOST_PATH ?? null,
    /** The ClusterRole to bind in each new namespace; null if the service account has cluster-wide permissions. */
    clusterRole: values.CLUSTER_ROLE ?? null,
    /** A name for this installation, used in the names of all namespaces and cluster-scoped objects. */
    releaseId: values.RELEASE_ID,
    acmeEmail: values.ACME_EMAIL ?? null,
    smtp: values.SMTP_HOST && values.SMTP_FROM
      ? {
        host: values.SMTP_HOST,
        port: values.SMTP_PORT,
        user: values.SMTP_USER ?? null,
        pass: values.SMTP_PASS ?? null,
        from: values.SMTP_FROM,
        encryption: values.SMTP_TLS,
      }
      : null,
    /** The mail server for sites. Each site has its own account on this server, never the service's SMTP account. */
    relay: values.SPOKE_SMTP_HOST
      ? {
        host: values.SPOKE_SMTP_HOST,
        port: values.SPOKE_SMTP_PORT,
        user: values.SPOKE_SMTP_USER ?? null,
        secret: values.SPOKE_SMTP_SECRET ?? null,
        from: values.SMTP_FROM ?? null,
      }
      : null,
    /** The directory where `dev` writes emails if no SMTP server is set; null otherwise. */
    mailDirectory: dev && !values.SMTP_HOST ? join(values.DATA_DIR, "mail") : null,
    trustedProxies: values.TRUSTED_PROXIES,
    /** IP addresses of the DNS servers to use. Empty to use the system's DNS servers. */
    dnsServers: values.DNS_SERVERS,
    /** Networks to which webhooks may be sent although they are not public. */
    webhookNetworks: [...values.WEBHOOK_NETWORKS, ...(dev ? ["127.0.0.0/8", "::1/128"] : [])],
    portal: values.PORTAL ?? dev,
    ...buildSignInConfig(values),
    catalog: values.CATALOG ?? null,
    blueprintDir: values.BLUEPRINT_DIR ?? null,
    templates: values.TEMPLATES,
    stripe: values.STRIPE_SECRET_KEY && values.STRIPE_WEBHOOK_SECRET
      ? {
        secretKey: values.STRIPE_SECRET_KEY,
        webhookSecret: values.STRIPE_WEBHOOK_SECRET,
        apiBase: values.STRIPE_API_BASE ?? null,
      }
      : null,
    /** The passphrase for encrypting database backups; null to store them unencrypted. */
    backupPassphrase: values.BACKUP_PASSPHRASE ?? null,
    /** The keys that encrypt secrets in the database, in base64. The first key encrypts. Empty if none is set. */
    secretsKeys: values.SECRETS_KEY,
    /** How often to test each active spoke's newest backup by restoring it. */
    restoreTests: values.RESTORE_TESTS,
    scheduler: { on: values.SCHEDULER, lanes: values.SCHEDULER_LANES },
    /** How many sites of a cluster the operations of large bulk actions may disrupt at the same time. */
    clusterDisruptions: values.CLUSTER_DISRUPTIONS,
    maxInFlight: values.MAX_IN_FLIGHT,
    maxStreams: values.MAX_STREAMS,
    requestTimeoutMs: values.REQUEST_TIMEOUT_MS,
    bodyLimitBytes: values.BODY_LIMIT_BYTES,
    metricsPort: values.METRICS_PORT ?? null,
    /** Settings for tracing; null if tracing is off. */
    traces: buildTraceSettings(values),
    /** OpenTelemetry variables that are set but not supported. */
    ignoredOtelVariables: findIgnoredOtelVariables(source.env),
    shutdownGraceMs: values.SHUTDOWN_GRACE_MS ?? (dev ? 5000 : 25_000),
    /** How long requests are accepted after shutdown begins, in milliseconds. The readiness check fails immediately. */
    shutdownNoticeMs: values.SHUTDOWN_NOTICE_MS ?? (dev ? 0 : 5000),
    log: {
      level: values.LOG_LEVEL,
      format: values.LOG_FORMAT ?? (terminal ? "pretty" as const : "json" as const),
      colours: shouldUseColours(source),
    },
    dataDir: values.DATA_DIR,
    simulatorDelayMs: values.SIMULATOR_DELAY_MS,
    /** The factor by which the simulated cluster scales measured delays; null to use the same delay everywhere. */
    simulatorFactor: values.SIMULATOR_PROFILE ?? null,
  };
}

/** Returns the unsupported OpenTelemetry variables that are set, except protocol variables set to `http/json`. */
function findIgnoredOtelVariables(env: ProcessVariables): string[] {
  const names = Object.keys(env).filter((name) => name.startsWith("OTEL_") && env[name] && !isSupportedVariable(name));
  return names.filter((name) => !name.endsWith("_PROTOCOL") || env[name] !== "http/json").sort();
}

function isSupportedVariable(name: string): boolean {
  return name.replace(/_FILE$/, "") in EnvironmentVariables.entries;
}
