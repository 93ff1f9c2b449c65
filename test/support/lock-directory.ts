/** Locks the given directory, reports it, and waits to be killed. */
import { holdDirectory } from "#src/data-directory.ts";

holdDirectory(process.argv[2]!).then((letGo) => {
  console.log("held");
  setInterval(() => letGo, 1000);
});
