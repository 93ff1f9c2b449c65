/** All that a replica can do: one handler for each kind of job. */
import type { App } from "#lib/app.ts";
import type { Handler } from "#lib/scheduler/handler.ts";
import { restart, resume, suspend } from "#lib/work/actions.ts";
import { prune } from "#lib/work/prune.ts";
import { provision } from "#lib/work/provision.ts";
import { provisionHub } from "#lib/work/provision-hub.ts";
import { remove, removeHub } from "#lib/work/remove.ts";
import { sealAudit } from "#lib/work/seal.ts";

export function handlers(app: App): readonly Handler[] {
  const makers = [provisionHub, provision, suspend, resume, restart, remove, removeHub, prune, sealAudit];
  return makers.map((make) => make(app));
}
