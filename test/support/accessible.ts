/** Checks a page's accessibility with the axe library, and whether the page fits on a narrow screen. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const axe = readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

interface Finding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

type RuleSelection = { readonly type: "tag" | "rule"; readonly values: readonly string[] };

const ALL: RuleSelection = { type: "tag", values: TAGS },
  COLOURS: RuleSelection = { type: "rule", values: ["color-contrast"] };

/** Returns the accessibility problems in the page's current state, as text. Empty if the page has no problem. */
export async function findAccessibilityProblems(page: Page, runOnly: RuleSelection = ALL): Promise<readonly string[]> {
  if (!await page.evaluate("'axe' in window")) await page.evaluate(await axe);
  const options = JSON.stringify({ resultTypes: ["violations"], runOnly });
  // Returns only the needed fields, because axe's complete result is ten times as large and takes two seconds.
  const violations = await page.evaluate<Finding[]>(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  );
  return violations.map(({ id, help, nodes: [first, ...others] }) =>
    `${id}: ${help}\n  ${first?.html}\n  ${first?.failureSummary.split("\n")[1]?.trim()}, and ${others.length} more`
  );
}

/** Checks the page in both colour schemes, on a wide and a narrow screen, and for horizontal overflow at 320 px. */
export async function findAllAccessibilityProblems(page: Page): Promise<readonly string[]> {
  const found = new Map<string, string>();
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      for (const barrier of await findAccessibilityProblems(page, colorScheme === "light" ? ALL : COLOURS)) {
        found.set(barrier, `${colorScheme}, ${width} px: ${barrier}`);
      }
    }
  }
  await page.setViewportSize({ width: 320, height: 900 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  await page.setViewportSize({ width: 1280, height: 900 });
  return [...found.values(), ...(wide > 320 ? [`the page is ${wide} px wide on a screen of 320 px`] : [])];
}
