/** Locks the given directory, reports it, and waits to be killed. */
import { lockDataDirectory } from "#src/data-directory.ts";

lockDataDirectory(process.argv[2]!).then((letGo) => {
  console.log("held");
  setInterval(() => letGo, 1000);
});
