// One line break at a time: a text of line breaks alone must not take quadratic time.
const BLOCKS = /(?:\n[^\n]+:\n<facts>\n[^]*?\n<\/facts>)+\n[^\n]*$/u;
const FACT = /^- (.+)$/gmu;

/** Separates a question from the facts about its author and its channel that follow it. */
export function splitFacts(text: string): { readonly question: string; readonly facts: readonly string[] } {
  const blocks = BLOCKS.exec(text)?.[0] ?? '';
  return {
    question: text.slice(0, text.length - blocks.length),
    facts: [...blocks.matchAll(FACT)].map(([, fact = '']) => fact),
  };
}
