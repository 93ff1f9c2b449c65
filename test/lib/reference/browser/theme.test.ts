import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("theme.css and base.css");
const FOLDER = new URL("../../../../lib/reference/browser/", import.meta.url);
const theme = await readFile(new URL("theme.css", FOLDER), "utf8");
const css = theme + await readFile(new URL("base.css", FOLDER), "utf8");

type Colours = ReadonlyMap<string, string>;

/** The custom properties of the two themes: the first block is the light one, the one in the media query the dark one. */
function read(): { light: Colours; dark: Colours } {
  const colours = (css: string) =>
    new Map([...css.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name!, hex!]));
  const [before = "", after = ""] = theme.split("prefers-color-scheme: dark");
  return { light: colours(before), dark: colours(after) };
}

/** Computes the contrast of two colours from their relative luminance (WCAG 2). */
function contrast(one: string, other: string): number {
  const light = (hex: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [high = 0, low = 0] = [light(one), light(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

const GROUNDS = ["ground", "surface", "sunken"];
const TEXT = ["ink", "ink-soft", "accent", "good", "warn", "bad", "info"];

/** Every text colour on every possible background. */
const PAIRS = [
  ...TEXT.flatMap((text) => GROUNDS.map((ground) => [text, ground] as const)),
  ...["accent", "good", "warn", "bad", "info"].map((text) => [text, `${text}-soft`] as const),
  ...["accent", "good", "warn", "bad"].map((notice) => ["ink", `${notice}-soft`] as const),
  ["on-accent", "accent"] as const,
];

for (const [name, colours] of Object.entries(read())) {
  test(`can be read in ${name}: text has a contrast of 4.5 to what it stands on`, () => {
    const weak = PAIRS.flatMap(([text, ground]) => {
      const ratio = contrast(colours.get(text)!, colours.get(ground)!);
      return ratio >= 4.5 ? [] : [`${text} on ${ground}: ${ratio.toFixed(2)}`];
    });
    assert.equal(weak, []);
  });

  test(`shows in ${name} where a field ends: its edge has a contrast of 3`, () => {
    const weak = GROUNDS.filter((ground) => contrast(colours.get("edge")!, colours.get(ground)!) < 3);
    assert.equal(weak, []);
  });
}

test("defines the same colours for light and dark", () => {
  const { light, dark } = read();
  assert.ok(light.size > 15);
  assert.equal([...light.keys()], [...dark.keys()]);
});

test("uses only properties that it defines", () => {
  const used = [...css.matchAll(/var\(--([\w-]+)\)/g)].map(([, name]) => name!);
  assert.equal(used.filter((name) => !css.includes(`--${name}:`)), []);
});

test("loads nothing from elsewhere", () => {
  assert.not.match(css, /url\(|@import (?!"\.\/)|https?:/);
});

test.run();
