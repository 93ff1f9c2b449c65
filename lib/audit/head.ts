/** Formats and parses chain heads. The format is `CHAIN:COUNT:HASH` in logs, on the command line and in files. */
import { SYSTEM_CHAIN } from "#lib/audit/chain.ts";
import { isId } from "#lib/base/ids.ts";

export interface ChainHead {
  readonly chain: string;
  /** The number of sealed events; at least 1. */
  readonly count: number;
  /** The hash of the last sealed event. */
  readonly hash: string;
}

export function formatHead({ chain, count, hash }: ChainHead): string {
  return `${chain}:${count}:${hash}`;
}

/** Parses a head. Returns null for any other text. */
export function parseHead(text: string): ChainHead | null {
  const [, chain, count, hash] = /^(\w+):([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  return chain && count && hash && isChainName(chain) ? { chain, count: Number(count), hash } : null;
}

export function isChainName(text: string): boolean {
  return text === SYSTEM_CHAIN || isId("fed", text);
}
