import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findPasswordProblem } from "#lib/drivers/crypto/password-rules.ts";

const test = suite("findPasswordProblem");

test("requires 12 to 256 characters, whatever their size in bytes", () => {
  assert.match(findPasswordProblem("elevenchars") ?? "", "12 to 256");
  assert.is(findPasswordProblem("twelve-chars"), null);
  assert.match(findPasswordProblem("🔑🗝🚪🪟🏠🌳🌊🌙⭐🔥🎈") ?? "", "12 to 256");
  assert.is(findPasswordProblem("🔑🗝🚪🪟🏠🌳🌊🌙⭐🔥🎈🎁"), null);
  assert.is(findPasswordProblem("ab1-".repeat(63) + "tail"), null);
  assert.match(findPasswordProblem("ab1-".repeat(63) + "tails") ?? "", "12 to 256");
});

test("accepts any characters: spaces, any script, only letters", () => {
  for (
    const password of [
      "a few plain words",
      "только русские буквы",
      "我们都喜欢长密码因为它们很安全",
      "\ttab and\nnewline\u0007",
    ]
  ) {
    assert.is(findPasswordProblem(password), null);
  }
});

test("rejects common passwords in any case", () => {
  for (const password of ["password1234", "PassWord1234", "qwertyuiop123", "1q2w3e4r5t6y", "administrator"]) {
    assert.match(findPasswordProblem(password) ?? "", "common password");
  }
});

test("rejects repeated parts and character sequences", () => {
  for (const password of ["aaaaaaaaaaaa", "moodle!moodle!", "🔑".repeat(12), "bcdefghijklmno", "987654321098765"]) {
    assert.match(findPasswordProblem(password) ?? "", "pattern");
  }
});

test("rejects the account's address and its local part, with any symbols around it", () => {
  const email = "ann.smith@school.example.org";
  for (
    const password of [
      email,
      "Ann.Smith@School.example.ORG",
      "ann.smith@school.example.org1!",
      "ann.smith1234",
      "  **ANN.SMITH** ",
    ]
  ) {
    assert.match(findPasswordProblem(password, email) ?? "", "email address");
    assert.is(findPasswordProblem(password), null, "nobody's address");
  }
  assert.match(findPasswordProblem("4711008150177", "4711008150177@school.example.org") ?? "", "email address");
});

test("accepts passwords that only start with the address or contain a part of it", () => {
  for (const password of ["ann.smith is not my password", "school.example.org", "mrs ann.smith", "93 71 04 66 28"]) {
    assert.is(findPasswordProblem(password, "ann.smith@school.example.org"), null);
  }
  assert.is(findPasswordProblem("93 71 04 66 28", "4711@school.example.org"), null);
});

test("rejects malformed text", () => {
  assert.match(findPasswordProblem("half a pair \ud83d") ?? "", "well-formed");
  assert.match(findPasswordProblem("a zero\0 in here") ?? "", "well-formed");
});

test.run();
