import * as v from 'valibot';
import type { Random } from './random.ts';
import { faultRule, ruleOf } from './stream/faults.ts';
import type { Fault, FaultRule } from './stream/faults.ts';
import { directivesIn } from './directives.ts';

export type Rules = {
  /** Adds a rule; returns the name for its removal. */
  add(rule: FaultRule): string;
  remove(name: string): boolean;
  list(): { name: string; rule: FaultRule; struck: number }[];
  clear(): void;
  /** The faults of a request, including those of its directives. Counts the request. */
  strike(path: string, body: string, question: string): Fault[];
};

type Standing = { readonly rule: FaultRule; seen: number; struck: number };

/** The rules with the number of their occurrences. */
export function createRules(random: Random): Rules {
  const standing = new Map<string, Standing>();
  const durations = new Map<string, number>();
  let index = 0;

  const strikes = (each: Standing, path: string, body: string): boolean => {
    const { rule } = each;
    if (!path.startsWith(rule.path ?? '/v1/chat/completions')) return false;
    if (rule.containing !== undefined && !body.includes(rule.containing)) return false;
    each.seen += 1;
    if (each.seen <= (rule.skip ?? 0) || each.struck >= (rule.times ?? Infinity)) return false;
    if (rule.rate !== undefined && random() >= rule.rate) return false;
    each.struck += 1;
    return true;
  };

  const spokenFaults = (question: string): Fault[] =>
    directivesIn(question).flatMap((directive, at) => {
      const rule = ruleOf(directive);
      if (rule === undefined) return [];
      const name = `${at} ${question}`;
      const before = durations.get(name) ?? 0;
      durations.set(name, before + 1);
      return before < (rule.times ?? Infinity) ? [rule.fault] : [];
    });

  return {
    add(rule) {
      const name = `fault-${(index += 1)}`;
      standing.set(name, { rule: v.parse(faultRule, rule), seen: 0, struck: 0 });
      return name;
    },
    remove: (name) => standing.delete(name),
    list: () => [...standing].map(([name, { rule, struck }]) => ({ name, rule, struck })),
    clear() {
      standing.clear();
      durations.clear();
    },
    strike(path, body, question) {
      const set = [...standing.values()].filter((each) => strikes(each, path, body));
      return [...set.map(({ rule }) => rule.fault), ...spokenFaults(question)];
    },
  };
}
