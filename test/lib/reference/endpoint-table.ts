/** Lists the API, one line per endpoint, so that changes are visible in reviews. */
import { HTTP_METHODS, type Manifest } from "#lib/http/endpoint.ts";

/** Returns method, URL, access, scope and own faults of each endpoint, in columns. */
export function endpointTable(manifest: Manifest): string {
  return columns(
    rowsOf(manifest).map(({ method, pattern, endpoint }) => [
      method,
      pattern,
      endpoint.access.name,
      endpoint.scope,
      (endpoint.faults ?? []).join(", ") || "-",
    ]),
  );
}

/** Lists the public endpoints, which need careful review. */
export function publicEndpointTable(manifest: Manifest): string {
  const rows = rowsOf(manifest).filter(({ endpoint }) => endpoint.access.name === "anyone");
  return columns(rows.map(({ method, pattern, endpoint }) => [method, pattern, endpoint.scope]));
}

function rowsOf(manifest: Manifest) {
  return manifest.flatMap(([pattern, module]) =>
    HTTP_METHODS.flatMap((method) => {
      const endpoint = module[method];
      return endpoint ? [{ method, pattern, endpoint }] : [];
    })
  );
}

function columns(rows: readonly (readonly string[])[]): string {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]!.length));
  return rows.map((row) => row.map((cell, i) => cell.padEnd(width(i))).join("  ").trimEnd() + "\n").join("");
}
