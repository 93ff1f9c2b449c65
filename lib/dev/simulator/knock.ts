/**
 * `pg_isready` from one pod at others: what doctor looks at the network with. The script asks both addresses of its
 * environment each second and prints what it was answered; here it is asked once, for nothing changes meanwhile.
 */
import { isReady } from "#lib/dev/simulator/controllers/pod-status.ts";
import { mayConnect } from "#lib/dev/simulator/network.ts";
import type { KubeObject } from "#lib/dev/simulator/object.ts";
import type { Context, Run } from "#lib/dev/simulator/program.ts";

const PORT = 5432;
const ACCEPTING = 0, SILENT = 2; // exit codes of pg_isready
/** More than the script waits for the same answer. */
const ROUNDS = 5;

export function knock({ world, pod, env }: Context): Run {
  const pods = world.store.list("Pod", pod.metadata.namespace);
  const ask = (address: string | undefined): number => {
    const to = pods.find((each: KubeObject) => each.status?.podIP === address && isReady(each));
    return to && mayConnect(world, pod, to, PORT) ? ACCEPTING : SILENT;
  };
  const line = `open=${ask(env.OPEN)} closed=${ask(env.CLOSED)}`;
  return { lines: Array.from({ length: ROUNDS }, () => line), exit: 0 };
}
