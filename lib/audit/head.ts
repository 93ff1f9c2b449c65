/** Formats and parses chain heads (last hashes), written as `CHAIN:COUNT:HASH` in logs, in files and as arguments. */
import { SYSTEM_CHAIN } from "#lib/audit/chain.ts";
import { isId } from "#lib/base/ids.ts";

export interface ChainHead {
  readonly chain: string;
  /** The number of sealed events, which is at least 1. */
  readonly count: number;
  /** The hash of the chain's last sealed event. */
  readonly hash: string;
}

export function formatChainHead({ chain, count, hash }: ChainHead): string {
  return `${chain}:${count}:${hash}`;
}

/** Parses a chain head such as `CHAIN:COUNT:HASH`. Returns null if the text has a different format. */
export function parseChainHead(text: string): ChainHead | null {
  const [, chain, count, hash] = /^(\w+):([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  return chain && count && hash && isChainName(chain) ? { chain, count: Number(count), hash } : null;
}

export function isChainName(text: string): boolean {
  return text === SYSTEM_CHAIN || isId("fed", text);
}
