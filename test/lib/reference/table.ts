/** The surface of the API at a glance, a line an endpoint: a change to it shows as a changed line in a review. */
import { type Manifest, METHODS } from "#lib/http/endpoint.ts";

/** Method, URL, access, scope and the faults that are the endpoint's own, in columns. */
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

/** The endpoints that let in everybody: a list to be looked at twice. */
export function unguardedTable(manifest: Manifest): string {
  const rows = rowsOf(manifest).filter(({ endpoint }) => endpoint.access.name === "anyone");
  return columns(rows.map(({ method, pattern, endpoint }) => [method, pattern, endpoint.scope]));
}

function rowsOf(manifest: Manifest) {
  return manifest.flatMap(([pattern, module]) =>
    METHODS.flatMap((method) => {
      const endpoint = module[method];
      return endpoint ? [{ method, pattern, endpoint }] : [];
    })
  );
}

function columns(rows: readonly (readonly string[])[]): string {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]!.length));
  return rows.map((row) => row.map((cell, i) => cell.padEnd(width(i))).join("  ").trimEnd() + "\n").join("");
}
