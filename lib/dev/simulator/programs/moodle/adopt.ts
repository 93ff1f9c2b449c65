/**
 * Simulates the two scripts in the manifest adopt.yaml, which adapt a restored or copied site to its new name. The
 * database script sets the database password and makes the changes that it lists. The files script turns maintenance
 * mode off and, if secrets are renewed, removes config.php and `moodledata/secret`.
 */
import { findPostgresVersionError, readPostgresMajor } from "#lib/dev/simulator/programs/moodle/database.ts";
import { generateRandomText } from "#lib/dev/simulator/programs/moodle/boot.ts";
import { findFirstVolumeHandle, type SiteDatabase, type SiteFiles } from "#lib/dev/simulator/programs/moodle/site.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";

const noDataMessage = (what: string) => `not adopted: this volume contains no ${what}`;
const ADOPTED = "wheelwright_adopted"; // the name of a row in mdl_config

export function runDatabaseAdoption({ world, pod, container, env }: ProgramContext): ProgramRun {
  const script = parseScript(container), handle = findFirstVolumeHandle(world, pod.metadata.namespace!, pod);
  const failed = (...lines: string[]): ProgramRun => ({ lines, exit: 1 });
  const before: SiteDatabase = handle === null ? {} : world.volumes.read(handle);
  if (handle === null || before.password === undefined) return failed(noDataMessage("database"));
  const foreign = findPostgresVersionError(before, readPostgresMajor(container.image));
  if (foreign) return failed(...foreign);
  if (before.damaged) return failed(before.damaged);
  if (before.absent) return failed('FATAL:  database "moodle" does not exist');
  const withPassword = { ...before, password: env.DB_PASS! };
  if (!before.config) {
    world.volumes.write(handle, withPassword); // the real script sets the password in a separate statement
    return failed("FATAL:  not adopted: this database contains no site");
  }
  const after = before.config[ADOPTED] === script.adoptionId ? withPassword : applyAdoption(withPassword, script);
  return { lines: ["adopted"], exit: 0, done: () => world.volumes.write(handle, after) };
}

interface AdoptScript {
  readonly text: string;
  readonly adoptionId: string;
  readonly renewed: boolean;
}

function parseScript({ command = [], args = [] }: ProgramContext["container"]): AdoptScript {
  const text = [...command, ...args].join("\n");
  const [, adoptionId = ""] = /(?:adoption_id constant text := '|!= ")(\w+)/.exec(text) ?? [];
  return { text, adoptionId, renewed: /:= 'new' = 'new'|"new" = new/.test(text) };
}

function applyAdoption(database: SiteDatabase, { text, adoptionId, renewed }: AdoptScript): SiteDatabase {
  const { secrets = {}, accounts = {}, config = {} } = database;
  const names = (words: string): boolean => text.includes(words) && (renewed || words === "'sessions'");
  const left = Object.entries(secrets).filter(([place]) => {
    const [plugin, name] = place.split("/");
    return !names(name === undefined ? `'${place}'` : `('${plugin}', '${name}')`);
  });
  const people = Object.entries(accounts).map(([name, { reset, ...account }]) => {
    const stays = reset && !names("'user_password_resets'");
    return [name, { ...account, ...(names("'sessions'") && { sessions: 0 }), ...(stays && { reset }) }] as const;
  });
  const salts = ["calendar_exportsalt", "cronremotepassword", "badges_badgesalt"].filter((name) =>
    config[name] && names(`'${name}'`)
  );
  const [, host = ""] = /\|\| '([\w.-]+)'/.exec(text) ?? [];
  return {
    ...database,
    secrets: Object.fromEntries(left),
    accounts: Object.fromEntries(people),
    config: {
      ...config,
      ...Object.fromEntries(salts.map((name) => [name, generateRandomText(36)])),
      ...(config.oauth2_uris && names("name = 'clients'") && { oauth2_clientid: "", oauth2_clientsecret: "" }),
      ...(names("('siteidentifier'") && { siteidentifier: generateRandomText(32) + host }),
      ...(names("('noemailever', '1')") && { noemailever: "1" }),
      [ADOPTED]: adoptionId,
    },
  };
}

export function runFileAdoption({ world, pod, container }: ProgramContext): ProgramRun {
  const { adoptionId, renewed } = parseScript(container),
    handle = findFirstVolumeHandle(world, pod.metadata.namespace!, pod);
  const before: SiteFiles = handle === null ? {} : world.volumes.read(handle);
  if (handle === null || before.code === undefined) return { lines: [noDataMessage("site")], exit: 1 };
  const { upgrading: _, maintenance: __, ...files } = before;
  const { configured: ___, wwwroot: ____, key: _____, ...bare } = files;
  const done = (): void => {
    if (before.adopted !== adoptionId) world.volumes.write(handle, { ...renewed ? bare : files, adopted: adoptionId });
  };
  return { lines: ["adopted"], exit: 0, done };
}
