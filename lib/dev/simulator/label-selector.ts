/**
 * Selectors of labels as text: `a=b,c!=d,e in (f,g),!h,i>5`. Read token by token, with the real one's words for whatever
 * stands in the wrong place.
 */
import { badRequest } from "#lib/dev/simulator/refusal.ts";
import { badLabelKey, badLabelValue } from "#lib/dev/simulator/rules/names.ts";
import type { Test } from "#lib/dev/simulator/selectors.ts";

type Labels = Readonly<Record<string, string>>;

/** Throws 400 for what is not a selector. */
export function labelSelector(text: string): Test {
  const tests = read(text);
  return (object) => tests.every((test) => test(object.metadata.labels ?? {}));
}

function read(text: string): ((labels: Labels) => boolean)[] {
  const tokens = text.match(/[(),]|==|!=|[=!<>]|[^\s(),=!<>]+/g) ?? [];
  const tests: ((labels: Labels) => boolean)[] = [];
  let at = 0;
  const peek = (): string => tokens[at] ?? "";
  const isWord = (token: string) => token !== "" && !/^[(),=!<>]/.test(token);
  const refuse = (wanted: string): never => {
    throw badRequest(`unable to parse requirement: found '${peek()}'${wanted}`);
  };

  function requirement(): (labels: Labels) => boolean {
    const absent = peek() === "!";
    if (absent) at++;
    if (!isWord(peek())) refuse(", expected: identifier");
    const name = tokens[at++]!;
    const [wrong] = badLabelKey(name);
    if (wrong) throw badRequest(`unable to parse requirement: <nil>: Invalid value: ${JSON.stringify(name)}: ${wrong}`);
    if (absent) return (labels) => labels[name] === undefined;
    if (peek() === "" || peek() === ",") return (labels) => labels[name] !== undefined;
    const operator = peek();
    if (operator === "in" || operator === "notin") {
      at++;
      const values = list();
      demandValues(name, values);
      return (labels) => (labels[name] !== undefined && values.includes(labels[name])) === (operator === "in");
    }
    if (!["=", "==", "!=", ">", "<"].includes(operator)) refuse(", expected: in, notin, =, ==, !=, gt, lt");
    at++;
    const value = peek() === "" || peek() === ","
      ? ""
      : isWord(peek())
      ? tokens[at++]!
      : refuse(", expected: identifier");
    if (operator === ">" || operator === "<") return comparison(name, operator, value);
    demandValues(name, [value]);
    return (labels) => (labels[name] === value) === (operator !== "!=");
  }

  function list(): string[] {
    if (peek() !== "(") refuse(" expected: '('");
    at++;
    const values: string[] = [];
    for (;;) {
      if (isWord(peek())) values.push(tokens[at++]!);
      if (peek() === ")") return at++, values;
      if (peek() !== ",") refuse(", expected: ',' or ')'");
      at++;
    }
  }

  while (peek() !== "") {
    if (!isWord(peek()) && peek() !== "!") {
      throw badRequest(`found '${peek()}', expected: !, identifier, or 'end of string'`);
    }
    tests.push(requirement());
    if (peek() === "") break;
    if (peek() !== ",") throw badRequest(`found '${peek()}', expected: ',' or 'end of string'`);
    at++;
    if (!isWord(peek()) && peek() !== "!") throw badRequest(`found '${peek()}', expected: identifier after ','`);
  }
  return tests;
}

function comparison(name: string, operator: string, value: string): (labels: Labels) => boolean {
  if (!/^-?\d+$/.test(value)) {
    const why = "for 'Gt', 'Lt' operators, the value must be an integer";
    throw badRequest(`unable to parse requirement: values[0]: Invalid value: ${JSON.stringify(value)}: ${why}`);
  }
  return (labels) => {
    const number = Number(labels[name] ?? NaN);
    return operator === ">" ? number > Number(value) : number < Number(value);
  };
}

function demandValues(name: string, values: readonly string[]): void {
  for (const [i, value] of values.entries()) {
    const [wrong] = badLabelValue(value);
    if (!wrong) continue;
    const field = `values[${i}][${name}]`;
    throw badRequest(`unable to parse requirement: ${field}: Invalid value: ${JSON.stringify(value)}: ${wrong}`);
  }
}
