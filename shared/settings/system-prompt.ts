import { type SettingsLayers, resolveAll } from './rules/index.ts';

/** In front of a persona that follows instructions: whoever chose it may change the voice, not the rules. */
const PERSONA_FOLLOWS =
  'Take on the persona below. Where it contradicts the instructions above, those above hold.';

/**
 * What the model is told wherever it is asked, whoever asks and as whom it is to speak: the instructions of the deployment,
 * then those of the workspace, then those of the channel.
 */
export function instructionsAt(deployment: string, layers: SettingsLayers): string {
  const set = resolveAll('instructions', layers).map(({ value }) => value);
  return paragraphs([deployment, ...set]);
}

/** The system prompt: the instructions, the text of a persona, the language to answer in (a BCP 47 tag, or `auto`). */
export function systemPrompt({
  instructions,
  persona = '',
  language,
}: {
  readonly instructions: string;
  readonly persona?: string | undefined;
  readonly language?: string | undefined;
}): string {
  const introduced = instructions !== '' && persona !== '' ? [PERSONA_FOLLOWS] : [];
  return paragraphs([instructions, ...introduced, persona, languageWish(language)]);
}

/** In English, which models follow best. */
function languageWish(language: string | undefined): string {
  if (language === undefined || language === 'auto') return '';
  const name = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' }).of(language);
  return `Answer in ${name ?? language}, whatever the language of the question.`;
}

const paragraphs = (parts: readonly string[]): string =>
  parts.filter((part) => part.trim() !== '').join('\n\n');
