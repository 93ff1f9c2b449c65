/**
 * The configuration: environment variables, read once, checked by one schema, frozen, and never looked at again.
 *
 * Every problem is reported in one message that names each variable. A value may come from a file by NAME_FILE, as
 * container secrets do. Values never appear in the message: some of them are secrets.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { Cidrs, DatabaseUrl, Sender, Switch, Text, url, whole } from "#lib/config/values.ts";
import { LEVELS } from "#lib/log.ts";
import { Email, HostName } from "#lib/schema.ts";

/** What must be told: `serve` needs a database and a domain, `migrate` a database; `dev` brings its own of both. */
export type Mode = "serve" | "migrate" | "dev";

export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    const many = problems.length === 1 ? "1 variable is" : `${problems.length} variables are`;
    super(`${many} not usable:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

const Variables = v.object({
  HOST: v.optional(Text, "0.0.0.0"),
  PORT: v.optional(whole(0, 65535), "3000"),
  PUBLIC_URL: v.optional(url("must be an http or https URL, such as https://hubs.example.org", "http:", "https:")),
  ROOT_DOMAIN: v.optional(
    v.union([HostName, v.literal("localhost")], "must be a host name such as spokes.example.org"),
  ),
  DATABASE_URL: v.optional(DatabaseUrl),
  DATABASE_OWNER_URL: v.optional(DatabaseUrl),
  POSTGRES_PASSWORD: v.optional(Text),
  POSTGRES_HOST: v.optional(Text, "postgres"),
  POSTGRES_PORT: v.optional(whole(1, 65535), "5432"),
  POSTGRES_USER: v.optional(Text, "wheelwright"),
  POSTGRES_DB: v.optional(Text, "wheelwright"),
  POSTGRES_OWNER_USER: v.optional(Text, "postgres"),
  POSTGRES_OWNER_PASSWORD: v.optional(Text),
  DATABASE_POOL: v.optional(whole(2, 500), "10"),
  BOOTSTRAP_ADMIN_EMAIL: v.optional(Email),
  BOOTSTRAP_ADMIN_PASSWORD: v.optional(Text),
  KUBECONFIG: v.optional(Text),
  KUBECONFIG_HOST_PATH: v.optional(Text),
  ACME_EMAIL: v.optional(Email),
  SMTP_HOST: v.optional(Text),
  SMTP_PORT: v.optional(whole(1, 65535), "587"),
  SMTP_USER: v.optional(Text),
  SMTP_PASS: v.optional(Text),
  SMTP_FROM: v.optional(Sender),
  TRUSTED_PROXIES: v.optional(Cidrs, ""),
  PORTAL: v.optional(Switch),
  SIGNUP: v.optional(Switch, "off"),
  CATALOG: v.optional(Text),
  BLUEPRINT_DIR: v.optional(Text),
  STRIPE_SECRET_KEY: v.optional(Text),
  STRIPE_WEBHOOK_SECRET: v.optional(Text),
  STRIPE_API_BASE: v.optional(url("must be an http or https URL", "http:", "https:")),
  SCHEDULER: v.optional(Switch, "on"),
  SCHEDULER_LANES: v.optional(whole(1, 10_000), "64"),
  MAX_IN_FLIGHT: v.optional(whole(1, 1_000_000), "512"),
  REQUEST_TIMEOUT_MS: v.optional(whole(100, 3_600_000), "30000"),
  BODY_LIMIT_BYTES: v.optional(whole(1024, 1_000_000_000), "262144"),
  METRICS_PORT: v.optional(whole(1, 65535)),
  OTEL_EXPORTER_OTLP_ENDPOINT: v.optional(url("must be an http or https URL", "http:", "https:")),
  SHUTDOWN_GRACE_MS: v.optional(whole(0, 3_600_000)),
  LOG_LEVEL: v.optional(v.picklist(LEVELS, `must be one of ${LEVELS.join(", ")}`), "info"),
  LOG_FORMAT: v.optional(v.picklist(["json", "pretty"], "must be json or pretty")),
  DATA_DIR: v.optional(Text, ".wheelwright"),
  SIMULATOR_DELAY_MS: v.optional(whole(0, 3_600_000), "1500"),
});
type Variables = v.InferOutput<typeof Variables>;

export interface ConfigSource {
  readonly mode: Mode;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether standard output is a terminal: then the log is made for people unless LOG_FORMAT says otherwise. */
  readonly terminal: boolean;
}

export type Config = Readonly<ReturnType<typeof build>>;

/** The configuration of this process. Throws ConfigError. */
export function readConfig(source: ConfigSource): Config {
  const problems: string[] = [];
  const given = readFiles(source.env, problems);
  const result = v.safeParse(Variables, given);
  for (const issue of result.issues ?? []) problems.push(`${v.getDotPath(issue)} ${issue.message}`);
  problems.push(...missing(source, given));
  if (problems.length > 0 || !result.success) throw new ConfigError([...new Set(problems)]);
  return Object.freeze(build(result.output, source));
}

/** The configuration of the environment that this process was started with. */
export function readProcessConfig(mode: Mode): Config {
  return readConfig({ mode, env: process.env, terminal: process.stdout.isTTY === true });
}

/** The same configuration for a listener whose port the system chose: PUBLIC_URL follows unless it was given. */
export function withPort(config: Config, port: number): Config {
  const publicUrl = config.publicUrlGiven ? config.publicUrl : new URL(`http://localhost:${port}`);
  return Object.freeze({ ...config, port, publicUrl });
}

