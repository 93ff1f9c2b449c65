/** Finds PHP with its PostgreSQL extension, for tests of the blueprint's scripts. */
import { execFileSync } from "node:child_process";

/** The reason to skip such tests, or null if PHP can run them. */
export const missingPhpReason: string | null = readLack();

function readLack(): string | null {
  try {
    const modules = execFileSync("php", ["-m"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return /^pgsql$/m.test(modules) ? null : "php has no extension pgsql";
  } catch {
    return "there is no php";
  }
}
