/** Finds accounts whose email address is not in canonical form (email.ts), and reports why. */
import { canonicalEmail } from "#lib/base/email.ts";
import { countOf, type Finding, listWords, passing, warning } from "#lib/doctor/finding.ts";

export interface AccountAddress {
  readonly id: string;
  readonly email: string;
}

export interface AddressFacts {
  /**
   * Accounts whose address differs only in spelling from the canonical form that another account already has. `other`
   * is that account.
   */
  readonly collisions: readonly { readonly id: string; readonly other: string }[];
  /** Accounts whose address contains invisible characters and therefore has no canonical form. */
  readonly invisible: readonly string[];
}

type Query = (text: string, params?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

// `to_jsonb` avoids an error if an older schema lacks the column. Disabled accounts are left out, because they cannot
// sign in anyway.
const SPELLED = `select id, email from users
  where email ~ '[^[:ascii:]]' and to_jsonb(users) ->> 'disabled_at' is null order by created_at, id`;
const OF_FORMS = "select id, email from users where email = any($1)";

export async function findAddressFacts(query: Query): Promise<AddressFacts> {
  const spelled = await query(SPELLED) as unknown as AccountAddress[];
  const forms = spelled.map(({ email }) => canonicalEmail(email)).filter((form) => form !== null);
  const holders = forms.length === 0 ? [] : await query(OF_FORMS, [forms]) as unknown as AccountAddress[];
  return compareAddresses(spelled, holders);
}

/** Compares accounts with `holders`, the accounts that already use a canonical form. Pure. */
export function compareAddresses(
  spelled: readonly AccountAddress[],
  holders: readonly AccountAddress[],
): AddressFacts {
  const byForm = new Map(holders.map(({ id, email }) => [email, id]));
  const collisions: { id: string; other: string }[] = [], invisible: string[] = [];
  for (const { id, email } of spelled) {
    const form = canonicalEmail(email);
    if (form === null) invisible.push(id);
    else if (!byForm.has(form)) byForm.set(form, id); // serve rewrites it at its next start
    else if (byForm.get(form) !== id) collisions.push({ id, other: byForm.get(form)! });
  }
  return { collisions, invisible };
}

/** The maximum number of accounts that a finding lists. */
const NAMED = 5;

export function checkAccountAddresses({ collisions, invisible }: AddressFacts): Finding[] {
  const check = "addresses", findings: Finding[] = [];
  if (collisions.length > 0) {
    const pairs = named(collisions.map(({ id, other }) => `${id} (the same as ${other})`));
    findings.push(warning(
      check,
      `${
        countOf(collisions.length, "account")
      } cannot sign in, because another account has the same e-mail address in ` +
        `another spelling: ${pairs}`,
      "Delegate what it administers to the other account, then run wheelwright users update ID --disabled yes.",
    ));
  }
  if (invisible.length > 0) {
    findings.push(warning(
      check,
      `${countOf(invisible.length, "account")} cannot sign in, because the e-mail address has invisible characters: ` +
        named(invisible),
      "Invite the person under the right address, then run wheelwright users update ID --disabled yes.",
    ));
  }
  return findings.length > 0 ? findings : [passing(check, "no two accounts share an e-mail address")];
}

function named(accounts: readonly string[]): string {
  const more = accounts.length - NAMED;
  return listWords(more > 0 ? [...accounts.slice(0, NAMED), `${more} more`] : accounts);
}
