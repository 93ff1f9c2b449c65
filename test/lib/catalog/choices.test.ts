import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fault } from "#lib/base/errors.ts";
import { createFederation } from "#lib/domains/federations/create.ts";
import { patchFederation } from "#lib/domains/federations/patch.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import { type DomainScene, openDomainScene } from "#test/lib/domains/spokes/domain-scene.ts";
import { updateRows } from "#test/support/rows.ts";

const CATALOGUE = `
regions: [eu, us]
tiers: [standard, premium]
modes: [open]
contentModes: [copy]
brands: [{ name: ocean, color: "#00446a" }]
seeds: [demo]
versions: ["4.5.12"]
sizes: [small]
`;

const test = suite<{ stage: DomainScene }>("requireOfferedValues");
test.before(async (context) => {
  context.stage = await openDomainScene(CATALOGUE);
});
test.after(({ stage }) => stage.close());

async function messageOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.instance(error, Fault);
    return `${(error as Fault).kind}: ${(error as Fault).message}`;
  }
  return "fine";
}

test("reports every field of a hub that the catalog does not offer, with the allowed values", async ({ stage }) => {
  const { app, operator } = stage;
  const make = (input: Record<string, string>) =>
    messageOf(createFederation(app, operator, { slug: "hub", ...input } as never, null));
  const message =
    "invalid: region must be one of eu, us; mode must be one of open; tier must be one of standard, premium";
  assert.is(await make({ region: "mars", mode: "closed", tier: "gold" }), message);
  assert.is(await make({ region: "eu", mode: "open", tier: "premium" }), "fine");
});

test("reports every field of a spoke that the catalog does not offer", async ({ stage: { app, operator, hub } }) => {
  const home = await hub("spokes");
  const make = (input: Record<string, string>) =>
    messageOf(createSpoke(app, operator, home, { slug: "oak", ...input } as never, null));
  for (
    const [field, value, choices] of [
      ["region", "mars", "eu, us"],
      ["size", "medium", "small"],
      ["contentMode", "link", "copy"],
      ["brand", "sand", "ocean"],
      ["seed", "none", "demo"],
      ["lmsVersion", "5.2.2", "4.5.12"],
    ] as const
  ) assert.is(await make({ [field]: value }), `invalid: ${field} must be one of ${choices}`);
  assert.is(
    await make({ region: "us", contentMode: "copy", brand: "ocean", seed: "demo", moodleVersion: "4.5.12" }),
    "fine",
  );
});

test("accepts a hub's existing values that the catalog no longer offers", async ({ stage: { app, db, operator, hub } }) => {
  const home = await hub("older");
  await updateRows(db, "federations", { tier: "classic" }, { id: home.id });
  const patch = { slug: undefined, name: "Older", tier: "classic", region: undefined, mode: undefined };
  assert.is(await messageOf(patchFederation(app, operator, home, patch)), "fine");
  const change = { ...patch, tier: "gold" };
  assert.match(await messageOf(patchFederation(app, operator, home, change)), "tier must be one of standard, premium");
});

test.run();
