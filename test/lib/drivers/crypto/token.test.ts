import { readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createApiToken, isApiToken, TOKEN_SCOPES } from "#lib/drivers/crypto/token.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const test = suite("createApiToken");

test("starts with a prefix for the scope", () => {
  assert.match(createApiToken("cli").plaintext, /^ww_cli_[0-9A-Za-z]{49}$/);
  assert.match(createApiToken("provisioning").plaintext, /^ww_prv_[0-9A-Za-z]{49}$/);
  assert.match(createApiToken("readonly").plaintext, /^ww_ro_[0-9A-Za-z]{49}$/);
});

test("has the same length for any random number", (context) => {
  void context;
  const original = crypto.getRandomValues;
  try {
    crypto.getRandomValues = (array) => array;
    assert.match(createApiToken("cli").plaintext, /^ww_cli_0{43}[0-9A-Za-z]{6}$/);
    crypto.getRandomValues = (array) => ((array as unknown as Uint8Array).fill(255), array);
    assert.is(createApiToken("cli").plaintext.length, 56);
  } finally {
    crypto.getRandomValues = original;
  }
});

test("returns the scope's prefix and four characters as the token's prefix", () => {
  const { plaintext, prefix } = createApiToken("readonly");
  assert.match(prefix, /^ww_ro_.{4}$/);
  assert.ok(plaintext.startsWith(prefix));
});

test("fits the pattern and the checksum that SECURITY.md gives to secret scanners", async () => {
  const text = await readFile(new URL("../../../../SECURITY.md", import.meta.url), "utf8");
  const pattern = new RegExp(/`(\\bww_.+?\\b)`/.exec(text)![1]!);
  for (const scope of TOKEN_SCOPES) {
    const { plaintext } = createApiToken(scope), [found] = pattern.exec(`token: "${plaintext}",`)!;
    assert.is(found, plaintext);
    let sum = crc32(plaintext.slice(0, -6)), digits = "";
    for (; digits.length < 6; sum = Math.floor(sum / 62)) digits = DIGITS[sum % 62] + digits;
    assert.is(plaintext.slice(-6), digits);
  }
});

test("never returns the same token twice", () => {
  const made = new Set(Array.from({ length: 1000 }, () => createApiToken("cli").plaintext));
  assert.is(made.size, 1000);
});

test.run();

const checking = suite("isApiToken");

checking("accepts created tokens", () => {
  for (const scope of TOKEN_SCOPES) {
    for (let i = 0; i < 50; i++) assert.ok(isApiToken(createApiToken(scope).plaintext));
  }
});

checking("rejects each mistyped character", () => {
  const { plaintext } = createApiToken("cli");
  for (let i = 0; i < plaintext.length; i++) {
    const other = plaintext[i] === "A" ? "B" : "A";
    assert.not(isApiToken(plaintext.slice(0, i) + other + plaintext.slice(i + 1)), `at ${i}`);
  }
});

checking("rejects two swapped characters", () => {
  const { plaintext } = createApiToken("provisioning");
  for (let i = 0; i < plaintext.length - 1; i++) {
    if (plaintext[i] === plaintext[i + 1]) continue;
    const swapped = plaintext.slice(0, i) + plaintext[i + 1] + plaintext[i] + plaintext.slice(i + 2);
    assert.not(isApiToken(swapped), `at ${i}`);
  }
});

checking("rejects the prefix of another scope", () => {
  assert.not(isApiToken(createApiToken("readonly").plaintext.replace("ww_ro_", "ww_cli_")));
});

checking("rejects other lengths, line breaks and other scripts", () => {
  const { plaintext } = createApiToken("cli");
  const others = [
    "",
    " ",
    `${plaintext}\n`,
    ` ${plaintext}`,
    plaintext + plaintext,
    "ww_cli_".repeat(2000),
    "ww_cli_٣",
  ];
  for (const text of others) assert.not(isApiToken(text));
});

checking.run();
