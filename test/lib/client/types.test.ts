/** Lists calls that must not compile. The compiler checks that each line is an error. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { connect, type Operation, type Spoke, type SpokePreview, type StreamEvent } from "#lib/client/client.ts";

const test = suite("client types");

test("declare each field of requests and responses", () => {
  const use = async (): Promise<unknown> => {
    const client = connect({ url: "http://localhost:3000" });
    const spoke: Spoke = await client.createFederationSpoke({ federationId: "north" }, { slug: "ash" });
    const preview: SpokePreview = await client.createFederationSpoke({ federationId: "north", dryRun: true }, {
      slug: "ash",
    });
    const page: Operation[] = await client.listSpokeOperations({ spokeId: spoke.id, limit: 5, before: new Date() });
    for await (const event of client.followFederation({ federationId: "north" })) event satisfies StreamEvent;
    const cost = await client.previewSpokeCost({ federationId: "north" });
    if (cost.available) cost.recurringMonthly satisfies number;
    // @ts-expect-error no such field
    client.createFederationSpoke({ federationId: "north" }, { slug: "ash", colour: "red" });
    // @ts-expect-error slug is required
    client.createFederationSpoke({ federationId: "north" }, {});
    // @ts-expect-error the hub is required
    client.createFederationSpoke({}, { slug: "ash" });
    // @ts-expect-error no such action
    client.actOnSpoke({ spokeId: "spk_1" }, { action: "polish" });
    // @ts-expect-error no such scope
    client.createToken({ name: "x", scope: "root" });
    // @ts-expect-error a number
    client.listUsers({ limit: "many" });
    // @ts-expect-error no such state
    client.listUsers({ state: "asleep" });
    // @ts-expect-error the endpoint accepts no key
    client.createToken({ name: "x", scope: "cli" }, { idempotencyKey: "k" });
    // @ts-expect-error no such field
    void spoke.colour;
    // @ts-expect-error not a state of a spoke
    void (spoke.state === "asleep");
    // @ts-expect-error only an available cost has a price
    void cost.dueNow;
    return { preview, page };
  };
  assert.type(use, "function");
});

test.run();
