/** Locks the given data directory, prints a line after locking, and waits until this process is killed. */
import { lockDataDirectory } from "#src/data-directory.ts";

lockDataDirectory(process.argv[2]!).then((letGo) => {
  console.log("held");
  setInterval(() => letGo, 1000);
});
