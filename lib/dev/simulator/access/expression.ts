/**
 * Evaluates the expressions of admission policies. It supports the part of CEL that compares fields, labels and lists.
 * Any other CEL is an error, so no policy is silently ignored.
 */
import { isRecord, type Json, same } from "#lib/dev/simulator/store/object.ts";

/** Evaluates an expression with the given variables. Throws if a field does not exist. */
export type Expression = (variables: Readonly<Record<string, Json>>) => Json;

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|'[^']*'|\d+|[A-Za-z_]\w*|&&|\|\||==|!=|[!?:().,[\]])/y;

/** Parses an expression. Throws if it is invalid or uses unsupported CEL. */
export function readExpression(text: string): Expression {
  const tokens: string[] = [];
  for (TOKEN.lastIndex = 0; text.slice(TOKEN.lastIndex).trim() !== "";) {
    const at = TOKEN.lastIndex, [, token] = TOKEN.exec(text) ?? [];
    if (token === undefined) throw new Error(`Cannot read ${JSON.stringify(text.slice(at, at + 20))} in an expression`);
    tokens.push(token);
  }
  const next = (token: string): boolean => tokens[0] === token && tokens.shift() !== undefined;
  const demand = (token: string): void => {
    if (!next(token)) throw new Error(`Expected ${token} and not ${tokens[0] ?? "the end"} in an expression`);
  };
  const expression = choice();
  if (tokens.length > 0) throw new Error(`Expected the end and not ${tokens[0]} in an expression`);
  return expression;

  function choice(): Expression {
    const is = either();
    if (!next("?")) return is;
    const then = choice();
    demand(":");
    const otherwise = choice();
    return (variables) => is(variables) ? then(variables) : otherwise(variables);
  }

  function either(): Expression {
    const one = both();
    if (!next("||")) return one;
    const other = either();
    return (variables) => one(variables) || other(variables);
  }

  function both(): Expression {
    const one = compared();
    if (!next("&&")) return one;
    const other = both();
    return (variables) => one(variables) && other(variables);
  }

  function compared(): Expression {
    const one = inverted();
    if (next("==")) return with2(one, inverted(), same);
    if (next("!=")) return with2(one, inverted(), (a, b) => !same(a, b));
    if (next("in")) return with2(one, inverted(), (a, b) => Array.isArray(b) ? b.includes(a) : Object.hasOwn(b, a));
    return one;
  }

  function inverted(): Expression {
    if (!next("!")) return selected();
    const one = inverted();
    return (variables) => !one(variables);
  }

  /**
   * Parses a value followed by field selections. Calls `last` with each selected field, so that `has` knows the last
   * one.
   */
  function selected(last?: (of: Expression, name: string) => void): Expression {
    let of = primary();
    for (;;) {
      const whole = of;
      if (next("[")) {
        const key = choice();
        demand("]");
        of = with2(whole, key, pick);
      } else if (next(".")) {
        const name = tokens.shift() ?? "";
        if (!/^[A-Za-z_]/.test(name)) throw new Error("A field without a name in an expression");
        if (next("(")) {
          of = called(name, whole);
          demand(")");
        } else {
          last?.(whole, name);
          of = (variables) => pick(whole(variables), name);
        }
      } else return of;
    }
  }

  function called(name: string, of: Expression): Expression {
    if (name === "size") return (variables) => Object.keys(of(variables)).length;
    if (name === "startsWith") return with2(of, choice(), (text, start) => text.startsWith(start));
    if (name === "all" || name === "exists") {
      const item = tokens.shift() ?? "";
      if (!/^[A-Za-z_]\w*$/.test(item)) throw new Error(`${item || "The end"} is no variable in an expression`);
      demand(",");
      const holds = choice();
      return (variables) => {
        const each = (value: Json): boolean => holds({ ...variables, [item]: value });
        return name === "all" ? of(variables).every(each) : of(variables).some(each);
      };
    }
    throw new Error(`There is no function ${name} in these expressions`);
  }

  function primary(): Expression {
    const token = tokens.shift() ?? "";
    if (token === "(") {
      const inner = choice();
      demand(")");
      return inner;
    }
    if (token === "has") {
      demand("(");
      let field: Expression | undefined;
      selected((of, name) => field = (variables) => hasField(of(variables), name));
      demand(")");
      if (!field) throw new Error("Expected a field in has() in an expression");
      return field;
    }
    if (token === "[") {
      const items: Expression[] = [];
      while (!next("]")) {
        if (items.length > 0) demand(",");
        items.push(choice());
      }
      return (variables) => items.map((item) => item(variables));
    }
    if (/^["']/.test(token)) return () => token.slice(1, -1);
    if (/^\d/.test(token)) return () => Number(token);
    if (!/^[A-Za-z_]/.test(token)) throw new Error(`${token || "The end"} has no value in an expression`);
    if (token === "true" || token === "false") return () => token === "true";
    return (variables) => pick(variables, token);
  }
}

function with2(one: Expression, other: Expression, what: (a: Json, b: Json) => Json): Expression {
  return (variables) => what(one(variables), other(variables));
}

function pick(of: Json, key: string | number): Json {
  const there = Array.isArray(of) ? of[Number(key)] : hasField(of, String(key)) ? of[key] : undefined;
  if (there === undefined) throw new Error(`no such key: ${key}`);
  return there;
}

function hasField(of: Json, name: string): boolean {
  return isRecord(of) && Object.hasOwn(of, name);
}
