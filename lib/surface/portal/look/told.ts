/** What the API tells, as the views of the portal get it. */
import type * as v from "valibot";

import type { FederationView, OverviewView } from "#lib/domains/federations/views.ts";
import type { SpokeView } from "#lib/domains/spokes/views.ts";
import type { OperationDetail, OperationView } from "#lib/records/jobs/operation.ts";

export type Hub = v.InferOutput<typeof FederationView>;
export type Spoke = v.InferOutput<typeof SpokeView>;
export type Operation = v.InferOutput<typeof OperationView>;
export type WholeOperation = v.InferOutput<typeof OperationDetail>;
export type Glance = v.InferOutput<typeof OverviewView>;
