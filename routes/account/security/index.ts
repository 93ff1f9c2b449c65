import { GET as getFactors } from "#routes/api/auth/factors/index.ts";
import { portalPage } from "#lib/portal/page/page.ts";
import { securityView } from "#lib/portal/people/security.ts";

export const GET = portalPage({
  summary: "Your second factors and recovery codes",
  duringEnrolment: true,
  show: async ({ callApi }) => securityView(await callApi(getFactors)),
});