/** Takes NAME_FILE's content for NAME. An empty variable counts as absent: compose files pass those. */
function readFiles(env: ConfigSource["env"], problems: string[]): Record<string, string> {
  const given: Record<string, string> = {};
  for (const name of Object.keys(Variables.entries)) {
    const value = env[name], file = env[`${name}_FILE`];
    if (value && file) problems.push(`${name} and ${name}_FILE are both set; set one of them`);
    if (value) given[name] = value;
    else if (file) {
      try {
        given[name] = readFileSync(file, "utf8").replace(/\r?\n$/, "");
      } catch (error) {
        problems.push(
          `${name}_FILE names a file that cannot be read (${(error as { code?: string }).code ?? "error"})`,
        );
      }
    }
  }
  return given;
}

function missing({ mode, env }: ConfigSource, given: Readonly<Record<string, string>>): string[] {
  const problems: string[] = [];
  const need = (name: string, why: string) => given[name] ?? problems.push(`${name} is missing: ${why}`);
  if (mode !== "dev" && !given.DATABASE_URL && !given.POSTGRES_PASSWORD) {
    problems.push("DATABASE_URL is missing: set it, or POSTGRES_PASSWORD, to reach PostgreSQL");
  }
  if (mode === "serve") {
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
  if (given.SMTP_USER) need("SMTP_PASS", "SMTP_USER is set");
  return problems;
}

function build(given: Variables, { mode, terminal }: ConfigSource) {
  const dev = mode === "dev";
  return {
    host: given.HOST,
    port: given.PORT,
    publicUrl: new URL(given.PUBLIC_URL ?? `http://localhost:${given.PORT}`),
    publicUrlGiven: given.PUBLIC_URL !== undefined,
    rootDomain: given.ROOT_DOMAIN ?? "spokes.localhost",
    /** Empty in dev: its embedded server has an address once it runs, and nobody's database is used by accident. */
    database: {
      url: dev ? "" : given.DATABASE_URL ?? databaseUrl(given, given.POSTGRES_USER, given.POSTGRES_PASSWORD),
      ownerUrl: dev ? null : ownerUrl(given),
      pool: given.DATABASE_POOL,
    },
    bootstrapAdmin: given.BOOTSTRAP_ADMIN_EMAIL && given.BOOTSTRAP_ADMIN_PASSWORD
      ? { email: given.BOOTSTRAP_ADMIN_EMAIL, password: given.BOOTSTRAP_ADMIN_PASSWORD }
      : null,
    /** Path of a kubeconfig; null is the in-cluster service account, in dev the simulated cluster. */
    kubeconfig: (dev ? undefined : given.KUBECONFIG) ?? given.KUBECONFIG_HOST_PATH ?? null,
    acmeEmail: given.ACME_EMAIL ?? null,
    smtp: given.SMTP_HOST && given.SMTP_FROM
      ? {
        host: given.SMTP_HOST,
        port: given.SMTP_PORT,
        user: given.SMTP_USER ?? null,
        pass: given.SMTP_PASS ?? null,
        from: given.SMTP_FROM,
      }
      : null,
    /** Where `dev` writes mail that it cannot send; null where mail is sent, or waits. */
    mailDirectory: dev && !given.SMTP_HOST ? join(given.DATA_DIR, "mail") : null,
    trustedProxies: given.TRUSTED_PROXIES,
    portal: given.PORTAL ?? dev,
    signup: given.SIGNUP,
    catalog: given.CATALOG ?? null,
    blueprintDir: given.BLUEPRINT_DIR ?? null,
    stripe: given.STRIPE_SECRET_KEY && given.STRIPE_WEBHOOK_SECRET
      ? {
        secretKey: given.STRIPE_SECRET_KEY,
        webhookSecret: given.STRIPE_WEBHOOK_SECRET,
        apiBase: given.STRIPE_API_BASE ?? null,
      }
      : null,
    scheduler: { on: given.SCHEDULER, lanes: given.SCHEDULER_LANES },
    maxInFlight: given.MAX_IN_FLIGHT,
    requestTimeoutMs: given.REQUEST_TIMEOUT_MS,
    bodyLimitBytes: given.BODY_LIMIT_BYTES,
    metricsPort: given.METRICS_PORT ?? null,
    otlpEndpoint: given.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
    shutdownGraceMs: given.SHUTDOWN_GRACE_MS ?? (dev ? 5000 : 25_000),
    log: { level: given.LOG_LEVEL, format: given.LOG_FORMAT ?? (terminal ? "pretty" as const : "json" as const) },
    dataDir: given.DATA_DIR,
    simulatorDelayMs: given.SIMULATOR_DELAY_MS,
  };
}

/** Of the schema's owner, who migrates; null where that is the service's own role. */
function ownerUrl(given: Variables): string | null {
  const { DATABASE_OWNER_URL: url = null, POSTGRES_OWNER_USER: user, POSTGRES_OWNER_PASSWORD: password } = given;
  return url ?? (password ? databaseUrl(given, user, password) : null);
}

function databaseUrl(given: Variables, user: string, password = ""): string {
  const place = `${given.POSTGRES_HOST}:${given.POSTGRES_PORT}/${encodeURIComponent(given.POSTGRES_DB)}`;
  return `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${place}`;
}
