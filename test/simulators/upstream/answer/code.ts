import type { Material } from './material.ts';

/** A function that adds numbers up, as each language writes and indents it. */
const SAMPLES: readonly (readonly [RegExp, string, string])[] = [
  [
    /\bpython\b/iu,
    'python',
    `def total(numbers: list[int]) -> int:
    """Adds numbers up; an empty list gives 0."""
    result = 0
    for number in numbers:
        result += number
    return result`,
  ],
  [
    /\bgo(?:lang)?\b/iu,
    'go',
    `// Total adds numbers up; no numbers give 0.
func Total(numbers []int) int {
\tresult := 0
\tfor _, number := range numbers {
\t\tresult += number
\t}
\treturn result
}`,
  ],
  [
    /\brust\b/iu,
    'rust',
    `/// Adds numbers up; an empty slice gives 0.
fn total(numbers: &[i64]) -> i64 {
    let mut result = 0;
    for number in numbers {
        result += number;
    }
    result
}`,
  ],
  [
    /\bjava\b/iu,
    'java',
    `/** Adds numbers up; none give 0. */
static int total(List<Integer> numbers) {
    int result = 0;
    for (int number : numbers) {
        result += number;
    }
    return result;
}`,
  ],
  [
    /\bsql\b/iu,
    'sql',
    `SELECT author,
  COUNT(*) AS messages,
  SUM(length) AS characters
FROM messages
WHERE channel = 'general'
GROUP BY author
ORDER BY messages DESC;`,
  ],
  [
    /\b(?:bash|shell)\b/iu,
    'sh',
    `# Adds up the numbers that it is given.
total() {
  local result=0
  for number in "$@"; do
    result=$((result + number))
  done
  echo "$result"
}`,
  ],
  [
    /\b(?:html|web ?page)\b/iu,
    'html',
    `<ul>
  <li>
    <a href="/notes">Notes</a>
  </li>
</ul>`,
  ],
  [
    /(?:)/u,
    'ts',
    `/** Adds numbers up; an empty list gives 0. */
export function total(numbers: readonly number[]): number {
  let result = 0;
  for (const number of numbers) {
    result += number;
  }
  return result;
}`,
  ],
];

/** Code in the language that was asked for; TypeScript if none was. */
export function codeFor(prompt: string): string {
  const [, language, text] = SAMPLES.find(([pattern]) => pattern.test(prompt)) ?? ['', 'ts', ''];
  return `Here is a small piece for that:

\`\`\`${language}
${text}
\`\`\`

It is one of a few that the practice model has by heart; a real model would write what you asked for.`;
}

/** What there is to say about somebody's code without understanding it: the code itself, and what it names. */
export function aboutCode({ language, text }: NonNullable<Material['code']>): string {
  const names = [...text.matchAll(/\b(?:def|class|function|func|fn|interface|type)\s+(\w+)/gu)].map(
    ([, name = '']) => `\`${name}\``,
  );
  const lines = text.trimEnd().split('\n');
  const deepest = Math.max(...lines.map((line) => /^\s*/u.exec(line)?.[0].length ?? 0));
  const defines = names.length > 0 ? ` It defines ${names.join(', ')}.` : '';
  return `I read ${lines.length} lines of ${language === '' ? 'code' : language}, indented by up to ${deepest} characters.${defines}

\`\`\`${language}
${text}
\`\`\`

The practice model cannot run or judge it; a real model would now say what it does.`;
}
