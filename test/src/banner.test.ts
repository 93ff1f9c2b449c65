/** Tests the banner of `wheelwright dev`. */
import { existsSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type BannerData, renderBanner } from "#src/banner.ts";

const test = suite("renderBanner");

const GREETING: BannerData = {
  version: "1.2.3",
  url: "http://localhost:3000",
  email: "ada@school.example",
  password: "abcde-fghij",
  database: "embedded",
  cluster: "simulated",
  colours: false,
};

test("shows the password at the first start, and commands without the password", () => {
  const text = renderBanner(GREETING);
  assert.match(text, /Password +abcde-fghij/);
  assert.is(text.match(/abcde-fghij/g)!.length, 1);
  assert.ok(existsSync(new URL("../../src/wheelwright.js", import.meta.url)));
  assert.match(
    text,
    /^ +alias wheelwright="\$PWD\/src\/wheelwright\.js"\n +wheelwright login http:\/\/localhost:3000 --email ada@school\.example$/m,
  );
});

test("explains at later starts how to reset the password", () => {
  const text = renderBanner({ ...GREETING, password: null });
  assert.match(text, /Password +set at the first start/);
  assert.match(text, /^ +npm run wheelwright -- admin reset-password ada@school\.example$/m);
});

test("contains no escape sequences without a terminal", () => {
  assert.not(renderBanner(GREETING).includes("\u001b"));
  assert.ok(renderBanner({ ...GREETING, colours: true }).includes("\u001b["));
});

test.run();
