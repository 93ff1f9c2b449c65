/**
 * Implements `wheelwright audit heads`, which prints the audit log's seals (hashes), and `wheelwright audit verify`,
 * which checks the log against these seals.
 *
 * Store the printed hashes where no database user can change the hashes. Only then do the hashes prove that the audit
 * log is unchanged. The service also writes the hashes to its own log.
 */
import { readFile } from "node:fs/promises";
import { decodeUtf8 } from "#lib/base/utf8.ts";
import { sql } from "kysely";
import { type ChainHead, formatChainHead, isChainName, parseChainHead } from "#lib/audit/chain.ts";
import { listChains, readChainSeals } from "#lib/audit/seals.ts";
import { verifyChain } from "#lib/audit/verify.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { getErrorMessage } from "#lib/base/errors.ts";
import { renderVerificationJson, renderVerificationText } from "./audit-report.ts";
import type { OptionValues } from "../cli/command.ts";
import { withDatabase } from "./database.ts";
import type { AUDIT_VERIFY_OPTIONS } from "./options.ts";
import { CommandError, EXIT, UsageError } from "../cli/exit-status.ts";

type Options = OptionValues<typeof AUDIT_VERIFY_OPTIONS>;

/** Prints the newest hash of each chain, or of one chain: a hub's ID, or `system`. */
export async function showAuditHeads({ chain, json }: Options): Promise<void> {
  requireChainName(chain);
  const seals = await withAuditLog((db) => readChainSeals(db.rows));
  const matching = seals.filter((seal) => chain === undefined || seal.chain === chain);
  if (json) {
    const entries = matching.map(({ chain, count, hash, sealedAt }) => ({ chain, count, hash, sealedAt }));
    process.stdout.write(`${JSON.stringify(entries)}\n`);
  } else process.stdout.write(matching.map((seal) => `${formatChainHead(seal)}\n`).join(""));
  if (matching.length === 0) {
    process.stderr.write("No audit events have a hash yet. A running replica hashes new events every few minutes\n");
  }
}

/** Verifies all chains or one chain, also against the heads in `against`. */
export async function verifyAuditLog({ against, ...options }: Options): Promise<void> {
  requireChainName(options.chain);
  const heads = against && await readHeads(against, options.chain);
  await withAuditLog((db) => verify(db, heads, options));
}

function requireChainName(chain: string | undefined): void {
  if (chain === undefined || isChainName(chain)) return;
  throw new UsageError(`--chain must be "system" or the ID of a hub, not "${chain}"`);
}

async function verify(
  db: Database,
  heads: readonly ChainHead[] | undefined,
  { chain, json }: Options,
): Promise<void> {
  // Includes exported chains that are missing from the database, so that deleted chains are reported.
  const exported = Map.groupBy(heads ?? [], (head) => head.chain);
  const all = [...new Set([...await listChains(db.rows), ...exported.keys()])].sort();
  const chains = chain === undefined ? all : all.filter((one) => one === chain);
  if (chain !== undefined && chains.length === 0) {
    throw new UsageError(`This database has no audit chain ${chain}`);
  }
  const verifications = [];
  for (const one of chains) verifications.push(await verifyChain(db, one, exported.get(one) ?? []));
  process.stdout.write(
    json ? renderVerificationJson(verifications) : renderVerificationText(verifications, heads ? "exported" : "seals"),
  );
  const wrong = verifications.filter(({ problems }) => problems.length > 0);
  if (wrong.length > 0) {
    throw new CommandError(EXIT.failed, `The audit log does not match: ${wrong.map((one) => one.chain).join(", ")}`);
  }
}

/**
 * Reads heads (exported hashes) from the arguments: each argument is a head, or a file with one head per line. Throws a
 * CommandError for an invalid line, because skipping the line would leave a chain unchecked.
 */
async function readHeads(sources: readonly string[], chain: string | undefined): Promise<ChainHead[]> {
  const heads = (await Promise.all(sources.map(readHeadOrFile))).flat();
  const of = chain === undefined ? heads : heads.filter((head) => head.chain === chain);
  if (of.length > 0) return of;
  throw new UsageError(`--against contains no head${chain === undefined ? "" : ` of ${chain}`}`);
}

async function readHeadOrFile(word: string): Promise<ChainHead[]> {
  const lone = parseChainHead(word);
  return lone ? [lone] : await readHeadFile(word);
}

async function readHeadFile(file: string): Promise<ChainHead[]> {
  const text = await readFile(file).then(decodeUtf8).catch((cause) => {
    const message = `--against ${file} is neither a head (CHAIN:COUNT:HASH) nor a readable file`;
    throw new UsageError(`${message}: ${getErrorMessage(cause)}`, { cause });
  });
  return text.split("\n").flatMap((raw, i) => {
    const line = raw.trim();
    if (line === "") return [];
    const head = parseChainHead(line);
    if (head) return [head];
    throw new UsageError(`Line ${i + 1} of ${file} is not a head (CHAIN:COUNT:HASH)`);
  });
}

async function withAuditLog<T>(work: (db: Database) => Promise<T>): Promise<T> {
  return await withDatabase(async (db) => {
    const { rows: [row] } = await sql<{ there: boolean }>`
      select to_regclass('audit_counts') is not null as there`.execute(db.rows);
    if (row!.there) return await work(db);
    throw new CommandError(EXIT.unavailable, "The database schema is out of date. Run 'wheelwright migrate'");
  });
}
