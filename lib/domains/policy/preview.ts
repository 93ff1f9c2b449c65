/** Previews a change of a hub's policy. Writes nothing. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { requireLiveHub } from "#lib/domains/federations/state.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { ADDONS_NOTE, describeAddonEffect } from "#lib/domains/policy/addon-effects.ts";
import { hideClientSecret, listSignInProblems } from "#lib/domains/policy/client-secret.ts";
import { listPolicyChanges, listSpokeEffects, planPolicyChange, requireKnownValues } from "#lib/domains/policy/plan.ts";
import { readHubSpokes } from "#lib/domains/policy/store.ts";
import { MAX_PREVIEW_SPOKES, type PolicyPatch, type PolicyPreview } from "#lib/domains/policy/views.ts";
import { readDatabaseTime } from "#lib/drivers/db/clock.ts";
import { sharesCourses, sharesSignIn } from "#lib/model/mode.ts";

const MODE_NOTE = "The sites get the sign-in when the hub's mode is identity or both";
const COURSES_MODE_NOTE = "The sites get the courses when the hub's mode is content or both";

/** Shows what a change would do on each spoke. Writes nothing. */
export async function previewPolicy(
  app: App,
  actor: Actor,
  { id }: FederationRow,
  patch: PolicyPatch,
): Promise<PolicyPreview> {
  const { rows } = app.db,
    { policy, state, mode, courses } = await rows.selectFrom("federations")
      .select(["policy", "state", "mode", "courses"])
      .where("id", "=", id).executeTakeFirstOrThrow();
  requireLiveHub(state, "change the policy of");
  const change = planPolicyChange(policy ?? {}, hideClientSecret(patch, policy), {
    email: actor.email,
    now: await readDatabaseTime(rows),
  });
  requireKnownValues(app.catalog, courses, change);
  const spokes = change.sections.length === 0 ? [] : await readHubSpokes(rows, id);
  const effects = listSpokeEffects(change, spokes, courses).map((each) => (
    { ...each, addons: describeAddonEffect(app.catalog, change.after, each.spoke) }
  ));
  const downtime = effects.some(({ effect, addons }) => effect !== "excluded" && addons.downtime);
  const count = (effect: string) => effects.filter((each) => each.effect === effect).length;
  return {
    dryRun: true,
    federationId: id,
    changes: listPolicyChanges(change),
    downtime,
    counts: {
      changes: count("changes"),
      later: count("later"),
      overridden: count("overridden"),
      excluded: count("excluded"),
    },
    spokes: effects.slice(0, MAX_PREVIEW_SPOKES).map(({ spoke, effect, reason, addons }) => ({
      spokeId: spoke.id,
      slug: spoke.slug,
      domain: spoke.domain,
      effect,
      reason: effect === "excluded" ? reason : [...addons.sentences, ...reason ? [reason] : []].join(". ") || null,
    })),
    more: Math.max(0, effects.length - MAX_PREVIEW_SPOKES),
    notes: change.sections.length === 0 ? ["Nothing changes"] : [
      "One site is changed first. If it fails, the rollout pauses and the other sites stay as they are",
      ...(downtime ? [ADDONS_NOTE] : []),
      ...listSignInProblems(change),
      ...(change.sections.includes("signIn") && !sharesSignIn(mode) ? [MODE_NOTE] : []),
      ...(change.sections.includes("courses") && !sharesCourses(mode) ? [COURSES_MODE_NOTE] : []),
    ],
  };
}
