/** Amounts as people write them. */

/** An amount in minor units of its currency, of which each has as many as it has: 1900 EUR is €19.00, 1900 JPY is ¥1,900. */
export function money(minor: number, currency: string): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 0));
}

/** What Kubernetes calls `50Gi`: 50 GiB. */
export function bytes(quantity: string): string {
  return quantity.replace(/^([\d.]+)([KMGT]i)$/, "$1 $2B");
}

/** `5900m`, thousandths of a processor: 5.9. */
export function cpus(quantity: string): string {
  return quantity.endsWith("m") ? String(Number(quantity.slice(0, -1)) / 1000) : quantity;
}
