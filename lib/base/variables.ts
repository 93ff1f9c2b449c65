/** Defines schemas and defaults for all environment variables. */
import { isIP } from "node:net";
import * as v from "valibot";
import { toAsciiHost } from "#lib/base/host.ts";
import { LOG_LEVELS } from "#lib/base/log.ts";
import { OtelBoolean, OtelHeaders, OtelPairs, OtelSampler, OtelSamplingRatio } from "#lib/base/otel.ts";
import { EmailAddress, HostName } from "#lib/base/schema.ts";

const Text = v.pipe(v.string(), v.minLength(1, "must not be empty"));
const Switch = v.pipe(v.picklist(["on", "off"], "must be on or off"), v.transform((value) => value === "on"));

function integer(minimum: number, maximum: number) {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,10}$/, message),
    v.transform(Number),
    v.minValue(minimum, message),
    v.maxValue(maximum, message),
  );
}

function url(message: string, ...protocols: string[]) {
  return v.pipe(
    v.string(),
    v.check((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), message),
  );
}

const SERVER_MESSAGE = "must be a host name or an IP address without scheme, port or path";
/** A server's host name or IP address. International host names are converted to ASCII (A-labels). */
const Server = v.pipe(
  v.string(),
  v.transform((value) => isIP(value) === 0 ? toAsciiHost(value) ?? "" : value),
  v.check((value) => isIP(value) !== 0 || /^[a-z0-9_.-]{1,253}$/.test(value), SERVER_MESSAGE),
);

const ROOT_MESSAGE = "must be a host name such as spokes.example.org";
/** The domain under which spokes get their addresses. Removes a leading wildcard, as in `*.spokes.example.org`. */
const RootDomain = v.pipe(
  v.string(),
  v.transform((value) => toAsciiHost(value.replace(/^\*\./, "")) ?? ""),
  v.union([HostName, v.literal("localhost")], ROOT_MESSAGE),
);

const PUBLIC_URL_MESSAGE = "must be an http or https URL, such as https://hubs.example.org";
/**
 * The service's public URL. It must not contain a password, because every email includes the URL, and it must have no
 * path, because the portal's links start at the root.
 */
const PublicUrl = v.pipe(
  url(PUBLIC_URL_MESSAGE, "http:", "https:"),
  v.check((value) => {
    const { username = "", password = "" } = URL.parse(value) ?? {}; // invalid URLs are refused above
    return username === "" && password === "";
  }, "must not contain a user or password, because every email includes the URL"),
  v.check((value) => {
    const { pathname = "/", search = "", hash = "" } = URL.parse(value) ?? {};
    return pathname === "/" && search === "" && hash === "";
  }, "must not have a path; give the service its own host name instead"),
);

const SENDER_MESSAGE = "must be an email address, or a name and an address: Hubs <hubs@example.org>";
/** The sender of emails: an address with or without a name. */
const Sender = v.pipe(
  v.string(),
  v.check((value) => v.is(EmailAddress, /^[^<>\r\n]*<([^<>]+)>$/.exec(value)?.[1] ?? value), SENDER_MESSAGE),
);

/** The rule for release IDs. A hyphen is forbidden, because the name prefix `a-` would match namespaces of `a-b`. */
const RELEASE_MESSAGE = "must be 1 to 16 lower-case letters and digits, starting with a letter";

const SMTP_TLS_MESSAGE = "must be implicit, required, opportunistic or off";

const SPOKE_USER_MESSAGE = "must contain ${namespace}; otherwise only letters, digits and . _ @ + = / : -";
/** A pattern for each spoke's user name at the mail server. Must include the namespace to keep user names unique. */
const SpokeUser = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9._@+=/:-]{0,90}\$\{namespace\}[A-Za-z0-9._@+=/:-]{0,90}$/, SPOKE_USER_MESSAGE),
);

const Cidrs = listOf(isCidr, "must be CIDRs separated by commas, such as 10.0.0.0/8,fd00::/8");

/** Keys for secrets in the database. Several keys are separated by commas. */
const SecretsKeys = listOf(
  isSecretsKey,
  "must be the output of openssl rand -base64 32, or several of these separated by commas",
);

