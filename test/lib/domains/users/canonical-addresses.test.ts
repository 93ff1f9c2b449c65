import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openLog } from "#lib/base/log.ts";
import { canonicaliseAddresses } from "#lib/domains/users/canonical-addresses.ts";
import { openTestDatabase } from "#test/support/database.ts";

const test = suite("canonicaliseAddresses");

test("changes addresses of an older release, and reports accounts that would become one", async () => {
  const db = await openTestDatabase(), lines: string[] = [];
  const log = openLog({ level: "debug", format: "json", write: (line) => lines.push(line) });
  const add = (id: string, email: string) =>
    db.sql("insert into users (id, email, display_name) values ($1, $2, $1)", [id, email]);
  try {
    await add("usr_a", "ada@müller.example");
    await add("usr_b", "ju\u0308rgen@x.example");
    await add("usr_c", "eve@schöne.example");
    await add("usr_d", "eve@xn--schne-lua.example");
    await add("usr_e", "a\u200bb@x.example");
    await add("usr_f", "jörg@x.example");
    assert.is(await canonicaliseAddresses(db, log), 2);
    assert.equal((await db.sql("select email from users order by id")).map(({ email }) => email), [
      ...["ada@xn--mller-kva.example", "jürgen@x.example", "eve@schöne.example", "eve@xn--schne-lua.example"],
      ...["a\u200bb@x.example", "jörg@x.example"],
    ]);
    const said = lines.join("\n");
    assert.match(said, /"users":\["usr_c","usr_d"\]/);
    assert.match(said, /"user":"usr_e"/);
    assert.is(await canonicaliseAddresses(db, log), 0, "what has its form is left alone");
  } finally {
    await db.close();
  }
});

test.run();
