/** Stores the simulated sites' port in DATA_DIR, because the addresses of existing sites contain this port. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FILE = "site-port";

/** Returns the stored port. Null at the first start, or if the file does not contain a valid port. */
export async function readSitePort(dataDir: string): Promise<number | null> {
  const text = await readFile(join(dataDir, FILE), "utf8").catch((error) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const port = /^\d{1,5}\s*$/.test(text) ? Number(text) : 0;
  return port > 0 && port < 65536 ? port : null;
}

export async function writeSitePort(dataDir: string, port: number): Promise<void> {
  await writeFile(join(dataDir, FILE), `${port}\n`, { mode: 0o600 });
}
