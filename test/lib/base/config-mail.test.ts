/** Tests the configuration of the service's mail and of the sites' relay. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ENOUGH, problemsOf, read } from "./config-scene.ts";

const test = suite("readConfig, mail");

test("accepts a sender address with or without a name", () => {
  const smtp = (from: string) => ({ ...ENOUGH, SMTP_HOST: "mail.example", SMTP_FROM: from });
  assert.is(read(smtp("hubs@example.org")).smtp?.from, "hubs@example.org");
  assert.is(read(smtp("Hubs <hubs@example.org>")).smtp?.from, "Hubs <hubs@example.org>");
  for (const wrong of ["hubs", "Hubs <hubs>", "a@b.example, c@d.example", "Hubs\nBcc: x <hubs@example.org>"]) {
    assert.match(problemsOf(smtp(wrong)).join(), /^SMTP_FROM must be an email address/, wrong);
  }
});

test("requires the namespace in the relay's user name, or no user at all", () => {
  const relay = { ...ENOUGH, SPOKE_SMTP_HOST: "relay.example" }, secret = "s".repeat(32);
  assert.is(read({ ...ENOUGH, SMTP_HOST: "mail.example", SMTP_FROM: "hubs@example.org" }).relay, null);
  assert.equal(read(relay).relay, { host: "relay.example", port: 587, user: null, secret: null, from: null });
  const complete = { ...relay, SPOKE_SMTP_USER: "site-${namespace}@example.org", SPOKE_SMTP_SECRET: secret };
  assert.is(read(complete).relay?.user, "site-${namespace}@example.org");
  assert.match(
    problemsOf({ ...complete, SPOKE_SMTP_SECRET: "" }).join(),
    /^SPOKE_SMTP_SECRET is missing: SPOKE_SMTP_USER/,
  );
  assert.match(
    problemsOf({ ...complete, SPOKE_SMTP_USER: "" }).join(),
    /^SPOKE_SMTP_USER is missing: SPOKE_SMTP_SECRET/,
  );
  assert.match(problemsOf({ ...complete, SPOKE_SMTP_HOST: "" }).join(), /^SPOKE_SMTP_HOST is missing: SPOKE_SMTP_USER/);
  assert.match(
    problemsOf({ ...complete, SPOKE_SMTP_SECRET: "short" }).join(),
    /^SPOKE_SMTP_SECRET must have at least 32/,
  );
  for (const user of ["relay", "${slug}", "a b-${namespace}", "${namespace};reboot", "$(x)${namespace}"]) {
    assert.match(problemsOf({ ...complete, SPOKE_SMTP_USER: user }).join(), /^SPOKE_SMTP_USER must contain/, user);
  }
  assert.match(problemsOf({ ...relay, SPOKE_SMTP_HOST: "a b" }).join(), /^SPOKE_SMTP_HOST must be a host name/);
});

test("writes mail to files only in dev without a mail server", () => {
  const SMTP = { SMTP_HOST: "mail.example", SMTP_FROM: "hubs@example.org" };
  assert.is(read(ENOUGH).mailDirectory, null);
  assert.is(read({ DATA_DIR: "/data" }, "dev").mailDirectory, "/data/mail");
  assert.is(read({ DATA_DIR: "/data", ...SMTP }, "dev").mailDirectory, null);
});

test.run();
