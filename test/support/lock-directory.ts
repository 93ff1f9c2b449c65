/** Locks the given directory, prints a line once it is locked, and waits until this process is killed. */
import { lockDataDirectory } from "#src/data-directory.ts";

lockDataDirectory(process.argv[2]!).then((letGo) => {
  console.log("held");
  setInterval(() => letGo, 1000);
});
