/** Implements `wheelwright config`: lists each variable, its meaning, its default, and whether it is set. */
import * as v from "valibot";
import { listSetVariables } from "#lib/base/config.ts";
import { EnvironmentVariables } from "#lib/base/variables.ts";
import { formatRows, wrapText } from "./wrap-text.ts";

const INTRODUCTION = [
  "Environment variables: whether it is set, directly or by a file; what it means (what holds without it).",
  "Each can come from a file by NAME_FILE.",
];

export function runConfig(): Promise<void> {
  const set = listSetVariables();
  const names = Object.keys(EnvironmentVariables.entries) as (keyof EnvironmentVariables)[];
  const width = Math.max(...names.map((name) => name.length));
  const rows = names.map((name) => {
    const [meaning, otherwise = v.getDefault(EnvironmentVariables.entries[name])] = VARIABLE_MEANINGS[name];
    const what = `${meaning}${otherwise ? ` (${otherwise})` : ""}`;
    return [`${name.padEnd(width)}  ${(set.get(name) ?? "-").padEnd(4)}`, what] as const;
  });
  process.stdout.write(`\n${INTRODUCTION.map((line) => `${wrapText(line)}\n`).join("")}\n${formatRows(rows)}\n`);
  return Promise.resolve();
}

/**
 * The meaning of each variable. `otherwise` describes the behaviour if the variable is not set. Without it, the help
 * shows the schema's default, if one exists.
 */
export const VARIABLE_MEANINGS: Readonly<
  Record<keyof EnvironmentVariables, readonly [meaning: string, otherwise?: string]>
