import { passkeyScript } from "#lib/portal/assets.ts";
import { assetEndpoint, passkeyScriptPath as path } from "#lib/portal/page/asset.ts";

export const GET = assetEndpoint({
  summary: "The script for passkeys",
  type: "text/javascript; charset=utf-8",
  text: passkeyScript,
  path,
});
