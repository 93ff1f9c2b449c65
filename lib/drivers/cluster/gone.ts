/** Waits until objects that were deleted are gone, and tells which finalizers hold those that are not. */
import type { Call, Ref, Waiting } from "#lib/drivers/cluster/cluster.ts";
import type { ReadySite } from "#lib/drivers/cluster/ready.ts";
import { type Seen, waitFor } from "#lib/drivers/cluster/wait.ts";

export async function waitUntilGone(site: ReadySite, refs: readonly Ref[], waiting: Waiting): Promise<void> {
  if (refs.length === 0) return;
  const look = async (call: Call): Promise<Seen<undefined>> => {
    await site.guard.read(call);
    const found = await Promise.all(refs.map((ref) => site.objects.get(ref, site.namespace, call)));
    const left = found.filter((object) => object !== null).map(({ kind, metadata: { name, finalizers = [] } }) =>
      `${kind} ${name}${finalizers.length > 0 ? ` (held by ${finalizers.join(", ")})` : ""}`
    );
    return left.length === 0 ? { done: undefined } : { sentence: `Still to go: ${left.join(", ")}` };
  };
  const hints = async (call: Call) => {
    const paths = await Promise.all(refs.map((ref) => site.objects.collection(ref, site.namespace, call)));
    return [...new Set(paths)].map((path) => ({ path }));
  };
  const what = `Removing ${refs.map(({ kind, name }) => `${kind} ${name}`).join(", ")}`;
  await waitFor({ ...site, what, hints, look }, waiting);
}
