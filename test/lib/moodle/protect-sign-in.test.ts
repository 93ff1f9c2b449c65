/** Tests the SQL of the Job protect-sign-in with a real PostgreSQL. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { psqlOf, query, run } from "#test/lib/moodle/psql.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { rejection } from "#test/support/until.ts";

const protect = psqlOf("protect-sign-in", "17");

const test = suite<{ db: TestDatabase; url: string }>("the Job protect-sign-in");
test.before(async (context) => {
  context.db = await openTestDatabase();
});
test.before.each(async (context) => {
  context.url = await context.db.freshUrl();
  await query(context.url, SITE);
});
test.after(({ db }) => db.close());

/** Users 2 and 3 are administrators; 3 has a provider account. User 4 is suspended. Users 5 and 6 are normal users. */
const SITE = `
  create table mdl_config (name text, value text);
  insert into mdl_config values ('siteadmins', '2, 3');
  create table mdl_user (id bigint, auth text, suspended smallint default 0, deleted smallint default 0);
  insert into mdl_user values (2, 'manual', 0), (3, 'oauth2', 0), (4, 'manual', 1), (5, 'manual', 0), (6, 'oauth2', 0);
  create table mdl_auth_oauth2_linked_login (id bigserial, issuerid bigint default 1, userid bigint, email text);
  create table mdl_oauth2_user_field_mapping (id bigserial, issuerid bigint, externalfield text, internalfield text,
    timecreated bigint not null, timemodified bigint not null, usermodified bigint not null);
  insert into mdl_oauth2_user_field_mapping (issuerid, externalfield, internalfield, timecreated, timemodified, usermodified)
    values (1, 'sub', 'idnumber', 1, 1, 2), (1, 'email', 'email', 1, 1, 2), (7, 'email', 'email', 1, 1, 2);`;

const link = (url: string, userid: number) =>
  query(url, `insert into mdl_auth_oauth2_linked_login (userid) values (${userid})`);
const linked = async (url: string) =>
  (await query(url, "select userid::integer as id from mdl_auth_oauth2_linked_login order by 1")).map(({ id }) => id);

test("rejects links to administrators and suspended accounts, and accepts those to users", async ({ url }) => {
  await run(url, protect);
  for (const id of [2, 3]) assert.match((await rejection(link(url, id))).message, /not linked to an administrator/);
  assert.match((await rejection(link(url, 4))).message, /not linked to a suspended account/);
  await link(url, 5);
  assert.equal(await linked(url), [5]);
  const moved = query(url, "update mdl_auth_oauth2_linked_login set userid = 2");
  assert.match((await rejection(moved)).message, /not linked to an administrator/);
});

test("checks the current administrators and suspensions, and keeps existing links", async ({ url }) => {
  await run(url, protect);
  await link(url, 6);
  await query(url, "update mdl_config set value = '2,6'; update mdl_user set suspended = 1 where id = 5");
  await query(url, "update mdl_auth_oauth2_linked_login set userid = userid, email = 'new'");
  assert.match((await rejection(link(url, 5))).message, /suspended/);
  await link(url, 3);
  assert.equal(await linked(url), [3, 6]);
});

test("removes the link of an administrator who has a local password", async ({ url }) => {
  for (const id of [2, 3, 5]) await link(url, id);
  await run(url, protect);
  assert.equal(await linked(url), [3, 5]);
});

test("identifies users by the provider's sub if Wheelwright configured the provider", async ({ url }) => {
  for (let time = 0; time < 2; time++) await run(url, protect);
  const names = await query(
    url,
    "select issuerid::integer, externalfield from mdl_oauth2_user_field_mapping where internalfield = 'username'",
  );
  assert.equal(names.map(({ issuerid, externalfield }) => [issuerid, externalfield]), [[1, "sub"]]);
});

test("does nothing if Moodle lacks the tables", async ({ db }) => {
  const url = await db.freshUrl();
  await query(url, "create table mdl_config (name text, value text)");
  await run(url, protect);
});

test.run();
