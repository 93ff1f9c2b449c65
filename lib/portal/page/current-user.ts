/** Reads what every page shows about the signed-in user. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { mayUsePassword } from "#lib/domains/auth/sign-in-methods.ts";
import { countUnreadNotifications } from "#lib/domains/notifications/objects.ts";
import { describeDatabaseHold } from "#lib/installation/database-hold.ts";
import type { CurrentUser } from "#lib/portal/components/view.ts";

export async function readCurrentUser(app: App, actor: Actor): Promise<CurrentUser> {
  const { displayName, email, role } = actor, hold = app.held();
  const { count: unread } = await countUnreadNotifications(app.db.rows, actor);
  const warning = hold && role === "operator" ? describeDatabaseHold(hold) : null;
  return { displayName, email, role, unread, warning, usesPassword: mayUsePassword(app, email) };
}
