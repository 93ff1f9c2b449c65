import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createInstallProgress } from "#lib/moodle/install-progress.ts";

const test = suite("createInstallProgress");
const LOG = [
  "Installing Moodle database...",
  "-->System",
  "++ Success (2.33 seconds) ++",
  "-->mod_quiz",
  "++ Success ++",
];

test("reports the current part, and the total if known", () => {
  assert.equal(LOG.map(createInstallProgress(null).startReading()), [
    null,
    "part 1 (System)",
    null,
    "part 2 (mod_quiz)",
    null,
  ]);
  assert.is(LOG.map(createInstallProgress(431).startReading())[3], "part 2 of 431 (mod_quiz)");
});

test("omits a total that is smaller than the current part", () => {
  assert.equal(LOG.map(createInstallProgress(1).startReading()).filter(Boolean), [
    "part 1 of 1 (System)",
    "part 2 (mod_quiz)",
  ]);
});

test("ignores lines that are read again, and continues after them", () => {
  const { startReading: listen } = createInstallProgress(null);
  LOG.map(listen());
  assert.equal([...LOG, "-->mod_wiki"].map(listen()).filter(Boolean), ["part 3 (mod_wiki)"]);
});

test("returns the total only after the installer has finished", () => {
  const { startReading: listen, totalParts: counted } = createInstallProgress(null), hear = listen();
  LOG.forEach(hear);
  assert.is(counted(), null);
  hear("Installation completed successfully.");
  assert.is(counted(), 2);
});

test("returns no total if the installer had nothing to do", () => {
  const { startReading: listen, totalParts: counted } = createInstallProgress(null), hear = listen();
  for (const line of ["No upgrade needed", "completed successfully"]) hear(line);
  assert.is(counted(), null);
});

test.run();
