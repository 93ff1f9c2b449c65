/** Defines the placeholders for manifests and their values for a spoke or hub. A null value removes its field. */
import type { HubInputs, SpokeInputs } from "#lib/moodle/inputs.ts";
import { DEFAULT_DATA_CLAIM, DEFAULT_FILES_PVC_NAME, hashHost } from "#lib/moodle/names.ts";

type FormerHost = NonNullable<SpokeInputs["formerHosts"]>[number];

export const SPOKE_PLACEHOLDERS = [
  ...["NAMESPACE", "FEDERATION", "SLUG", "HOST", "URL", "SCHEME", "BEHIND_TLS"],
  ...["MOODLE_IMAGE", "POSTGRES_IMAGE", "FPM_DIRECTORY", "FPM_CONFIGURATION"],
  ...["APP_RESOURCES", "DATABASE_RESOURCES", "CRON_RESOURCES", "FILES_DISK", "DATABASE_DISK"],
  ...["FILES_CLAIM", "DATA_CLAIM_TEMPLATE"],
  ...["QUOTA_CPU_REQUESTS", "QUOTA_MEMORY_REQUESTS", "QUOTA_CPU_LIMITS", "QUOTA_MEMORY_LIMITS", "QUOTA_STORAGE"],
  ...["CONTAINER_MAX_CPU", "CONTAINER_MAX_MEMORY", "CLAIM_MAX_STORAGE"],
  ...["INGRESS_CLASS", "INGRESS_NAMESPACE", "DNS_NAMESPACE"],
  ...["SMTP_HOST", "SMTP_PORT", "SMTP_USER", "SMTP_PROTOCOL", "MAIL_FROM", "MAIL_OFF", "WEB_INSTALLER_OFF"],
  // The values of the following placeholders may be null.
  ...["STORAGE_CLASS", "CONTROL_PLANE_NAMESPACE", "MAIL_PORT", "MAIL_PORT_PROTOCOL"],
  ...["CERTIFICATE_ISSUER", "CERTIFICATE_HOST", "CERTIFICATE_SECRET"],
] as const;
type SpokeName = (typeof SPOKE_PLACEHOLDERS)[number];

/** The placeholders that only the file adopt.yaml may use. */
export const ADOPT_FILE_PLACEHOLDERS = ["ADOPTION_ID", "IDENTITY"] as const;

/** The placeholders for the containers in adopt.yaml. Their values are null if the install Job installed the site. */
export const ADOPTION_CONTAINER_PLACEHOLDERS = ["ADOPT_DATABASE", "ADOPT_FILES"] as const;

/** The placeholder that only cron.yaml may use. */
export const CRON_PLACEHOLDERS = ["USAGE_SCRIPT"] as const;

export const JOB_PLACEHOLDERS = [
  "JOB",
  "FENCE",
  "CLAIM",
  "MAINTENANCE",
  "PASSWORD_SCRIPT",
  "LINK_SCRIPT",
  "LINK_KEY",
  "CHECK_SIGN_IN_SCRIPT",
  "ISSUER",
  "REGISTERS",
  "REQUEST",
  "PERSON_SCRIPT",
  "PERSON_ACTION",
  "EMAIL",
  "PUBLISH_COURSE_SCRIPT",
  "DELIVER_COURSES_SCRIPT",
  "COURSE",
  "COURSES",
  "LIBRARY_URL",
  "UPLOAD",
  "TICKET",
  "FACTS_SCRIPT",
  "SITE_IDENTIFIER",
  "ADDONS_SCRIPT",
  "ADDONS",
  "ADDONS_MODE",
  "MAINTENANCE_AFTER",
  "VERIFY_FILES_SCRIPT",
  "SINCE",
] as const;

/** The placeholders for a former host, which redirects to the current host. FORMER_CERTIFICATE_* may be null. */
export const FORMER_HOST_PLACEHOLDERS = [
  "FORMER_KEY",
  "FORMER_HOST",
  "FORMER_CERTIFICATE_HOST",
  "FORMER_CERTIFICATE_SECRET",
] as const;

export const SECRET_PLACEHOLDERS = ["DATABASE_PASSWORD", "CONTROL_PASSWORD", "ADMIN_PASSWORD"] as const;

/** The placeholders for the seed (initial content). Only the first seven need a value; the seed skips null settings. */
export const SEED_PLACEHOLDERS = [
  ...["SEED_SCRIPT", "COURSES_SCRIPT", "SIGN_ON_SCRIPT", "CLIENT_SCRIPT", "TITLE", "ADMIN_EMAIL", "MAIL"],
  ...["CHANGES", "BRAND_COLOR", "BRAND_SCSS", "BRAND_LOGO", "SETTINGS", "COURSES"],
  ...["SIGN_IN", "ISSUER_NAME", "ISSUER_URL", "ISSUER_CLIENT_ID", "ISSUER_CLIENT_SECRET", "ISSUER_SCOPES"],
  ...["ISSUER_REGISTRATION_TOKEN", "SITE"],
  ...["ISSUER_AUTHORIZATION_ENDPOINT", "ISSUER_TOKEN_ENDPOINT", "ISSUER_USERINFO_ENDPOINT"],
] as const;

/** The placeholders for a hub. CERTIFICATE_ISSUER and ACME_EMAIL are either both null or both set. */
export const HUB_PLACEHOLDERS = [
  "NAMESPACE",
  "FEDERATION",
  "SLUG",
  "CERTIFICATE_ISSUER",
  "ACME_EMAIL",
  "ACME_SERVER",
  "INGRESS_CLASS",
] as const;

