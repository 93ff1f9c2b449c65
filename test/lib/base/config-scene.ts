/** Reads configurations from variables of a test. */
import { type Config, ConfigError, type ConfigMode, readConfig } from "#lib/base/config.ts";

export const ENOUGH = {
  DATABASE_URL: "postgres://someone:s3cret@db.example:5432/wheels",
  PUBLIC_URL: "https://hubs.example.org",
  ROOT_DOMAIN: "spokes.example.org",
  KUBECONFIG: "/etc/kubeconfig",
};

export function read(env: Record<string, string>, mode: ConfigMode = "serve"): Config {
  return readConfig({ mode, env, terminal: false });
}

export function problemsOf(env: Record<string, string>, mode: ConfigMode = "serve"): readonly string[] {
  try {
    read(env, mode);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
