import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isToken, newToken, TOKEN_SCOPES } from "#lib/drivers/crypto/token.ts";

const test = suite("newToken");

test("starts with a prefix for the scope", () => {
  assert.match(newToken("cli").plaintext, /^ww_cli_[0-9A-Za-z]{49}$/);
  assert.match(newToken("provisioning").plaintext, /^ww_prv_[0-9A-Za-z]{49}$/);
  assert.match(newToken("readonly").plaintext, /^ww_ro_[0-9A-Za-z]{49}$/);
});

test("has the same length for any random number", (context) => {
  void context;
  const original = crypto.getRandomValues;
  try {
    crypto.getRandomValues = (array) => array;
    assert.match(newToken("cli").plaintext, /^ww_cli_0{43}[0-9A-Za-z]{6}$/);
    crypto.getRandomValues = (array) => ((array as unknown as Uint8Array).fill(255), array);
    assert.is(newToken("cli").plaintext.length, 56);
  } finally {
    crypto.getRandomValues = original;
  }
});

test("returns the scope's prefix and four characters as the token's prefix", () => {
  const { plaintext, prefix } = newToken("readonly");
  assert.match(prefix, /^ww_ro_.{4}$/);
  assert.ok(plaintext.startsWith(prefix));
});

test("never returns the same token twice", () => {
  const made = new Set(Array.from({ length: 1000 }, () => newToken("cli").plaintext));
  assert.is(made.size, 1000);
});

test.run();

const checking = suite("isToken");

checking("accepts created tokens", () => {
  for (const scope of TOKEN_SCOPES) {
    for (let i = 0; i < 50; i++) assert.ok(isToken(newToken(scope).plaintext));
  }
});

checking("rejects each mistyped character", () => {
  const { plaintext } = newToken("cli");
  for (let i = 0; i < plaintext.length; i++) {
    const other = plaintext[i] === "A" ? "B" : "A";
    assert.not(isToken(plaintext.slice(0, i) + other + plaintext.slice(i + 1)), `at ${i}`);
  }
});

checking("rejects two swapped characters", () => {
  const { plaintext } = newToken("provisioning");
  for (let i = 0; i < plaintext.length - 1; i++) {
    if (plaintext[i] === plaintext[i + 1]) continue;
    const swapped = plaintext.slice(0, i) + plaintext[i + 1] + plaintext[i] + plaintext.slice(i + 2);
    assert.not(isToken(swapped), `at ${i}`);
  }
});

checking("rejects the prefix of another scope", () => {
  assert.not(isToken(newToken("readonly").plaintext.replace("ww_ro_", "ww_cli_")));
});

checking("rejects other lengths, line breaks and other scripts", () => {
  const { plaintext } = newToken("cli");
  const others = [
    "",
    " ",
    `${plaintext}\n`,
    ` ${plaintext}`,
    plaintext + plaintext,
    "ww_cli_".repeat(2000),
    "ww_cli_٣",
  ];
  for (const text of others) assert.not(isToken(text));
});

checking.run();
