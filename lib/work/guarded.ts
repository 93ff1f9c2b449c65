/**
 * A cluster for one run: before each call the run is asked whether it still may.
 *
 * A process that was stopped and goes on does not know that its job was given to another. Objects are applied one at a
 * time, so that it is asked before each of them.
 */
import type { Call, Cluster, KubeObject, Space } from "#lib/cluster/cluster.ts";

type Check = () => void;

export function guardCluster(cluster: Cluster, check: Check): Omit<Cluster, "close"> {
  return {
    name: cluster.name,
    createNamespace: guarded(check, cluster.createNamespace),
    findNamespace: guarded(check, cluster.findNamespace),
    find: guarded(check, cluster.find),
    identity: guarded(check, cluster.identity),
    space: (namespace, uid) => guardSpace(cluster.space(namespace, uid), check),
    async applyGlobal(objects, call) {
      for (const object of objects) {
        check();
        await cluster.applyGlobal([object], call);
      }
    },
    patchGlobal: guarded(check, cluster.patchGlobal),
    serves: guarded(check, cluster.serves),
    listAll: guarded(check, cluster.listAll),
    listUnder: guarded(check, cluster.listUnder),
    listPage: guarded(check, cluster.listPage),
    version: guarded(check, cluster.version),
    allows: guarded(check, cluster.allows),
    about: cluster.about,
  };
}

function guardSpace(space: Space, check: Check): Space {
  return {
    namespace: space.namespace,
    uid: space.uid,
    apply: oneByOne(check, space.apply),
    dryRun: oneByOne(check, space.dryRun),
    create: guarded(check, space.create),
    get: guarded(check, space.get),
    list: guarded(check, space.list),
    patch: guarded(check, space.patch),
    dryRunPatch: guarded(check, space.dryRunPatch),
    delete: guarded(check, space.delete),
    ready: guarded(check, space.ready),
    gone: guarded(check, space.gone),
    noPods: guarded(check, space.noPods),
    run: guarded(check, space.run),
    follow: guarded(check, space.follow),
    evidence: guarded(check, space.evidence),
    remove: guarded(check, space.remove),
  };
}

function guarded<A extends unknown[], R>(check: Check, call: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return async (...args) => {
    check();
    return await call(...args);
  };
}

function oneByOne(check: Check, apply: Space["apply"]): Space["apply"] {
  return async (objects: readonly KubeObject[], call: Call) => {
    const all: Awaited<ReturnType<Space["apply"]>> = { objects: [], warnings: [] };
    for (const object of objects) {
      check();
      const one = await apply([object], call);
      all.objects.push(...one.objects);
      all.warnings.push(...one.warnings);
    }
    return all;
  };
}
