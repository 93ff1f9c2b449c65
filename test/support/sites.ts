/** Adds content to simulated sites, and reads content and secrets of sites. */
import type { Simulator } from "#lib/dev/simulator/open.ts";

/** Adds content to a site: users, courses, every kind of secret, and a marker in the database and in the files. */
export function addSiteContents(simulator: Simulator, namespace: string, marked = "as it was"): void {
  const { database, files, saveDatabase, saveFiles } = simulator.site(namespace);
  const tables = ["sessions", "external_tokens", "user_private_key", "user_password_resets", "user_devices"]
    .concat(
      "oauth2_access_token",
      "oauth2_refresh_token",
      "oauth2_system_account",
      "registration_hubs",
      "mnet/openssl",
    );
  const secrets = Object.fromEntries(tables.map((name) => [name, crypto.randomUUID()]));
  const reset = { token: crypto.randomUUID(), requested: 0 };
  saveDatabase({
    ...database!,
    config: { ...database!.config, marked, cronremotepassword: crypto.randomUUID() },
    courses: [...database!.courses ?? [], "algebra-1", "algebra-2"],
    accounts: { ...database!.accounts, ada: { password: "ada's own", sessions: 2, reset } },
    secrets: { ...database!.secrets, ...secrets },
  });
  saveFiles({ ...files, marked, maintenance: true });
}

/** Returns the parts of a site's content that a copy of the site must also contain. */
export function siteContentsOf(simulator: Simulator, namespace: string): Record<string, unknown> {
  const { database, files } = simulator.site(namespace);
  const { accounts = {}, courses = [], config = {} } = database!;
  const users = Object.keys(accounts).sort();
  return { row: config.marked, file: files.marked, courses: [...courses].sort(), users, title: config.fullname };
}

/** Returns all secrets of a site (passwords, salts, keys, tokens and so on), keyed by storage location. */
export function siteSecretsOf(simulator: Simulator, namespace: string): Record<string, string> {
  const { database, files } = simulator.site(namespace);
  const { config = {}, secrets = {}, accounts = {}, password } = database!;
  const named = ["siteidentifier", "calendar_exportsalt", "cronremotepassword"];
  const found: Record<string, string | undefined> = {
    ...Object.fromEntries(named.map((name) => [`mdl_config ${name}`, config[name]])),
    ...secrets,
    ...Object.fromEntries(Object.entries(accounts).map(([name, { reset }]) => [`reset of ${name}`, reset?.token])),
    "role moodle": password,
    "moodledata/secret": files.key,
    ...Object.fromEntries(
      simulator.objects("Secret").filter(({ metadata }) => metadata.namespace === namespace).flatMap((
        { metadata, data },
      ) => Object.entries<string>(data ?? {}).map(([key, text]) => [`Secret ${metadata.name} ${key}`, atob(text)])),
    ),
  };
  const present = Object.entries(found).filter((entry): entry is [string, string] => !!entry[1]);
  return Object.fromEntries(present);
}
