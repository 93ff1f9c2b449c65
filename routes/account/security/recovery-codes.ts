import { POST as renew } from "#routes/api/auth/recovery-codes.ts";
import { formPage } from "#lib/portal/page/page.ts";
import { recoveryCodesView, renewCodesView } from "#lib/portal/people/security.ts";

export const { GET, POST } = formPage({
  summary: "Confirm the renewal of your recovery codes",
  show: (_, submission) => renewCodesView(submission),
  form: {
    summary: "Renew your recovery codes and show them once",
    submit: async ({ callApi, publicUrl }) => recoveryCodesView((await callApi(renew)).recoveryCodes, publicUrl.host),
  },
});
