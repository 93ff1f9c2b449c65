/** Finds PHP with its PostgreSQL extension, which tests of the blueprint's scripts need. */
import { execFileSync } from "node:child_process";

/** The reason to skip tests that need PHP; null if PHP and its extension are installed. */
export const missingPhpReason: string | null = readLack();

function readLack(): string | null {
  try {
    const modules = execFileSync("php", ["-m"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return /^pgsql$/m.test(modules) ? null : "php has no extension pgsql";
  } catch {
    return "there is no php";
  }
}
