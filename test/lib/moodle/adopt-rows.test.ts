/**
 * Compares each row of a site before and after it became another site: as a site from a template, and as a copy. What
 * changes is listed, and all else is equal: a new setting of Moodle's is put on one of the two lists on purpose.
 */
import type postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openVolumes, type Volume, type Volumes } from "#test/lib/moodle/adoption-volumes.ts";
import { siteSql, TABLE_NAMES } from "#test/lib/moodle/site-database.ts";

const SECRET = "0ld5ecret", NEW_HOST = "biology.spokes.example.org";
const NEW = { adoptionId: "k5r2dg7w1x", identity: "new" } as const,
  SAME = { adoptionId: "k5r2dg7w1x", identity: "same" } as const;

type Site = ReadonlyMap<string, string>;

/** Reads each value by its location, such as `config siteidentifier` or `mnet_host 1 wwwroot`. */
async function readSite(volume: Volume): Promise<Site> {
  return await volume.ask("it's new", async (sql) => {
    const values = new Map<string, string>();
    for (const table of TABLE_NAMES) {
      for (const { id, ...row } of await sql`select * from ${sql(`mdl_${table}`)} order by id`) {
        for (const [place, value] of places(table, String(id), row)) values.set(place, value);
      }
    }
    return values;
  });
}

function places(table: string, id: string, row: postgres.Row): [place: string, value: string][] {
  if (table === "config") return [[`config ${row["name"]}`, row["value"]]];
  if (table === "config_plugins") return [[`config_plugins ${row["plugin"]}/${row["name"]}`, row["value"]]];
  return Object.entries(row).map(([column, value]) => [`${table} ${id} ${column}`, String(value)]);
}

/** Returns the locations of all differences. Missing and new rows count with all their values. */
function differing(before: Site, after: Site): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((place) => before.get(place) !== after.get(place))
    .sort();
}

/** The values that an adoption changes. All others must stay. */
const GENERATED = [
  ...["siteidentifier", "calendar_exportsalt", "cronremotepassword", "badges_badgesalt"].map((name) =>
    `config ${name}`
  ),
  ...["enrol_lti_tools 1 secret", "lti 1 servicesalt", "auth_oauth2_linked_login 1 confirmtoken"],
  ...["meetingid", "moderatorpass", "viewerpass", "guestlinkuid", "guestpassword"].map((each) =>
    `bigbluebuttonbn 1 ${each}`
  ),
  ...["meetingid", "moderatorpass", "viewerpass"].map((each) => `bigbluebuttonbn 2 ${each}`),
];
const ADDRESSES = {
  "config chat_serverhost": NEW_HOST,
  "config_plugins mod_lti/platformid": `https://${NEW_HOST}`,
  "config_plugins auth_shibboleth/auth_instructions":
    `Use the <a href="https://${NEW_HOST}/auth/shibboleth/index.php">Shibboleth login</a>, see ` +
    `https://${NEW_HOST}/auth/shibboleth/index.php`,
  "mnet_host 1 wwwroot": `https://${NEW_HOST}`,
};
const SET = {
  ...{ "config noemailever": "1", "config wheelwright_adopted": NEW.adoptionId, "config messageinbound_enabled": "0" },
  ...{ "config airnotifieraccesskey": "", "user 3 secret": "" },
  ...{ "mnet_host 1 public_key": "", "mnet_host 1 public_key_expires": "0" },
  ...{ "mnet_host 1 ip_address": "UNKNOWN", "mnet_host 1 last_connect_time": "0" },
  ...{ "config_log 1 value": "", "config_log 1 oldvalue": "", "config_log 2 value": "" },
  ...{ "config_log 3 value": "", "config_log 3 oldvalue": "" },
  ...{ "oauth2_issuer 2 clientid": "", "oauth2_issuer 2 clientsecret": "" },
};
/** Keys that Moodle or the seed creates again when needed. */
const GONE = [
  ...["mnet/openssl", "mnet/openssl_history", "mod_lti/privatekey", "mod_lti/kid"].map((name) =>
    `config_plugins ${name}`
  ),
  ...["enrol_lti/lti_13_privatekey", "enrol_lti/lti_13_kid", "core_h5p/site_uuid"].map((name) =>
    `config_plugins ${name}`
  ),
  "config_plugins local_wheelwright/clients",
  ...["site_regupdateversion", "site_contactemail", "site_name"].map((name) => `config_plugins hub/${name}`),
];
const GONE_ROWS = [
  ...["user_preferences 1", "user_preferences 2", "user_preferences 3", "messageinbound_datakeys 1", "communication 1"],
  ...["communication_user 1", "matrix_room 1", "oauth2_refresh_token 1", "external_tokens 1", "user_private_key 1"],
  "registration_hubs 1",
];
/** Texts of users that may contain the old host. */
const MAY_NAME_THE_OLD_HOST = ["config additionalhtmlhead", "label 1 intro", "page 1 content"];

function isOfRow(place: string, rows: readonly string[]): boolean {
  return rows.some((row) => place.startsWith(`${row} `));
}

const test = suite<{ volumes: ReadonlyMap<string, Volumes> }>("adopt.yaml: rows of the database");
const HOSTS = { "from a template": "template.invalid", "as a copy": "birch.example" };
test.before(async (context) => {
  const opened = Object.values(HOSTS).map(async (host) => [host, await openVolumes(siteSql(host, SECRET))] as const);
  context.volumes = new Map(await Promise.all(opened));
});
test.after(async ({ volumes }) => void await Promise.all([...volumes.values()].map((each) => each.close())));

for (const [way, host] of Object.entries(HOSTS)) {
  test(`${way} replaces every row that identifies the original site`, async ({ volumes: all }) => {
    const volumes = all.get(host)!;
    const [before, after, other] = [await volumes.copy(), await volumes.copy(), await volumes.copy()];
    await before.adopt(SAME);
    const { code, said } = await after.adopt(NEW);
    assert.is(code, 0, said);
    await other.adopt(NEW);
    const [old, now, second] = [await readSite(before), await readSite(after), await readSite(other)];
    const rows = [...old.keys()].filter((place) => isOfRow(place, GONE_ROWS)), set = { ...ADDRESSES, ...SET };
    const changed = Object.keys(set).filter((place) => place !== "config wheelwright_adopted");
    assert.equal(differing(old, now), [...GENERATED, ...changed, ...GONE, ...rows].sort());
    for (const place of GENERATED) {
      assert.ok(now.get(place)!.length >= 32, place);
      assert.is.not(now.get(place), second.get(place), `${place} is random`);
    }
    for (const [place, value] of Object.entries(set)) assert.is(now.get(place), value, place);
    for (const place of [...GONE, ...rows]) assert.is(now.get(place), undefined, place);
    const naming = (word: string) =>
      [...now].filter(([, value]) => value.includes(word)).map(([place]) => place).sort();
    assert.equal(naming(SECRET), []);
    assert.equal(naming(host), MAY_NAME_THE_OLD_HOST);
  });

  test(`${way} changes only sessions if the original site continues`, async ({ volumes: all }) => {
    const volumes = all.get(host)!;
    const [first, again] = [await volumes.copy(), await volumes.copy()];
    await first.adopt(SAME);
    await again.adopt({ ...SAME, adoptionId: "9n3m8k5r2d" });
    const now = await readSite(again);
    assert.equal(differing(await readSite(first), now), ["config wheelwright_adopted"]);
    assert.is(now.get("config siteidentifier"), `${SECRET}${host}`);
    assert.equal([...now.keys()].filter((place) => place.startsWith("sessions ")), []);
  });
}

test.run();
