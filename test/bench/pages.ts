/** Compares the cost of portal pages with the API responses that they show. Uses a hub of 500 spokes, 10,000 events and
 * one reader at a time, without sockets. Run `npm run bench -- pages`; compare only ratios of one run. */
import { parseArgs } from "node:util";
import { insertManyEvents, insertManySpokes } from "#test/support/bulk-rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const { values: { smoke } } = parseArgs({ options: { smoke: { type: "boolean", default: false } } });
const [ROUNDS, WARM] = smoke ? [2, 0] : [60, 15];

interface Measured {
  readonly ms: number;
  readonly bytes: number;
}

const scene = await openScene();
await insertManySpokes(scene, 500);
await insertManyEvents(scene.db, scene, 10_000);

/** Each page with the API request for its main content. */
const PAGES: readonly (readonly [page: string, api: string])[] = [
  ["/hubs", "/api/federations?limit=50"],
  [`/hubs/${scene.hub}`, `/api/federations/${scene.hub}/spokes?limit=50`],
  [`/hubs/${scene.hub}/spokes/new`, "/api/catalog"],
  [`/spokes/${scene.spoke}`, `/api/spokes/${scene.spoke}`],
  [`/spokes/${scene.spoke}/activity`, `/api/spokes/${scene.spoke}/activity?limit=50`],
  ["/audit", "/api/audit?limit=50"],
  ["/notifications", "/api/notifications?limit=50"],
  ["/account", "/api/auth/me"],
];

console.log(`${"page".padEnd(24)}      ms      KB   compared to the API response`);
for (const [page, api] of PAGES) {
  const pageResult = await measure(scene, page), apiResult = await measure(scene, api);
  const name = page.replaceAll(scene.hub, "ID").replaceAll(scene.spoke, "ID").padEnd(24);
  const [ms, kilobytes] = [pageResult.ms.toFixed(1).padStart(8), (pageResult.bytes / 1000).toFixed(1).padStart(8)];
  console.log(
    `${name}${ms}${kilobytes}   ${(pageResult.ms / apiResult.ms).toFixed(1)} times the ${apiResult.ms.toFixed(1)} ms`,
  );
}
await scene.close();

/** Returns the median of many sequential requests. */
async function measure(scene: Scene, path: string): Promise<Measured> {
  const headers = await scene.as("operator").credentials(), times: number[] = [];
  let bytes = 0;
  for (let i = 0; i < WARM + ROUNDS; i++) {
    const began = performance.now(), { status, body } = await scene.send(path, { headers });
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    if (i >= WARM) times.push(performance.now() - began);
    bytes = Buffer.byteLength(typeof body === "string" ? body : JSON.stringify(body));
  }
  return { ms: times.sort((a, b) => a - b)[ROUNDS / 2]!, bytes };
}
