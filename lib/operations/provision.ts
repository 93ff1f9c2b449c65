/** Installs a spoke. A retry repeats the operation with the same steps. */
import * as v from "valibot";
import { SharedInputs } from "#lib/moodle/inputs.ts";
import { declareOperation } from "#lib/operations/operation.ts";
import { IMAGE_DIGEST, INSTALLATION } from "#lib/operations/progress.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/**
 * Installs a spoke. The timeouts of `database` and `install` allow for slow image pulls. The timeout of `install` also
 * exceeds the 1800 s limit of its Kubernetes Job plus 30 s for its shutdown.
 */
export const provision = declareOperation({
  name: "provision",
  verbPhrase: "install",
  from: [],
  transition: { through: "provisioning", to: "active" },
  needsActiveHub: true,
  describe: () => ["Missing objects are created; existing objects are not changed"],
  progress: {
    ...IMAGE_DIGEST,
    ...INSTALLATION,
    /** The sections of the hub's policy that the site gets; null if the hub shares nothing. */
    shared: v.nullable(SharedInputs),
  },
  plan: {
    version: 1,
    limit: 5 * HOUR,
    steps: {
      namespace: ["Creating the namespace", MINUTE],
      policies: ["Setting limits and network policies", MINUTE],
      secrets: ["Creating passwords and settings", MINUTE],
      volumes: ["Creating the site's volumes", 3 * HOUR],
      database: ["Starting the database", 15 * MINUTE],
      install: ["Installing Moodle", 40 * MINUTE],
      app: ["Starting Moodle", 16 * MINUTE],
      setup: ["Setting up the site and checking its login page", 35 * MINUTE],
      cron: ["Turning on scheduled tasks", MINUTE],
      ingress: ["Opening the site to the web", 15 * MINUTE],
    },
  },
});
