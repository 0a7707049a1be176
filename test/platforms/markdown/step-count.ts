// Counts the characters that a function reads, by its calls on strings and patterns. Backtracking within a pattern is
// not counted.

type Cost = (subject: string, args: readonly unknown[], result: unknown) => number;

const whole: Cost = (subject) => subject.length;
const searchCost: Cost = (subject, [, from], result) => {
  const start = Number(from ?? 0);
  return Number(result) < 0 ? Math.max(0, subject.length - start) : Number(result) - start + 1;
};
const foundBefore: Cost = (subject, [, from], result) =>
  Math.min(subject.length, Number(from ?? subject.length)) - Number(result);
const length: Cost = (_, __, result) => String(result).length + 1;

/** Methods that read one character, or as many as their argument has. Nearly all calls are of these. */
const READ_ONE = ['charAt', 'charCodeAt', 'codePointAt', 'startsWith', 'endsWith'] as const;

const STRING: Readonly<Record<string, Cost>> = {
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

type Method = (this: unknown, ...args: unknown[]) => unknown;
/** Calls the method that was replaced. */
type Apply = (self: unknown, args: unknown[]) => unknown;

/** The number of steps of `work`. */
export function stepsOf(work: () => void): number {
  let steps = 0;
  let counting = true;
  const undo: (() => void)[] = [];
  const replace = (target: object, name: string, create: (apply: Apply) => Method): void => {
    const before = Object.getOwnPropertyDescriptor(target, name);
    const method: unknown = before?.value;
    if (typeof method !== 'function') throw new Error(`${name} is no method`);
    const value = create((self, args): unknown => Reflect.apply(method, self, args));
    Object.defineProperty(target, name, { ...before, value });
    undo.push(() => Object.defineProperty(target, name, before ?? {}));
  };
  const patch = (
    target: object,
    name: string,
    cost: (self: unknown, args: readonly unknown[], call: () => unknown) => unknown,
  ): void =>
    replace(
      target,
      name,
      (apply) =>
        function counted(this: unknown, ...args): unknown {
          if (!counting) return apply(this, args);
          counting = false;
          try {
            return cost(this, args, () => apply(this, args));
          } finally {
            counting = true;
          }
        },
    );
  for (const name of READ_ONE)
    replace(
      String.prototype,
      name,
      (apply) =>
        function counted(this: unknown, ...args): unknown {
          if (counting) steps += 1;
          return apply(this, args);
        },
    );
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
