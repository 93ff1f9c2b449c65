/** Types of the API responses that portal pages render. */
import { FederationPreview } from "#lib/domains/tiers/views.ts";
import type * as v from "valibot";
import type { CatalogView } from "#lib/catalog/view.ts";
import type { AvailabilityView, SpokeAvailabilityView } from "#lib/domains/availability/views.ts";
import type { RestoreRequestView } from "#lib/domains/backups/restore-requests/views.ts";
import type { BackupSummaryView } from "#lib/domains/backups/views.ts";
import type { BillingView, CostView, HubCostView } from "#lib/domains/billing/views.ts";
import type { FederationRequestView } from "#lib/domains/federations/requests/views.ts";
import type { FederationView, OverviewView } from "#lib/domains/federations/views.ts";
import type { MemberView } from "#lib/domains/members/views.ts";
import type {
  PolicyPreview,
  PolicyVersionView,
  PolicyView,
  SignInCheck,
  SpokePolicyView,
} from "#lib/domains/policy/views.ts";
import type { RolloutDetailView, RolloutPreview, RolloutView } from "#lib/domains/rollouts/views.ts";
import type {
  ActionPreview,
  BulkOutcome,
  BulkPreview,
  SignInLinkView,
  SpokeAddonsView,
  SpokePreview,
  SpokeView,
} from "#lib/domains/spokes/views.ts";
import type { HistoryView } from "#lib/domains/history/views.ts";
import type { HubUsageView, SpokeUsageView } from "#lib/domains/usage/views.ts";
import type { OperationDetail, OperationView } from "#lib/jobs/operation.ts";

export type Hub = v.InferOutput<typeof FederationView>;
export type Spoke = v.InferOutput<typeof SpokeView>;
export type Operation = v.InferOutput<typeof OperationView>;
export type OperationDetails = v.InferOutput<typeof OperationDetail>;
export type FleetOverview = v.InferOutput<typeof OverviewView>;
export type CatalogOffer = v.InferOutput<typeof CatalogView>;
export type InstalledAddons = v.InferOutput<typeof SpokeAddonsView>;
export type AvailabilityMonths = v.InferOutput<typeof AvailabilityView>;
export type SpokeAvailabilityMonths = v.InferOutput<typeof SpokeAvailabilityView>;
export type CostEstimate = v.InferOutput<typeof CostView>;
export type Billing = v.InferOutput<typeof BillingView>;
export type HubCostSummary = v.InferOutput<typeof HubCostView>;
export type HubRequest = v.InferOutput<typeof FederationRequestView>;
export type MemberItem = v.InferOutput<typeof MemberView>;
export type PreviewedAction = v.InferOutput<typeof ActionPreview>;
export type BulkActionResult = v.InferOutput<typeof BulkOutcome>;
export type PreviewedBulkAction = v.InferOutput<typeof BulkPreview>;
export type PreviewedSpoke = v.InferOutput<typeof SpokePreview>;
export type BackupList = v.InferOutput<typeof BackupSummaryView>;
export type RestoreRequestItem = v.InferOutput<typeof RestoreRequestView>;
export type HubPolicyView = v.InferOutput<typeof PolicyView>;
export type PreviewedPolicy = v.InferOutput<typeof PolicyPreview>;
export type CheckedSignIn = v.InferOutput<typeof SignInCheck>;
export type PolicyHistory = readonly v.InferOutput<typeof PolicyVersionView>[];
export type SharedWithSpoke = v.InferOutput<typeof SpokePolicyView>;
export type RolloutItem = v.InferOutput<typeof RolloutView>;
export type RolloutDetails = v.InferOutput<typeof RolloutDetailView>;
export type PreviewedHub = v.InferOutput<typeof FederationPreview>;
export type PreviewedRollout = v.InferOutput<typeof RolloutPreview>;
export type SpokeUsage = v.InferOutput<typeof SpokeUsageView>;
export type OverviewHistory = v.InferOutput<typeof HistoryView>;
export type HubUsage = v.InferOutput<typeof HubUsageView>;
export type NewSignInLink = v.InferOutput<typeof SignInLinkView>;
