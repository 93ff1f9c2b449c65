import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createInstallProgress } from "#lib/moodle/install-progress.ts";

const test = suite("countParts");
const LOG = [
  "Installing Moodle database...",
  "-->System",
  "++ Success (2.33 seconds) ++",
  "-->mod_quiz",
  "++ Success ++",
];

test("tells which part has begun, and of how many where that is known", () => {
  assert.equal(LOG.map(createInstallProgress(null).startReading()), [
    null,
    "part 1 (System)",
    null,
    "part 2 (mod_quiz)",
    null,
  ]);
  assert.is(LOG.map(createInstallProgress(431).startReading())[3], "part 2 of 431 (mod_quiz)");
});

test("tells no number that is smaller than what has begun by now", () => {
  assert.equal(LOG.map(createInstallProgress(1).startReading()).filter(Boolean), [
    "part 1 of 1 (System)",
    "part 2 (mod_quiz)",
  ]);
});

test("tells nothing twice that is read again, and goes on after it", () => {
  const { startReading: listen } = createInstallProgress(null);
  LOG.map(listen());
  assert.equal([...LOG, "-->mod_wiki"].map(listen()).filter(Boolean), ["part 3 (mod_wiki)"]);
});

test("has counted once the installer says that it is done, and not before", () => {
  const { startReading: listen, totalParts: counted } = createInstallProgress(null), hear = listen();
  LOG.forEach(hear);
  assert.is(counted(), null);
  hear("Installation completed successfully.");
  assert.is(counted(), 2);
});

test("counts nothing of an installer that had nothing to do", () => {
  const { startReading: listen, totalParts: counted } = createInstallProgress(null), hear = listen();
  for (const line of ["No upgrade needed", "completed successfully"]) hear(line);
  assert.is(counted(), null);
});

test.run();
