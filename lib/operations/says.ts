/** What several operations say of themselves. */
export function staysClosed({ maintenance }: { readonly maintenance: boolean }): string[] {
  return maintenance ? ["The site stays in maintenance, and its scheduled tasks stay paused"] : [];
}
