/** All that a replica can do: one handler for each kind of job. */
import type { App } from "#lib/app.ts";
import type { Post } from "#lib/mail/post.ts";
import type { Handler } from "#lib/scheduler/handler.ts";
import { restart, resume, suspend } from "#lib/work/actions.ts";
import { forgottenPassword, signup } from "#lib/work/flows.ts";
import { sendMail } from "#lib/work/mail.ts";
import { prune } from "#lib/work/prune.ts";
import { provision } from "#lib/work/provision.ts";
import { provisionHub } from "#lib/work/provision-hub.ts";
import { remove, removeHub } from "#lib/work/remove.ts";
import { sealAudit } from "#lib/work/seal.ts";

/** Without a post it knows no mail, and leaves that to whoever has one. */
export function handlers(app: App, post: Post | null = null): readonly Handler[] {
  const makers = [
    provisionHub,
    provision,
    suspend,
    resume,
    restart,
    remove,
    removeHub,
    prune,
    sealAudit,
    forgottenPassword,
    signup,
  ];
  return [...makers.map((make) => make(app)), ...(post ? [sendMail(app, post)] : [])];
}
