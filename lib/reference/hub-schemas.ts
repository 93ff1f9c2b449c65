/** Gives names to the API schemas of billing, costs, availability, usage, history, tiers, policies and webhooks. */
import * as courses from "#lib/domains/courses/views.ts";
import * as policies from "#lib/domains/policy/views.ts";
import * as tiers from "#lib/domains/tiers/views.ts";
import * as usage from "#lib/domains/usage/views.ts";
import * as webhooks from "#lib/domains/webhooks/views.ts";
import type { Schemas } from "#lib/reference/account-schemas.ts";
import { AvailabilityView, SpokeAvailabilityView } from "#lib/domains/availability/views.ts";
import { BillingAddress, BillingView, CostView, HubCostView } from "#lib/domains/billing/views.ts";
import { SpokeAddonsView } from "#lib/domains/spokes/views.ts";
import { HistoryView } from "#lib/domains/history/views.ts";

export const HUB_OUTPUT_SCHEMAS: Schemas = {
  ChangedFederation: tiers.ChangedFederation,
  FederationPreview: tiers.FederationPreview,
  HubUsage: usage.HubUsageView,
  SpokeAddons: SpokeAddonsView,
  SpokeUsage: usage.SpokeUsageView,
  Availability: AvailabilityView,
  Billing: BillingView,
  Cost: CostView,
  HubCost: HubCostView,
  Course: courses.CourseView,
  Library: courses.LibraryView,
  SectionCounts: policies.SectionCounts,
  Policy: policies.PolicyView,
  PolicyPreview: policies.PolicyPreview,
  PolicyVersion: policies.PolicyVersionView,
  SignInCheck: policies.SignInCheck,
  OverviewHistory: HistoryView,
  SpokeAvailability: SpokeAvailabilityView,
  SpokePolicy: policies.SpokePolicyView,
  Webhook: webhooks.WebhookView,
  IssuedWebhook: webhooks.NewWebhookView,
  WebhookDelivery: webhooks.DeliveryView,
  QueuedMessage: webhooks.QueuedMessageView,
};

export const HUB_INPUT_SCHEMAS: Schemas = {
  BillingAddress,
  CoursePublication: courses.CoursePublication,
  FederationPatch: tiers.HubPatch,
  PolicyPatch: policies.PolicyPatch,
  PolicyRollback: policies.PolicyRollback,
  SignInCheckRequest: policies.SignInCheckRequest,
  SpokePolicyPatch: policies.SpokePolicyPatch,
  NewWebhook: webhooks.NewWebhook,
  WebhookPatch: webhooks.WebhookPatch,
};
