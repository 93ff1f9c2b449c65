/** Tests how full disks are, when they are full, and when users are notified. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DAY } from "#lib/base/time.ts";
import { computeStorage, decideStorageWarning, findFullestDisk, predictFullAt } from "#lib/domains/usage/storage.ts";
import { describeStorage, formatBytes } from "#lib/domains/usage/words.ts";
import { parseUsageLine } from "#lib/moodle/usage-line.ts";

const test = suite("the storage of a site");
const GIB = 2 ** 30, SIZES = { files: 10 * GIB, database: 5 * GIB };

function lineOf(more: object) {
  return parseUsageLine(JSON.stringify({ usage: 1, at: 1_795_000_000, ...more }))!;
}

test("counts the file system if it is about as large as the disk", () => {
  const { filesUsed, filesSize } = computeStorage(lineOf({ disk: 9 * GIB, diskUsed: 4 * GIB, content: GIB }), SIZES);
  assert.equal([filesUsed, filesSize], [4 * GIB, 9 * GIB]);
});

test("counts the files if the volume is a folder on a larger disk", () => {
  const shared = { disk: 500 * GIB, diskUsed: 400 * GIB };
  const { filesUsed, filesSize } = computeStorage(lineOf({ ...shared, content: GIB, folders: 2 * GIB }), SIZES);
  assert.equal([filesUsed, filesSize], [2 * GIB, 10 * GIB]);
  assert.is(computeStorage(lineOf({ ...shared, content: 3 * GIB, folders: 2 * GIB }), SIZES).filesUsed, 3 * GIB);
  assert.is(computeStorage(lineOf(shared), SIZES).filesUsed, null);
});

test("adds the write-ahead log to the database, and takes the fuller disk", () => {
  const storage = computeStorage(lineOf({ content: GIB, database: 2 * GIB, databaseLog: GIB }), SIZES);
  assert.equal(findFullestDisk(storage), { disk: "database", percent: 60 });
  assert.equal(findFullestDisk({ ...storage, databaseUsed: null }), { disk: "files", percent: 10 });
  assert.is(findFullestDisk({ ...storage, databaseUsed: null, filesUsed: null }), null);
  assert.equal(findFullestDisk({ ...storage, databaseUsed: 9 * GIB }), { disk: "database", percent: 100 });
});

test("warns at 80, 90 and 95 percent once, and again after five points less", () => {
  const follow = (...percents: number[]): (number | null)[] => {
    let warned = 0;
    return percents.map((percent) => {
      const { warnedPercent, crossed } = decideStorageWarning(warned, percent);
      warned = warnedPercent;
      return crossed;
    });
  };
  assert.equal(follow(79, 80, 81, 90, 95, 100), [null, 80, null, 90, 95, null]);
  assert.equal(follow(100, 95, 91, 95), [95, null, null, null]);
  assert.equal(follow(95, 90, 95), [95, null, 95]);
  assert.equal(follow(80, 76, 80, 75, 80), [80, null, null, null, 80]);
  assert.equal(follow(96, 10, 85, 90), [95, null, 80, 90]);
});

test("predicts the day from a straight line through the samples", () => {
  const at = (day: number, used: number) => ({ at: new Date(day * DAY), used });
  assert.equal(predictFullAt([at(0, 10), at(1, 20), at(2, 30)], 100), new Date(9 * DAY));
  assert.equal(predictFullAt([at(0, 10), at(1, 30), at(2, 20), at(3, 40)], 100), new Date((3 + 60 / 8) * DAY));
  for (
    const none of [
      [],
      [at(0, 10)],
      [at(0, 10), at(0.5, 50)],
      [at(0, 30), at(1, 30)],
      [at(0, 30), at(2, 10)],
      [at(0, 1000), at(2, 1001)],
    ]
  ) assert.is(predictFullAt(none, 5000), null);
  assert.equal(predictFullAt([at(0, 90), at(1, 110)], 100), new Date(DAY), "a disk that is full already");
});

test("is described in words", () => {
  assert.equal([0, 1023, 1024, 38_000_000, 8.1 * GIB, 2 ** 50].map(formatBytes), [
    ...["0 bytes", "1023 bytes", "1 KiB", "36 MiB", "8.1 GiB", "1 PiB"],
  ]);
  const files = { disk: "files", used: 8 * GIB, size: 10 * GIB } as const;
  assert.is(describeStorage({ ...files, fullAt: null }), "The files use 8 GiB of 10 GiB");
  assert.is(
    describeStorage({ disk: "database", used: GIB, size: 5 * GIB, fullAt: new Date("2026-12-03") }),
    "The database uses 1 GiB of 5 GiB. At the present growth, the disk is full on 3 December 2026",
  );
});

test.run();
