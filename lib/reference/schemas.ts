/**
 * Gives names to API schemas, so that the OpenAPI document lists these schemas under `components`. Other response
 * schemas are written inline. A test checks that every schema of a request body has a name.
 */
import { AuditEventView } from "#lib/audit/views.ts";
import { ACCOUNT_INPUT_SCHEMAS, ACCOUNT_OUTPUT_SCHEMAS, type Schemas } from "#lib/reference/account-schemas.ts";
import { BackupSummaryView } from "#lib/domains/backups/views.ts";
import * as restores from "#lib/domains/backups/restore-requests/views.ts";
import { CatalogView } from "#lib/catalog/view.ts";
import { ChangelogView } from "#lib/domains/changelog/view.ts";
import { StreamData } from "#lib/events/store.ts";
import * as requests from "#lib/domains/federations/requests/views.ts";
import * as federations from "#lib/domains/federations/views.ts";
import { HUB_INPUT_SCHEMAS, HUB_OUTPUT_SCHEMAS } from "#lib/reference/hub-schemas.ts";
import { Problem } from "#lib/http/problem.ts";
import { Readiness } from "#lib/http/readiness.ts";
import { OperationDetail, OperationView } from "#lib/jobs/operation.ts";
import * as rollouts from "#lib/domains/rollouts/views.ts";
import * as spokes from "#lib/domains/spokes/views.ts";

export const OUTPUT_SCHEMAS: Schemas = {
  ...ACCOUNT_OUTPUT_SCHEMAS,
  ...HUB_OUTPUT_SCHEMAS,
  ActionPreview: spokes.ActionPreview,
  AuditEvent: AuditEventView,
  BackupSummary: BackupSummaryView,
  BulkOutcome: spokes.BulkOutcome,
  BulkPreview: spokes.BulkPreview,
  Catalog: CatalogView,
  Changelog: ChangelogView,
  Federation: federations.FederationView,
  FederationRequest: requests.FederationRequestView,
  Operation: OperationView,
  OperationDetail,
  Overview: federations.OverviewView,
  Problem,
  Readiness,
  RestoreRequest: restores.RestoreRequestView,
  Rollout: rollouts.RolloutView,
  RolloutDetail: rollouts.RolloutDetailView,
  RolloutPreview: rollouts.RolloutPreview,
  SignInLink: spokes.SignInLinkView,
  Spoke: spokes.SpokeView,
  SpokePreview: spokes.SpokePreview,
  StreamEvent: StreamData,
};

/** The schemas of request bodies by name. */
export const INPUT_SCHEMAS: Schemas = {
  ...ACCOUNT_INPUT_SCHEMAS,
  ...HUB_INPUT_SCHEMAS,
  Approval: requests.HubRequestApproval,
  BulkAction: spokes.BulkAction,
  FederationAction: federations.FederationAction,
  NewFederation: federations.NewFederation,
  NewFederationRequest: requests.NewFederationRequest,
  NewRestoreRequest: restores.NewRestoreRequest,
  NewRollout: rollouts.NewRollout,
  NewSpoke: spokes.NewSpoke,
  Rejection: requests.HubRequestRejection,
  RestoreDecision: restores.RestoreDecision,
  RolloutResumption: rollouts.RolloutResumption,
  SpokeAction: spokes.SpokeAction,
  SpokePatch: spokes.SpokePatch,
};
