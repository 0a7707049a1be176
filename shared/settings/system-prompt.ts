import { resolveAll, type SettingsLayers } from './rules/index.ts';

/** Stands between instructions and a persona: who chooses a persona may change the tone, but not the rules. */
const PERSONA_INTRODUCTION =
  'Take on the persona below. Where it contradicts the instructions above, those above hold.';

/**
 * Joins the instructions of the deployment, the workspace and the channel, in this order. They apply to every question, for
 * every person and persona.
 */
export function combineInstructions(deployment: string, layers: SettingsLayers): string {
  const instructions = resolveAll('instructions', layers).map(({ value }) => value);
  return joinParagraphs([deployment, ...instructions]);
}

/** Builds the system prompt. `persona` is its text; `language` is the language of the answer (a BCP 47 tag, or `auto`); `avoid` are words that it must not have. */
export function buildSystemPrompt({
  instructions,
  persona = '',
  language,
  avoid = [],
}: {
  readonly instructions: string;
  readonly persona?: string | undefined;
  readonly language?: string | undefined;
  readonly avoid?: readonly string[] | undefined;
}): string {
  const introduction = instructions !== '' && persona !== '' ? [PERSONA_INTRODUCTION] : [];
  const style = [languageInstruction(language), avoidInstruction(avoid)];
  return joinParagraphs([instructions, ...introduction, persona, ...style]);
}

/** The instruction is in English, which models follow best. */
function languageInstruction(language: string | undefined): string {
  if (language === undefined || language === 'auto') return '';
  const name = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' }).of(language);
  return `Answer in ${name ?? language}, whatever the language of the question.`;
}

/** People type these words: as JSON strings they cannot end the sentence. */
const avoidInstruction = (words: readonly string[]): string =>
  words.length > 0 ? `Do not use these words: ${words.map((word) => JSON.stringify(word)).join(', ')}.` : '';

const joinParagraphs = (parts: readonly string[]): string =>
  parts.filter((part) => part.trim() !== '').join('\n\n');
