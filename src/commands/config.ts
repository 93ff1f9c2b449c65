/** Implements `wheelwright config`, which lists all environment variables with their meaning, default and source. */
import * as v from "valibot";
import { listSetVariables } from "#lib/base/config.ts";
import { EnvironmentVariables } from "#lib/base/variables.ts";
import { formatRows, wrapText } from "../cli/text.ts";

const INTRODUCTION = [
  "Each line has the name of a variable, its source (set or file), and its meaning with the default in parentheses.",
  "To read a value from a file, set NAME_FILE to the path of the file.",
];

export function runConfig(): void {
  const set = listSetVariables();
  const names = Object.keys(EnvironmentVariables.entries) as (keyof EnvironmentVariables)[];
  const width = Math.max(...names.map((name) => name.length));
  const rows = names.map((name) => {
    const [meaning, otherwise = v.getDefault(EnvironmentVariables.entries[name])] = VARIABLE_MEANINGS[name];
    const what = `${meaning}${otherwise ? ` (${otherwise})` : ""}`;
    return [`${name.padEnd(width)}  ${(set.get(name) ?? "-").padEnd(4)}`, what] as const;
  });
  process.stdout.write(`\n${INTRODUCTION.map((line) => `${wrapText(line)}\n`).join("")}\n${formatRows(rows)}\n`);
}

/**
 * The meaning of each environment variable. `otherwise` describes the default. If `otherwise` is absent, the help shows
 * the default value from the schema, if any.
 */
export const VARIABLE_MEANINGS: Readonly<
  Record<keyof EnvironmentVariables, readonly [meaning: string, otherwise?: string]>
