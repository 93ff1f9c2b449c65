/** Quantities: `250m`, `512Mi`, `1.5Gi`, `2` as numbers, and back. Thousandths are exact: sums are made in them. */

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

export const QUANTITY_RULE =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Thousandths, or null if the text is no quantity. */
export function readQuantity(text: string): number | null {
  const match = SHAPE.exec(text);
  return match ? Math.round(Number(match[1]) * SUFFIXES[match[2]!]!) : null;
}

/** Thousandths of what is known to be a quantity; 0 where none exists. */
export function amount(text: string | undefined): number {
  return text === undefined ? 0 : readQuantity(text) ?? 0;
}

/** As short as it can be said exactly: binary suffixes for what is measured in bytes, `m` for parts of a whole. */
export function writeQuantity(thousandths: number, binary: boolean): string {
  if (thousandths % 1000 !== 0) return `${thousandths}m`;
  const whole = thousandths / 1000;
  if (binary && whole !== 0) {
    for (const [suffix, size] of [["Ti", 1024 ** 4], ["Gi", 1024 ** 3], ["Mi", 1024 ** 2], ["Ki", 1024]] as const) {
      if (whole % size === 0) return `${whole / size}${suffix}`;
    }
  }
  return String(whole);
}

/** Whether this resource is measured in bytes. */
export function isBytes(resource: string): boolean {
  return /memory|storage/.test(resource);
}
