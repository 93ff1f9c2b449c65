import { suite } from "uvu";
import * as assert from "uvu/assert";
import { generateSitePassword } from "#lib/moodle/secrets.ts";
import { allObjects, inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";

const test = suite("newSitePassword");

test("has 32 letters, digits, hyphens and underscores, at least one of each, and starts with a letter or digit", () => {
  for (const password of Array.from({ length: 500 }, generateSitePassword)) {
    assert.match(password, /^[A-Za-z0-9][A-Za-z0-9_-]{31}$/);
    for (const sort of [/[A-Z]/, /[a-z]/, /[0-9]/, /[_-]/]) assert.match(password, sort);
  }
});

test("is never the same twice", () => {
  assert.is(new Set(Array.from({ length: 500 }, generateSitePassword)).size, 500);
});

const secrets = suite("newSecrets");
const blueprint = openBlueprint();
const mail = { host: "mail.example.org", port: 587, user: "u", from: "noreply@example.org" };

secrets("contain new passwords, which appear in no applied object", () => {
  const inputs = inputsOf(blueprint);
  const made = blueprint.newSecrets(inputs);
  assert.equal(made.map(({ kind, metadata, stringData }) => [kind, metadata.name, Object.keys(stringData)]), [
    ["Secret", "moodle", ["DB_PASS", "MOODLE_PASSWORD"]],
    ["Secret", "admin", ["ADMIN_PASSWORD"]],
  ]);
  const passwords = made.flatMap(({ stringData }) => Object.values<string>(stringData));
  assert.is(new Set(passwords).size, 3);
  const applied = JSON.stringify([allObjects(blueprint, inputs), inputs]);
  assert.not.ok(passwords.some((password) => applied.includes(password)));
});

secrets("derives the mail password from the user name and the relay's secret", () => {
  const secret = "0123456789abcdef0123456789abcdef";
  const password = (user: string | null, given: string | null = secret) =>
    blueprint.mailSecret(inputsOf(blueprint, { mail: { ...mail, user } }), given)[0]?.["stringData"].SMTP_PASSWORD;
  // printf %s spoke-a-1 | openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef -binary | basenc --base64url | tr -d =
  assert.is(password("spoke-a-1"), "F2nUTKL9LevbMuIw0rt8i4Hhre5qUZNBo9qYOb1iAE0");
  assert.is.not(password("spoke-a-2"), password("spoke-a-1"));
  assert.equal([password(null), password("spoke-a-1", null)], ["", ""]);
  assert.is(blueprint.mailSecret(inputsOf(blueprint, { mail: null }), secret)[0]?.["stringData"].SMTP_PASSWORD, "");
});

test.run();
secrets.run();