> = {
  HOST: ["address to listen on", "0.0.0.0; 127.0.0.1 in dev"],
  PORT: ["port to listen on"],
  PUBLIC_URL: [
    "public URL at which browsers reach this service",
    "required by serve; http://localhost:PORT in dev",
  ],
  ROOT_DOMAIN: ["wildcard domain for the addresses of spokes", "required by serve; spokes.localhost in dev"],
  DATABASE_URL: [
    "URL of the PostgreSQL server; a connection pooler must use session mode",
    "serve needs DATABASE_URL or POSTGRES_PASSWORD; dev has its own database",
  ],
  DATABASE_OWNER_URL: ["URL for migrations, with the role that owns the tables", "DATABASE_URL"],
  POSTGRES_PASSWORD: ["password of the PostgreSQL role; with the next four variables, replaces DATABASE_URL"],
  POSTGRES_HOST: ["host of PostgreSQL"],
  POSTGRES_PORT: ["port of PostgreSQL"],
  POSTGRES_USER: ["role in PostgreSQL"],
  POSTGRES_DB: ["name of the database"],
  POSTGRES_OWNER_USER: ["role that owns the tables; with its password, replaces DATABASE_OWNER_URL"],
  POSTGRES_OWNER_PASSWORD: ["password of the role that owns the tables"],
  DATABASE_POOL: ["number of PostgreSQL connections per replica"],
  BOOTSTRAP_ADMIN_EMAIL: ["email address of the first operator, who is created if no operator exists"],
  BOOTSTRAP_ADMIN_PASSWORD: ["password of the first operator"],
  KUBECONFIG: ["kubeconfig file of the cluster; ignored by dev", "KUBECONFIG_HOST_PATH"],
  KUBECONFIG_HOST_PATH: ["kubeconfig file of the cluster, also for dev", "the service account of the pod"],
  CLUSTER_ROLE: ["ClusterRole to bind in each namespace that Wheelwright creates", "permissions in the whole cluster"],
  RELEASE_ID: ["part of every namespace name; must differ between installations in one cluster"],
  ACME_EMAIL: ["email address for Let's Encrypt; enables TLS for spokes with a ClusterIssuer"],
  SMTP_HOST: ["mail server for this service's own mail", "mail stays queued; dev writes files"],
  SMTP_PORT: ["port of the mail server; on 465, TLS starts immediately"],
  SMTP_TLS: [
    "implicit starts with TLS on any port, required sends nothing without TLS, opportunistic uses STARTTLS if offered, off never uses TLS",
  ],
  SMTP_USER: ["user name at the mail server"],
  SMTP_PASS: ["password at the mail server"],
  SMTP_FROM: ["sender: an address, or Name <address>"],
  SPOKE_SMTP_HOST: ["mail relay for the sites", "sites send no mail"],
  SPOKE_SMTP_PORT: ["port of the mail relay"],
  SPOKE_SMTP_USER: ["user name of each site at the mail relay; must contain ${namespace}"],
  SPOKE_SMTP_SECRET: ["secret from which the passwords for the mail relay are derived"],
  TRUSTED_PROXIES: ["CIDRs of the proxies whose X-Forwarded-For header is trusted"],
  WEBHOOK_NETWORKS: ["CIDRs to which webhooks may be sent although they are not public", "none; loopback in dev"],
  DNS_SERVERS: ["name servers for verifying domains, also used by doctor", "the system's name servers"],
  PORTAL: ["whether to serve the web portal", "off; on in dev"],
  SIGNUP: ["whether anyone can sign up"],
  REQUIRE_SECOND_FACTOR: ["users who must have a second factor: off, operators or all"],
  SIGN_IN_PROVIDERS: ["YAML or JSON file with the OpenID Connect providers at which people may sign in"],
  PASSWORDS: ["whether people may sign in with passwords; if off, only the bootstrap admin may"],
  CATALOG: ["YAML or JSON file with the catalog: regions, tiers, modes, brands, seeds, versions and sizes"],
  BLUEPRINT_DIR: ["directory with manifests, images and sizes that replace the built-in files"],
  TEMPLATES: ["whether to create sites from templates (snapshots), which takes only seconds"],
  STRIPE_SECRET_KEY: ["secret key for the payment provider"],
  STRIPE_WEBHOOK_SECRET: ["secret that verifies events of the payment provider"],
  STRIPE_API_BASE: ["URL of the payment provider's API", "the provider's public API"],
  BACKUP_PASSPHRASE: ["passphrase that encrypts the files that 'wheelwright backup' writes"],
  SECRETS_KEY: [
    "base64 of 32 bytes that encrypts secrets in the database; with several, separated by commas, the first encrypts",
    "features that store secrets are off; generated by dev",
  ],
  RESTORE_TESTS: ["how often the newest backup of each spoke gets a restore test: off, weekly or nightly"],
  SCHEDULER: ["whether this replica runs jobs"],
  CLUSTER_DISRUPTIONS: ["number of sites of a cluster that large bulk actions change at the same time"],
  SCHEDULER_LANES: ["number of lanes (job queues) that this replica processes at the same time"],
  MAX_IN_FLIGHT: ["number of requests that a replica handles at the same time"],
  MAX_STREAMS: ["number of event streams that a replica serves at the same time"],
  REQUEST_TIMEOUT_MS: ["maximum duration of a request in milliseconds"],
  BODY_LIMIT_BYTES: ["maximum size of a request body in bytes"],
  METRICS_PORT: ["port for metrics, which need no sign-in", "no metrics"],
  OTEL_EXPORTER_OTLP_ENDPOINT: ["URL of an OTLP/HTTP collector, which receives traces at /v1/traces", "no traces"],
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ["complete URL for traces, instead of OTEL_EXPORTER_OTLP_ENDPOINT"],
  OTEL_EXPORTER_OTLP_HEADERS: ["headers for the collector: name=value,name=value"],
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: ["headers for traces, instead of OTEL_EXPORTER_OTLP_HEADERS"],
  OTEL_EXPORTER_OTLP_TIMEOUT: ["maximum time for sending a batch of spans, in milliseconds"],
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: ["timeout for traces, instead of OTEL_EXPORTER_OTLP_TIMEOUT"],
  OTEL_BSP_SCHEDULE_DELAY: ["milliseconds after which an incomplete batch of spans is sent"],
  OTEL_SERVICE_NAME: ["name of this service in traces", "wheelwright"],
  OTEL_RESOURCE_ATTRIBUTES: ["attributes of this service in traces: name=value,name=value"],
  OTEL_TRACES_EXPORTER: ["exporter for traces: otlp or none"],
  OTEL_TRACES_SAMPLER: ["sampler that selects the traces to record"],
  OTEL_TRACES_SAMPLER_ARG: ["ratio of traces to record, from 0 to 1, for a ratio sampler"],
  OTEL_SDK_DISABLED: ["whether to disable traces: true or false"],
  SHUTDOWN_GRACE_MS: ["maximum duration of a shutdown in milliseconds", "25000; 5000 in dev"],
  SHUTDOWN_NOTICE_MS: [
    "milliseconds at the start of a shutdown in which requests are accepted and readyz returns 503",
    "5000; 0 in dev",
  ],
  LOG_LEVEL: ["debug, info, warn or error"],
  LOG_FORMAT: ["json or pretty", "pretty on a terminal, otherwise json"],
  DATA_DIR: ["directory of the database, cluster and mail of dev"],
  SIMULATOR_DELAY_MS: ["milliseconds until a simulated object is ready"],
  SIMULATOR_PROFILE: ["speed of simulated objects: measured is like a real cluster, measured:0.1 is ten times as fast"],
};
