/** Money as people write it. */

/** An amount in minor units of its currency, of which each has as many as it has: 1900 EUR is €19.00, 1900 JPY is ¥1,900. */
export function money(minor: number, currency: string): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 0));
}
