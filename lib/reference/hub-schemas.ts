/** Gives names to the API schemas of billing, costs, availability, usage and history. */
import * as usage from "#lib/domains/usage/views.ts";
import type { Schemas } from "#lib/reference/account-schemas.ts";
import { AvailabilityView, SpokeAvailabilityView } from "#lib/domains/availability/views.ts";
import { BillingAddress, BillingView, CostView, HubCostView } from "#lib/domains/billing/views.ts";
import { HistoryView } from "#lib/domains/history/views.ts";

export const HUB_OUTPUT_SCHEMAS: Schemas = {
  HubUsage: usage.HubUsageView,
  SpokeUsage: usage.SpokeUsageView,
  Availability: AvailabilityView,
  Billing: BillingView,
  Cost: CostView,
  HubCost: HubCostView,
  OverviewHistory: HistoryView,
  SpokeAvailability: SpokeAvailabilityView,
};

export const HUB_INPUT_SCHEMAS: Schemas = { BillingAddress };
