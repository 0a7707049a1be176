// Counts the characters that a function reads, by its calls on strings and patterns. Backtracking within a pattern is
// not counted.

type Cost = (subject: string, args: readonly unknown[], result: unknown) => number;

const one: Cost = () => 1;
const whole: Cost = (subject) => subject.length;
const searchCost: Cost = (subject, [, from], result) => {
  const start = Number(from ?? 0);
  return Number(result) < 0 ? Math.max(0, subject.length - start) : Number(result) - start + 1;
};
const foundBefore: Cost = (subject, [, from], result) =>
  Math.min(subject.length, Number(from ?? subject.length)) - Number(result);
const length: Cost = (_, __, result) => String(result).length + 1;

const STRING: Readonly<Record<string, Cost>> = {
  charAt: one,
  charCodeAt: one,
  codePointAt: one,
  startsWith: one,
  endsWith: one,
  slice: length,
  repeat: length,
  trim: whole,
  trimStart: whole,
  trimEnd: whole,
  toWellFormed: whole,
  includes: whole,
  indexOf: searchCost,
  lastIndexOf: foundBefore,
  split: whole,
  replace: whole,
  replaceAll: whole,
  matchAll: whole,
};

/** A pattern that is anchored or sticky reads what it matches; others also read everything before the match. */
function costOfPattern(pattern: RegExp, subject: string, from: number, result: unknown): number {
  const match = Array.isArray(result) ? String(result[0]).length : 1;
  if (pattern.sticky || (pattern.source.startsWith('^') && !pattern.multiline)) return match + 1;
  const end = Array.isArray(result) ? subject.indexOf(String(result[0]), from) : subject.length;
  return Math.max(0, end - from) + match;
}

function patternIn(self: unknown): RegExp {
  if (self instanceof RegExp) return self;
  throw new Error('no pattern');
}

/** The number of steps of `work`. */
export function stepsOf(work: () => void): number {
  let steps = 0;
  let counting = true;
  const undo: (() => void)[] = [];
  const patch = (
    target: object,
    name: string,
    cost: (self: unknown, args: readonly unknown[], call: () => unknown) => unknown,
  ) => {
    const before = Object.getOwnPropertyDescriptor(target, name);
    const method: unknown = before?.value;
    if (typeof method !== 'function') throw new Error(`${name} is no method`);
    Object.defineProperty(target, name, {
      ...before,
      value(this: unknown, ...args: never[]) {
        const call = (): unknown => Reflect.apply(method, this, args);
        if (!counting) return call();
        counting = false;
        try {
          return cost(this, args, call);
        } finally {
          counting = true;
        }
      },
    });
    undo.push(() => Object.defineProperty(target, name, before ?? {}));
  };
  for (const [name, cost] of Object.entries(STRING)) {
    patch(String.prototype, name, (self, args, call) => {
      const result = call();
      steps += cost(String(self), args, result);
      return result;
    });
  }
  patch(RegExp.prototype, 'exec', (self, [subject], call) => {
    const pattern = patternIn(self);
    const from = pattern.global || pattern.sticky ? pattern.lastIndex : 0;
    const result = call();
    steps += costOfPattern(pattern, String(subject), from, result);
    return result;
  });
  patch(RegExp.prototype, 'test', (self, [subject], call) => {
    const result = call();
    steps += costOfPattern(patternIn(self), String(subject), 0, result === true ? [''] : null);
    return result;
  });
  try {
    work();
  } finally {
    counting = false;
    for (const back of undo) back();
  }
  return steps;
}
