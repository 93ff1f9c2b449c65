/** Parses and formats quantities such as `250m`, `512Mi` and `2`. Calculates in thousandths, so that sums are exact. */

const SUFFIXES: Record<string, number> = {
  "": 1000,
  n: 1e-6,
  u: 1e-3,
  m: 1,
  k: 1e6,
  M: 1e9,
  G: 1e12,
  T: 1e15,
  P: 1e18,
  Ki: 1000 * 1024,
  Mi: 1000 * 1024 ** 2,
  Gi: 1000 * 1024 ** 3,
  Ti: 1000 * 1024 ** 4,
  Pi: 1000 * 1024 ** 5,
};

const SHAPE = /^([+-]?[0-9]+(?:\.[0-9]*)?|[+-]?\.[0-9]+)(n|u|m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi|)$/;

export const QUANTITY_FORMAT_MESSAGE =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Parses a quantity. Returns it in thousandths, or null if the text is invalid. */
export function parseMilliQuantity(text: string): number | null {
  const match = SHAPE.exec(text);
  return match ? Math.round(Number(match[1]) * SUFFIXES[match[2]!]!) : null;
}

/** Converts a valid quantity to thousandths. Returns 0 if the text is undefined. */
export function parseMilliQuantityOrZero(text: string | undefined): number {
  return text === undefined ? 0 : parseMilliQuantity(text) ?? 0;
}

/** Formats a quantity without rounding. If `binary` is set, uses a suffix such as `Mi` to shorten it, if possible. */
export function formatMilliQuantity(thousandths: number, binary: boolean): string {
  if (thousandths % 1000 !== 0) return `${thousandths}m`;
  const wholeUnits = thousandths / 1000;
  if (binary && wholeUnits !== 0) {
    for (const [suffix, size] of [["Ti", 1024 ** 4], ["Gi", 1024 ** 3], ["Mi", 1024 ** 2], ["Ki", 1024]] as const) {
      if (wholeUnits % size === 0) return `${wholeUnits / size}${suffix}`;
    }
  }
  return String(wholeUnits);
}

export function isByteResource(resource: string): boolean {
  return /memory|storage/.test(resource);
}
