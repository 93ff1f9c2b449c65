/** Written by `npm run generate`; commit it, do not edit it. */
import type { Manifest } from "#lib/http/endpoint.ts";
import * as api_audit from "../routes/api/audit.ts";
import * as api_auth_login from "../routes/api/auth/login.ts";
import * as api_auth_logout from "../routes/api/auth/logout.ts";
import * as api_auth_me from "../routes/api/auth/me.ts";
import * as api_auth_tokens_index from "../routes/api/auth/tokens/index.ts";
import * as api_auth_tokens_$tokenId from "../routes/api/auth/tokens/[tokenId].ts";
import * as api_catalog from "../routes/api/catalog.ts";
import * as api_federations_index from "../routes/api/federations/index.ts";
import * as api_federations_$federationId_index from "../routes/api/federations/[federationId]/index.ts";
import * as api_federations_$federationId_actions from "../routes/api/federations/[federationId]/actions.ts";
import * as api_federations_$federationId_events from "../routes/api/federations/[federationId]/events.ts";
import * as api_federations_$federationId_operations from "../routes/api/federations/[federationId]/operations.ts";
import * as api_federations_$federationId_spokes_index from "../routes/api/federations/[federationId]/spokes/index.ts";
import * as api_federations_$federationId_spokes_preview_cost from "../routes/api/federations/[federationId]/spokes/preview-cost.ts";
import * as api_healthz from "../routes/api/healthz.ts";
import * as api_my_spokes from "../routes/api/my-spokes.ts";
import * as api_openapi_json from "../routes/api/openapi.json.ts";
import * as api_operations_$operationId from "../routes/api/operations/[operationId].ts";
import * as api_readyz from "../routes/api/readyz.ts";
import * as api_spokes_actions from "../routes/api/spokes/actions.ts";
import * as api_spokes_$spokeId_index from "../routes/api/spokes/[spokeId]/index.ts";
import * as api_spokes_$spokeId_actions from "../routes/api/spokes/[spokeId]/actions.ts";
import * as api_spokes_$spokeId_activity from "../routes/api/spokes/[spokeId]/activity.ts";
import * as api_spokes_$spokeId_operations from "../routes/api/spokes/[spokeId]/operations.ts";
import * as api_version from "../routes/api/version.ts";

export const manifest: Manifest = [
  ["/api/audit", api_audit],
  ["/api/auth/login", api_auth_login],
  ["/api/auth/logout", api_auth_logout],
  ["/api/auth/me", api_auth_me],
  ["/api/auth/tokens", api_auth_tokens_index],
  ["/api/auth/tokens/:tokenId", api_auth_tokens_$tokenId],
  ["/api/catalog", api_catalog],
  ["/api/federations", api_federations_index],
  ["/api/federations/:federationId", api_federations_$federationId_index],
  ["/api/federations/:federationId/actions", api_federations_$federationId_actions],
  ["/api/federations/:federationId/events", api_federations_$federationId_events],
  ["/api/federations/:federationId/operations", api_federations_$federationId_operations],
  ["/api/federations/:federationId/spokes", api_federations_$federationId_spokes_index],
  ["/api/federations/:federationId/spokes/preview-cost", api_federations_$federationId_spokes_preview_cost],
  ["/api/healthz", api_healthz],
  ["/api/my-spokes", api_my_spokes],
  ["/api/openapi.json", api_openapi_json],
  ["/api/operations/:operationId", api_operations_$operationId],
  ["/api/readyz", api_readyz],
  ["/api/spokes/actions", api_spokes_actions],
  ["/api/spokes/:spokeId", api_spokes_$spokeId_index],
  ["/api/spokes/:spokeId/actions", api_spokes_$spokeId_actions],
  ["/api/spokes/:spokeId/activity", api_spokes_$spokeId_activity],
  ["/api/spokes/:spokeId/operations", api_spokes_$spokeId_operations],
  ["/api/version", api_version],
];
