/** The factor for each unit suffix in a Kubernetes quantity, such as `500m`, `1Gi`, `2` or `1.5e3`. */
const UNITS = new Map([
  ...["n", "u", "m", "", "k", "M", "G", "T", "P", "E"].map((unit, i) => [unit, 1000 ** (i - 3)] as const),
  ...["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map((unit, i) => [unit, 1024 ** (i + 1)] as const),
]);

/** Parses a Kubernetes quantity. Returns NaN if the quantity is invalid. */
export function parseQuantity(quantity: string): number {
  const match = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([numkMGTPE]?|[KMGTPE]i)$/.exec(quantity.trim());
  return match ? Number(match[1]) * UNITS.get(match[2]!)! : NaN;
}
