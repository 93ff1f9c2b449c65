/** The steps that have manifests of their own, and the Jobs that there are. */

/** Which Job of the blueprint a step runs; install runs reset first when an earlier attempt did not end. */
export const JOBS = [
  ...["install", "reset", "verify", "claim", "seed", "health", "preflight", "upgrade"] as const,
  ...["closed", "maintenance-enable", "maintenance-disable", "purge", "password", "sign-in-link"] as const,
] as const;
export type JobName = (typeof JOBS)[number];

export type SpokeStep =
  | "namespace"
  | "policies"
  | "secrets"
  | "database"
  | "install"
  | "seed"
  | "app"
  | "cron"
  | "ingress";
export type HubStep = "namespace" | "rooms" | "issuer";