const NameServers = listOf(
  isNameServer,
  "must be addresses separated by commas, with or without a port, such as 10.0.0.2,[fd00::2]:5353",
);

const PROFILE_MESSAGE = "must be measured, or measured:0.1 for a tenth of the measured times";
/** A factor that scales the measured durations in the simulated cluster. */
const Profile = v.pipe(
  v.string(),
  v.regex(/^measured(?::\d{1,3}(?:\.\d{1,4})?)?$/, PROFILE_MESSAGE),
  v.transform((value) => Number(value.split(":")[1] ?? 1)),
);

export const EnvironmentVariables = v.object({
  HOST: v.optional(Text),
  PORT: v.optional(integer(0, 65535), "3000"),
  PUBLIC_URL: v.optional(PublicUrl),
  ROOT_DOMAIN: v.optional(RootDomain),
  DATABASE_URL: v.optional(Text),
  DATABASE_OWNER_URL: v.optional(Text),
  POSTGRES_PASSWORD: v.optional(Text),
  POSTGRES_HOST: v.optional(Text, "postgres"),
  POSTGRES_PORT: v.optional(integer(1, 65535), "5432"),
  POSTGRES_USER: v.optional(Text, "wheelwright"),
  POSTGRES_DB: v.optional(Text, "wheelwright"),
  POSTGRES_OWNER_USER: v.optional(Text, "postgres"),
  POSTGRES_OWNER_PASSWORD: v.optional(Text),
  DATABASE_POOL: v.optional(integer(2, 500), "10"),
  BOOTSTRAP_ADMIN_EMAIL: v.optional(EmailAddress),
  BOOTSTRAP_ADMIN_PASSWORD: v.optional(Text),
  KUBECONFIG: v.optional(Text),
  KUBECONFIG_HOST_PATH: v.optional(Text),
  CLUSTER_ROLE: v.optional(
    v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9:.-]{0,252}$/, "must be the name of a ClusterRole")),
  ),
  RELEASE_ID: v.optional(v.pipe(v.string(), v.regex(/^[a-z][a-z0-9]{0,15}$/, RELEASE_MESSAGE)), "main"),
  ACME_EMAIL: v.optional(EmailAddress),
  SMTP_HOST: v.optional(Server),
  SMTP_PORT: v.optional(integer(1, 65535), "587"),
  SMTP_USER: v.optional(Text),
  SMTP_PASS: v.optional(Text),
  SMTP_FROM: v.optional(Sender),
  SMTP_TLS: v.optional(v.picklist(["implicit", "required", "opportunistic", "off"], SMTP_TLS_MESSAGE), "opportunistic"),
  SPOKE_SMTP_HOST: v.optional(Server),
  SPOKE_SMTP_PORT: v.optional(integer(1, 65535), "587"),
  SPOKE_SMTP_USER: v.optional(SpokeUser),
  SPOKE_SMTP_SECRET: v.optional(v.pipe(v.string(), v.minLength(32, "must have at least 32 characters"))),
  TRUSTED_PROXIES: v.optional(Cidrs, ""),
  WEBHOOK_NETWORKS: v.optional(Cidrs, ""),
  DNS_SERVERS: v.optional(NameServers, ""),
  PORTAL: v.optional(Switch),
  SIGNUP: v.optional(Switch, "off"),
  REQUIRE_SECOND_FACTOR: v.optional(v.picklist(["off", "operators", "all"], "must be off, operators or all"), "off"),
  SIGN_IN_PROVIDERS: v.optional(Text),
  PASSWORDS: v.optional(Switch, "on"),
  CATALOG: v.optional(Text),
  BLUEPRINT_DIR: v.optional(Text),
  TEMPLATES: v.optional(Switch, "on"),
  STRIPE_SECRET_KEY: v.optional(Text),
  STRIPE_WEBHOOK_SECRET: v.optional(Text),
  STRIPE_API_BASE: v.optional(url("must be an http or https URL", "http:", "https:")),
  BACKUP_PASSPHRASE: v.optional(v.pipe(v.string(), v.minLength(12, "must have at least 12 characters"))),
  SECRETS_KEY: v.optional(SecretsKeys, ""),
  RESTORE_TESTS: v.optional(v.picklist(["off", "weekly", "nightly"], "must be off, weekly or nightly"), "off"),
  SCHEDULER: v.optional(Switch, "on"),
  SCHEDULER_LANES: v.optional(integer(1, 10_000), "64"),
  CLUSTER_DISRUPTIONS: v.optional(integer(1, 10_000), "10"),
  MAX_IN_FLIGHT: v.optional(integer(1, 1_000_000), "512"),
  MAX_STREAMS: v.optional(integer(1, 1_000_000), "10000"),
  REQUEST_TIMEOUT_MS: v.optional(integer(100, 3_600_000), "30000"),
  BODY_LIMIT_BYTES: v.optional(integer(1024, 1_000_000_000), "262144"),
  METRICS_PORT: v.optional(integer(1, 65535)),
  OTEL_EXPORTER_OTLP_ENDPOINT: v.optional(url("must be an http or https URL", "http:", "https:")),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: v.optional(url("must be an http or https URL", "http:", "https:")),
  OTEL_EXPORTER_OTLP_HEADERS: v.optional(OtelHeaders),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: v.optional(OtelHeaders),
  OTEL_EXPORTER_OTLP_TIMEOUT: v.optional(integer(1, 60_000), "10000"),
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: v.optional(integer(1, 60_000)),
  OTEL_SERVICE_NAME: v.optional(Text),
  OTEL_RESOURCE_ATTRIBUTES: v.optional(OtelPairs),
  OTEL_BSP_SCHEDULE_DELAY: v.optional(integer(10, 60_000), "5000"),
  OTEL_TRACES_EXPORTER: v.optional(v.picklist(["otlp", "none"], "must be otlp or none"), "otlp"),
  OTEL_TRACES_SAMPLER: v.optional(OtelSampler, "parentbased_always_on"),
  OTEL_TRACES_SAMPLER_ARG: v.optional(OtelSamplingRatio, "1"),
  OTEL_SDK_DISABLED: v.optional(OtelBoolean, "false"),
  SHUTDOWN_GRACE_MS: v.optional(integer(0, 3_600_000)),
  SHUTDOWN_NOTICE_MS: v.optional(integer(0, 3_600_000)),
  LOG_LEVEL: v.optional(v.picklist(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`), "info"),
  LOG_FORMAT: v.optional(v.picklist(["json", "pretty"], "must be json or pretty")),
  DATA_DIR: v.optional(Text, ".wheelwright"),
  SIMULATOR_DELAY_MS: v.optional(integer(0, 3_600_000), "1500"),
  SIMULATOR_PROFILE: v.optional(Profile),
});
export type EnvironmentVariables = v.InferOutput<typeof EnvironmentVariables>;

function listOf(isValid: (text: string) => boolean, message: string) {
  return v.pipe(
    v.string(),
    v.transform((value) => value.split(",").map((part) => part.trim()).filter(Boolean)),
    v.check((list) => list.every(isValid), message),
  );
}

/** Returns whether the text is an IP address, optionally with a valid prefix length. */
function isCidr(text: string): boolean {
  const [address = "", prefix] = text.split("/");
  const family = isIP(address);
  if (family === 0) return false;
  if (prefix === undefined) return true;
  if (!/^\d{1,3}$/.test(prefix)) return false;
  return Number(prefix) <= (family === 4 ? 32 : 128);
}

/** Returns whether the text is the base64 of 32 bytes. */
function isSecretsKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(text);
}

function isNameServer(text: string): boolean {
  const [, address, port] = /^\[([^\]]+)\]:(\d{1,5})$/.exec(text) ?? /^([\d.]+):(\d{1,5})$/.exec(text) ?? [];
  if (address === undefined) return isIP(text) !== 0;
  return isIP(address) !== 0 && Number(port) >= 1 && Number(port) <= 65_535;
}
