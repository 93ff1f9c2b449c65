/** Formats prices and resource quantities. */

/** Formats a price, given in the currency's smallest unit: 1900 EUR becomes €19.00, 1900 JPY becomes ¥1,900. */
export function formatPrice(minor: number, currency: string): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 0));
}

/** Formats a Kubernetes storage quantity: `50Gi` becomes 50 GiB. */
export function formatStorage(quantity: string): string {
  return quantity.replace(/^([\d.]+)([KMGT]i)$/, "$1 $2B");
}

/** Formats a Kubernetes CPU quantity: `5900m` becomes 5.9. */
export function formatCpus(quantity: string): string {
  return quantity.endsWith("m") ? String(Number(quantity.slice(0, -1)) / 1000) : quantity;
}