/** The placeholders that only library.yaml may use. STORAGE_CLASS may be null. */
export const LIBRARY_PLACEHOLDERS = ["LIBRARY_IMAGE", "LIBRARY_SCRIPT", "STORAGE_CLASS"] as const;

/** The placeholders that only library-job.yaml may use. BACKUP_MOUNT and BACKUP_VOLUME may be null. */
export const LIBRARY_JOB_PLACEHOLDERS = [
  "LIBRARY_IMAGE",
  "PACKAGES_SCRIPT",
  "MODE",
  "FENCE",
  "PACKAGES",
  "BACKUP_MOUNT",
  "BACKUP_VOLUME",
] as const;

/** The default name for a site's Certificate and for the Secret that contains the certificate. */
export const DEFAULT_CERTIFICATE_NAME = "moodle-tls";
/** The mail server ports to which the blueprint's network policy always allows connections. */
const MAIL_PORTS = [443, 465, 587];

export function buildSpokeManifestValues(inputs: SpokeInputs): Record<SpokeName, unknown> {
  const { resources, images, surroundings, issuer } = inputs, mail = findMailSettings(inputs);
  const scheme = inputs.https ? "https" : "http";
  const otherMailPort = mail && !MAIL_PORTS.includes(mail.port) ? mail.port : null;
  return {
    NAMESPACE: inputs.namespace,
    FEDERATION: inputs.federationId,
    SLUG: inputs.slug,
    HOST: inputs.host,
    URL: `${scheme}://${inputs.host}${inputs.port ? `:${inputs.port}` : ""}`,
    SCHEME: scheme,
    BEHIND_TLS: String(inputs.https), // ConfigMap values are strings
    MOODLE_IMAGE: images.moodle,
    POSTGRES_IMAGE: images.postgres,
    FPM_DIRECTORY: images.fpmDirectory,
    FPM_CONFIGURATION: `[www]\npm.max_children = ${resources.workers}\n`,
    APP_RESOURCES: resources.app,
    DATABASE_RESOURCES: resources.database,
    CRON_RESOURCES: resources.cron,
    FILES_DISK: resources.disks.files,
    DATABASE_DISK: inputs.madeDatabaseDisk ?? resources.disks.database,
    FILES_CLAIM: inputs.claims?.files ?? DEFAULT_FILES_PVC_NAME,
    DATA_CLAIM_TEMPLATE: inputs.claims?.data ?? DEFAULT_DATA_CLAIM,
    QUOTA_CPU_REQUESTS: resources.quota.requests.cpu,
    QUOTA_MEMORY_REQUESTS: resources.quota.requests.memory,
    QUOTA_CPU_LIMITS: resources.quota.limits.cpu,
    QUOTA_MEMORY_LIMITS: resources.quota.limits.memory,
    QUOTA_STORAGE: resources.quota.storage,
    CONTAINER_MAX_CPU: resources.largest.cpu,
    CONTAINER_MAX_MEMORY: resources.largest.memory,
    CLAIM_MAX_STORAGE: resources.largest.disk,
    INGRESS_CLASS: surroundings.ingressClass,
    INGRESS_NAMESPACE: surroundings.ingressNamespace,
    DNS_NAMESPACE: surroundings.dnsNamespace,
    SMTP_HOST: mail?.host ?? "localhost", // mail is turned off
    SMTP_PORT: String(mail?.port ?? 25),
    SMTP_USER: mail?.user ?? "",
    SMTP_PROTOCOL: mail ? mail.port === 465 ? "ssl" : "tls" : "",
    MAIL_FROM: mail?.from ?? `noreply@${inputs.host}`,
    MAIL_OFF: mail ? "0" : "1",
    WEB_INSTALLER_OFF: String(!inputs.webInstaller),
    STORAGE_CLASS: surroundings.storageClass ?? null,
    CONTROL_PLANE_NAMESPACE: surroundings.controlPlaneNamespace ?? null,
    MAIL_PORT: otherMailPort,
    MAIL_PORT_PROTOCOL: otherMailPort && "TCP",
    CERTIFICATE_ISSUER: issuer,
    CERTIFICATE_HOST: issuer && inputs.host,
    CERTIFICATE_SECRET: issuer && (inputs.certificate ?? DEFAULT_CERTIFICATE_NAME),
  };
}

/** Returns the site's mail server settings; null if the site must not send email. */
export function findMailSettings({ mail, mailHeld }: SpokeInputs): SpokeInputs["mail"] {
  return mailHeld ? null : mail;
}

export function buildFormerHostValues(
  { issuer }: SpokeInputs,
  { host, certificate }: FormerHost,
): Record<(typeof FORMER_HOST_PLACEHOLDERS)[number], unknown> {
  return {
    FORMER_KEY: hashHost(host),
    FORMER_HOST: host,
    FORMER_CERTIFICATE_HOST: issuer && host,
    FORMER_CERTIFICATE_SECRET: issuer && certificate,
  };
}

export function buildHubManifestValues(inputs: HubInputs): Record<(typeof HUB_PLACEHOLDERS)[number], unknown> {
  return {
    NAMESPACE: inputs.namespace,
    FEDERATION: inputs.federationId,
    SLUG: inputs.slug,
    CERTIFICATE_ISSUER: inputs.issuer,
    ACME_EMAIL: inputs.acmeEmail,
    ACME_SERVER: inputs.surroundings.acmeServer,
    INGRESS_CLASS: inputs.surroundings.ingressClass,
  };
}
