/**
 * Starts src/main.ts from its sources. Node loads 40 ms of compiler for the first TypeScript that it meets, unless what it
 * compiled before is looked for first: so this is no TypeScript. Deno, and whoever names src/main.ts, do without it.
 */
import module from "node:module";
import { fileURLToPath } from "node:url";

module.enableCompileCache?.(fileURLToPath(new URL("../node_modules/.cache/wheelwright", import.meta.url)));
await import("./main.ts");