> = {
  HOST: ["address to listen on", "0.0.0.0; 127.0.0.1 in dev"],
  PORT: ["port to listen on"],
  PUBLIC_URL: ["where browsers find this service", "serve needs it; http://localhost:PORT in dev"],
  ROOT_DOMAIN: ["wildcard domain under which spokes live", "serve needs it; spokes.localhost in dev"],
  DATABASE_URL: ["PostgreSQL, a session-mode connection", "serve needs it or POSTGRES_PASSWORD; dev has its own"],
  DATABASE_OWNER_URL: ["the owner of the tables, as whom migrations run", "the role of DATABASE_URL owns them"],
  POSTGRES_PASSWORD: ["instead of DATABASE_URL, with the four below"],
  POSTGRES_HOST: ["host of PostgreSQL"],
  POSTGRES_PORT: ["port of PostgreSQL"],
  POSTGRES_USER: ["role in PostgreSQL"],
  POSTGRES_DB: ["name of the database"],
  POSTGRES_OWNER_USER: ["instead of DATABASE_OWNER_URL, with its password"],
  POSTGRES_OWNER_PASSWORD: ["password of that owner"],
  DATABASE_POOL: ["connections to PostgreSQL that a replica opens"],
  BOOTSTRAP_ADMIN_EMAIL: ["the first operator, made once while there is none"],
  BOOTSTRAP_ADMIN_PASSWORD: ["password of the first operator"],
  KUBECONFIG: ["kubeconfig file of the cluster; dev ignores it", "KUBECONFIG_HOST_PATH"],
  KUBECONFIG_HOST_PATH: ["kubeconfig file of the cluster, for dev as well", "the pod's own service account"],
  CLUSTER_ROLE: ["ClusterRole that is bound in each namespace that is made", "rights in the whole cluster"],
  RELEASE_ID: ["part of the names of namespaces, which tells installations in one cluster apart"],
  ACME_EMAIL: ["with it a ClusterIssuer is made, and spokes get TLS"],
  SMTP_HOST: ["mail server for this service's own mail", "mail stays queued; dev writes files"],
  SMTP_PORT: ["its port; 465 is TLS at once"],
  SMTP_TLS: [
    "implicit begins with TLS on any port, required sends nothing without TLS, opportunistic takes STARTTLS when it is offered, off never takes it",
  ],
  SMTP_USER: ["account at the mail server"],
  SMTP_PASS: ["password of that account"],
  SMTP_FROM: ["sender: an address, or Name <address>"],
  SPOKE_SMTP_HOST: ["mail relay of the sites", "sites send no mail"],
  SPOKE_SMTP_PORT: ["its port"],
  SPOKE_SMTP_USER: ["account of each site at the relay, a name that holds ${namespace}"],
  SPOKE_SMTP_SECRET: ["what the passwords of these accounts are made from"],
  TRUSTED_PROXIES: ["CIDRs of proxies whose X-Forwarded-For is believed"],
  DNS_SERVERS: ["name servers that verify domains, also used by doctor", "those of the system"],
  PORTAL: ["whether people can sign in to pages here", "off; on in dev"],
  SIGNUP: ["whether anybody may sign up"],
  CATALOG: ["YAML or JSON file of regions, tiers, modes, brands, seeds, versions and sizes"],
  BLUEPRINT_DIR: ["manifests, images and sizes in place of the built-in ones"],
  TEMPLATES: ["whether new sites are made from an installation that is kept for that, in seconds"],
  STRIPE_SECRET_KEY: ["key of the payment provider"],
  STRIPE_WEBHOOK_SECRET: ["proves the payment provider's events"],
  STRIPE_API_BASE: ["where the payment provider's API is", "the provider's own"],
  BACKUP_PASSPHRASE: ["encrypts what wheelwright backup writes"],
  RESTORE_TESTS: ["how often each spoke's newest backup is restored, to prove it: off, weekly or nightly"],
  SCHEDULER: ["whether this replica does work"],
  SCHEDULER_LANES: ["lanes that it works on at once"],
  MAX_IN_FLIGHT: ["requests under way at once"],
  MAX_STREAMS: ["event streams that a replica serves at once"],
  REQUEST_TIMEOUT_MS: ["milliseconds that a request may take"],
  BODY_LIMIT_BYTES: ["bytes that a request's body may have"],
  METRICS_PORT: ["port on which metrics are served, to whoever reaches it", "none are"],
  OTEL_EXPORTER_OTLP_ENDPOINT: ["where OTLP over HTTP is taken: traces go to /v1/traces below it", "no traces"],
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ["the whole address instead"],
  OTEL_EXPORTER_OTLP_HEADERS: ["headers that go along: name=value,name=value"],
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: ["instead of these"],
  OTEL_EXPORTER_OTLP_TIMEOUT: ["milliseconds that sending a batch may take"],
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: ["instead of these"],
  OTEL_BSP_SCHEDULE_DELAY: ["milliseconds until a batch is sent that is not full"],
  OTEL_SERVICE_NAME: ["what this service is called in traces", "wheelwright"],
  OTEL_RESOURCE_ATTRIBUTES: ["what else traces say of this service: name=value,name=value"],
  OTEL_TRACES_EXPORTER: ["otlp, or none for no traces"],
  OTEL_TRACES_SAMPLER: ["which traces are recorded"],
  OTEL_TRACES_SAMPLER_ARG: ["the part of them, from 0 to 1, where the sampler goes by that"],
  OTEL_SDK_DISABLED: ["true: no traces"],
  SHUTDOWN_GRACE_MS: ["milliseconds that a stopping replica lets requests and steps end", "25000; 5000 in dev"],
  SHUTDOWN_NOTICE_MS: ["the first of them, in which requests are still taken and readyz says 503", "5000; 0 in dev"],
  LOG_LEVEL: ["debug, info, warn or error"],
  LOG_FORMAT: ["json or pretty", "pretty on a terminal, else json"],
  DATA_DIR: ["where dev keeps its database, its cluster and its mail"],
  SIMULATOR_DELAY_MS: ["milliseconds until a simulated object is ready"],
  SIMULATOR_PROFILE: ["measured, or measured:0.1: simulated objects take as long as real ones did, or a part of it"],
};
