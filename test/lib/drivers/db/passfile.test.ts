import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findPasswordInFile } from "#lib/drivers/db/passfile.ts";

const test = suite("passwordIn");

test("returns the password of the first line that matches", () => {
  const text = "# a comment\n\ndb:5432:one:me:first\r\n*:*:two:me:se\\:co\\\\nd\n*:*:*:*:any\n";
  assert.is(findPasswordInFile(text, ["db", "5432", "one", "me"]), "first");
  assert.is(findPasswordInFile(text, ["other", "1", "two", "me"]), "se:co\\nd");
  assert.is(findPasswordInFile(text, ["other", "1", "three", "you"]), "any");
  assert.is(findPasswordInFile("db:5432:one:me:first", ["db", "5433", "one", "me"]), "");
  assert.is(findPasswordInFile("\\*:1:a:b:c", ["db", "1", "a", "b"]), "");
});

test.run();
