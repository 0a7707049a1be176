import type { TurnOutcome } from '../../domain/index.ts';
import { describeLanguage, findCodeBlocks } from './code-blocks.ts';

/** A file with text. */
export type TextFile = {
  readonly name: string;
  readonly mimetype: string;
  readonly text: string;
  /** See `Upload`. */
  readonly snippetType?: string | undefined;
};

type Answer = Extract<TurnOutcome, { kind: 'answered' }>;

/** Most files of one answer. The rest is in the answer. */
const MAX_FILES = 5;

/** The files of an answer: its text as Markdown, or its blocks of code, each with the ending of its language. */
export function buildAnswerFiles({ text }: Pick<Answer, 'text'>, kind: 'text' | 'code'): readonly TextFile[] {
  if (kind === 'text') return [{ name: 'answer.md', mimetype: 'text/markdown', text }];
  return findCodeBlocks(text)
    .filter(({ code }) => code.trim() !== '')
    .slice(0, MAX_FILES)
    .map(({ language, code }, place) => {
      const [ending, snippetType] = describeLanguage(language);
      return { name: `code-${place + 1}.${ending}`, mimetype: 'text/plain', text: code, snippetType };
    });
}
