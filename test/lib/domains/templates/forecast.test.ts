/** Tests the estimate of a template's remaining time. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { estimateTemplateWait, type TemplateCreationTimes } from "#lib/domains/templates/forecast.ts";

const test = suite("estimateTemplateWait");
const UNKNOWN: TemplateCreationTimes = {
  sinceStart: 20,
  usualCreation: null,
  usualInstallation: null,
  ownInstallation: null,
  sinceInstallation: null,
};

for (
  const [what, times, left] of [
    ["nothing was measured", {}, null],
    [
      "the template is expected earlier than an installation would end",
      { usualCreation: 100, usualInstallation: 90 },
      80,
    ],
    ["an installation would end earlier", { usualCreation: 100, usualInstallation: 70 }, null],
    ["no installation was measured", { usualCreation: 100 }, null],
    ["the template takes longer than usual", { usualCreation: 15, usualInstallation: 90 }, null],
    ["the first template is installed", { ownInstallation: 60, sinceInstallation: 10 }, 50],
    ["the first template takes longer than its installation", { ownInstallation: 60, sinceInstallation: 61 }, null],
    [
      "the template takes longer than usual, but was installed recently",
      { usualCreation: 15, usualInstallation: 90, ownInstallation: 60, sinceInstallation: 10 },
      50,
    ],
  ] as const
) {
  test(`returns ${left} if ${what}`, () => {
    assert.is(estimateTemplateWait({ ...UNKNOWN, ...times }), left);
  });
}

test.run();
