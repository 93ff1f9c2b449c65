/** Starts the session of a person whom a provider has confirmed: finds the account and applies the roles of the groups. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { type StartedSignIn, startSignIn } from "#lib/domains/auth/pending-sign-in.ts";
import { applyMappedRoles, lockForDemotion } from "#lib/domains/auth/providers/apply-roles.ts";
import type { Identity } from "#lib/domains/auth/providers/identity.ts";
import { findJoinedAccount } from "#lib/domains/auth/providers/join-account.ts";
import type { SignInRequest } from "#lib/domains/auth/providers/requests.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { SignInProvider } from "#lib/openid/client.ts";
import { mapRoles } from "#lib/openid/roles.ts";

interface ConfirmedPerson {
  readonly provider: SignInProvider;
  readonly request: SignInRequest;
  readonly identity: Identity;
  readonly previous: Actor | null;
}

/** Starts a session, or a pending sign-in if the account has a second factor. Throws a SignInRefusal. */
export async function startProviderSession(
  app: App,
  origin: RequestOrigin,
  { provider: { settings }, request, identity, previous }: ConfirmedPerson,
): Promise<StartedSignIn> {
  const roles = mapRoles(settings, identity.claims), source = { provider: settings.id, issuer: identity.issuer };
  return await app.db.transact(async (tx) => {
    const demotion = await lockForDemotion(tx, identity, roles);
    const { user, audit: joined } = await findJoinedAccount(tx, settings, request, identity);
    const requester = { userId: user.id, email: user.email, ...origin, tokenPrefix: null };
    const { audit: mapped, keptOperator } = await applyMappedRoles(tx, user, source, roles, demotion);
    const started = await startSignIn(tx, { userId: user.id, origin, method: "provider", previous });
    if (!started.isPending) {
      await tx.updateTable("sessions").set({ provider: settings.id }).where("id", "=", started.entry.objectId)
        .execute();
    }
    const metadata = { method: "provider", provider: settings.id, ...(keptOperator && { keptOperator }) };
    await recordChange(tx, requester, { audit: [...joined, ...mapped, { ...started.entry, metadata }] });
    return started;
  });
}
