import { suite } from "uvu";
import * as assert from "uvu/assert";
import { formatList } from "#lib/base/text.ts";
import {
  createFailure,
  createPass,
  createWarning,
  type FindingSection,
  summarizeFindings,
} from "#lib/doctor/finding.ts";
import { renderFindingSection, renderFindingSummary, renderSectionHeading } from "#lib/doctor/render.ts";

const section = (...findings: FindingSection["findings"]): FindingSection => ({
  target: "cluster",
  name: "prod-eu",
  where: "https://10.0.0.1:6443",
  findings,
});
const BAD = createFailure("storage", "no default storage class exists", "Annotate one.");

const test = suite("renderFindingSection");

test("renders a line per finding, and hints below", () => {
  const text = renderFindingSection(
    section(createPass("version", "Kubernetes v1.33"), createWarning("mail", "none"), BAD),
    false,
  );
  assert.is(
    text,
    `
  Cluster prod-eu  https://10.0.0.1:6443
    ✓ version       Kubernetes v1.33
    ! mail          none
    ✗ storage       no default storage class exists
                    → Annotate one.
`,
  );
});

test("uses colours only if enabled", () => {
  const all = (colours: boolean) =>
    renderSectionHeading("1.2.3", colours) + renderFindingSection(section(BAD), colours) +
    renderFindingSummary(summarizeFindings([]), colours);
  assert.match(all(true), "\x1b[31m✗\x1b[0m");
  assert.not(all(false).includes("\x1b"));
});

test("removes control characters and line breaks from messages, and cuts them", () => {
  const evil = `a\x1b[2J\r\nb\u2028c\x9b31m${"d".repeat(1000)}`;
  const text = renderFindingSection(section(createWarning("mail", evil, evil)), false);
  // deno-lint-ignore no-control-regex
  assert.not(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028]/.test(text));
  assert.is(text.split("\n").length, 5);
  assert.ok(text.length < 1200);
});

const summary = suite("summarizeFindings");

summary("counts problems, or else warnings", () => {
  const sentence = (...findings: FindingSection["findings"]) => summarizeFindings([section(...findings)]).sentence;
  assert.is(sentence(createPass("a", "b")), "Ready");
  assert.is(sentence(createWarning("a", "b")), "Ready, with 1 warning");
  assert.is(sentence(createWarning("a", "b"), createWarning("c", "d")), "Ready, with 2 warnings");
  assert.is(sentence(BAD, createWarning("a", "b")), "Not ready: 1 problem");
  assert.is(summarizeFindings([section(BAD), section(BAD, BAD)]).sentence, "Not ready: 3 problems");
});

const words = suite("formatList");

words("joins the last word with and", () => {
  assert.equal([formatList([]), formatList(["a"]), formatList(["a", "b"]), formatList(["a", "b", "c"])], [
    "",
    "a",
    "a and b",
    "a, b and c",
  ]);
});

test.run();
summary.run();
words.run();
