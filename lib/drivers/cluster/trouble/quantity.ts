/** Amounts as Kubernetes writes them: `500m`, `1Gi`, `2`, `1.5e3`. */
const UNITS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The amount as a number, or NaN if it is not written as one. */
export function amountOf(quantity: string): number {
  const match = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([numkMGTPE]?|[KMGTPE]i)$/.exec(quantity.trim());
  return match ? Number(match[1]) * UNITS[match[2]!]! : NaN;
}
