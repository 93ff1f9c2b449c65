import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { MailPassword, newPassword } from "#lib/blueprint/secrets.ts";
import { allObjects, inputsOf, openBlueprint } from "#test/lib/blueprint/scene.ts";

const test = suite("newPassword");

test("is 32 letters, digits, hyphens and underscores, of each sort at least one, and begins with none of the last two", () => {
  for (const password of Array.from({ length: 500 }, newPassword)) {
    assert.match(password, /^[A-Za-z0-9][A-Za-z0-9_-]{31}$/);
    for (const sort of [/[A-Z]/, /[a-z]/, /[0-9]/, /[_-]/]) assert.match(password, sort);
  }
});

test("is never the same twice", () => {
  assert.is(new Set(Array.from({ length: 500 }, newPassword)).size, 500);
});

const secrets = suite("newSecrets");
const blueprint = openBlueprint();
const mail = { host: "mail.example.org", port: 587, user: "u", from: "noreply@example.org" };

secrets("are passwords of their own, and are nowhere in what is applied", () => {
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

secrets("of mail is the operator's password, and empty where there is none or it would not survive the shell", () => {
  const password = (given: string | null, settings: typeof mail | null) =>
    blueprint.mailSecret(inputsOf(blueprint, { mail: settings }), given)[0]?.["stringData"].SMTP_PASSWORD;
  assert.is(password("s3cret+/=", mail), "s3cret+/=");
  assert.is(password("s3cret", null), "");
  assert.is(password(null, mail), "");
  for (const bad of ["two words", "a'b", "a|b", "a;b", "a$b", "a*b", 'a"b', "a&b", "a\\b", "a\nb"]) {
    assert.is(password(bad, mail), "", bad);
    assert.not.ok(v.is(MailPassword, bad), bad);
  }
});

test.run();
secrets.run();
