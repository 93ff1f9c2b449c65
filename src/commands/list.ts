/** The commands, in the order in which the help names them. */
import type { Command } from "./command.ts";

export const commands: readonly Command[] = [
  {
    name: "dev",
    summary: "Run everything here: embedded PostgreSQL, a simulated cluster",
    usage: "[--kubeconfig FILE]",
    words: 0,
    options: {
      kubeconfig: { type: "string", help: "provision on this cluster instead of the simulated one" },
    },
    load: async () => (await import("./dev.ts")).dev,
  },
  {
    name: "serve",
    summary: "Run the control plane on your database and cluster",
    usage: "",
    words: 0,
    options: {},
    load: async () => (await import("./serve.ts")).serve,
  },
  {
    name: "migrate",
    summary: "Bring the database up to this release, then end",
    usage: "",
    words: 0,
    options: {},
    load: async () => (await import("./migrate.ts")).migrateOnly,
  },
  {
    name: "simulate",
    summary: "Run the simulated cluster alone",
    usage: "--port N --kubeconfig FILE",
    words: 0,
    options: {
      port: { type: "string", help: "port to listen on (one that is free)" },
      kubeconfig: { type: "string", help: "file to write, for KUBECONFIG of serve" },
    },
    load: async () => (await import("./simulate.ts")).simulate,
  },
  {
    name: "admin",
    summary: "Set a new password for a user, on this machine's authority",
    usage: "reset-password EMAIL",
    words: 2,
    options: {},
    load: async () => (await import("./admin.ts")).admin,
  },
];
