const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bplus\b/giu, '+'],
  [/\bminus\b/giu, '-'],
  [/\b(?:times|multiplied by)\b|[×·]/giu, '*'],
  [/\b(?:divided by|over)\b|÷/giu, '/'],
  [/\bto the power of\b|\*\*/giu, '^'],
  [/(\d)\s*x\s*(?=\d)/giu, '$1*'],
  [/([\d.]+)\s*(?:%|percent)\s+of\s+/giu, '($1/100)*'],
  [/(\d),(?=\d{3}\b)/gu, '$1'],
];

/**
 * The sum in a question, if it holds one: `12 * (3 + 4)`, `17 % of 80`, `six times` is not one. Answers the
 * expression as read and its value; nothing for a division by zero or a bare number.
 */
export function arithmetic(
  question: string,
): { readonly expression: string; readonly value: number } | undefined {
  const text = WORDS.reduce((sofar, [from, to]) => sofar.replace(from, to), question);
  const candidates = text.match(/[-(\d.][\d\s.+\-*/^()]*[\d)]/gu) ?? [];
  for (const candidate of candidates.toSorted((a, b) => b.length - a.length)) {
    const expression = candidate.trim();
    if (expression.length > 200 || !/[\d)]\s*[-+*/^]\s*[-(\d.]/u.test(expression)) continue;
    if (/^\d{2,4}(?:[-/]\d{1,4}){1,2}$/u.test(expression)) continue;
    const value = evaluate(expression);
    if (value !== undefined && Number.isFinite(value)) {
      return { expression: expression.replace(/\s*([-+*/^])\s*/gu, ' $1 '), value: tidy(value) };
    }
  }
  return undefined;
}

function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

/** Recursive descent over + - * / ^ and brackets; undefined for what is no expression. */
function evaluate(text: string): number | undefined {
  const tokens = text.match(/\d+(?:\.\d+)?|\.\d+|[-+*/^()]/gu) ?? [];
  let at = 0;
  const next = (...wanted: string[]): string | undefined => {
    const token = tokens[at];
    if (token === undefined || !wanted.includes(token)) return undefined;
    at += 1;
    return token;
  };
  const unary = (): number => {
    if (next('-') !== undefined) return -unary();
    if (next('(') !== undefined) {
      const inner = sum();
      return next(')') === undefined ? Number.NaN : inner;
    }
    const token = tokens[at];
    at += 1;
    return token === undefined ? Number.NaN : Number(token);
  };
  const power = (): number => {
    const base = unary();
    return next('^') === undefined ? base : base ** power();
  };
  const product = (): number => {
    let value = power();
    for (let sign = next('*', '/'); sign !== undefined; sign = next('*', '/')) {
      value = sign === '*' ? value * power() : value / power();
    }
    return value;
  };
  function sum(): number {
    let value = product();
    for (let sign = next('+', '-'); sign !== undefined; sign = next('+', '-')) {
      value = sign === '+' ? value + product() : value - product();
    }
    return value;
  }
  const value = sum();
  return at === tokens.length && !Number.isNaN(value) ? value : undefined;
}
