/**
 * Who gets past an access, in words, and what it refuses. By its name, since a call of it would need every object that
 * it loads; a new access is a line here, and a test names the ones that are missing.
 */
import type { FaultCode } from "#lib/base/faults.ts";

interface AccessNote {
  readonly who: string;
  /** Besides somebody who is not signed in. */
  readonly refuses: readonly FaultCode[];
}

const NOTES: Readonly<Record<string, AccessNote>> = {
  "anyone": note("Anybody"),
  "signed in": note("Whoever is signed in"),
  "operator": note("Operators", "operator_only"),
  "own token": note("Whose token it is", "token_missing"),
  "federation: see": note("Operators, and whoever has to do with the hub", "federation_missing"),
  "federation: remove": note("Operators", "federation_missing", "operator_only"),
  "federation: bill": note("Operators", "federation_missing", "operator_only"),
  "federation: change": note("Operators and the hub's admins", "federation_missing", "federation_admin_only"),
  "spoke: see": note("Operators, admins of its hub, and its own admins", "spoke_missing"),
  "spoke: act": note("Operators, admins of its hub, and its own admins", "spoke_missing"),
  "spoke: history": note("As long as it lives whoever sees it; then operators and admins of its hub", "spoke_missing"),
  "spoke: remove": note("Operators and admins of its hub", "spoke_missing", "federation_admin_only"),
  "spoke: delegate": note("Operators and admins of its hub", "spoke_missing", "federation_admin_only"),
  "spoke: member": note("Operators, admins of its hub, and the member", "spoke_missing", "federation_admin_only"),
  "operation: see": note("Whoever sees what it is done to", "operation_missing"),
  "federation request: see": note("Operators, and who asked", "request_missing"),
  "federation request: decide": note("Operators", "request_missing", "operator_only"),
  "federation request: withdraw": note("Operators, and who asked", "request_missing"),
};

/** What is known of the access of that name, or null. */
export function noteOf(name: string): AccessNote | null {
  return Object.hasOwn(NOTES, name) ? NOTES[name]! : null;
}

function note(who: string, ...refuses: FaultCode[]): AccessNote {
  return { who, refuses };
}
