import type { Card, TranscriptionTask, TaskResult } from '../domain/index.ts';
import type { Locale } from '../i18n/index.ts';
import { replyPrivately } from '../ports/index.ts';
import type { VoiceContext } from './ports.ts';

/** A request of one person for the translation of one recording. */
export type TranslationRequest = Extract<TranscriptionTask['request'], { kind: 'translate' }>;

/** Sends an ephemeral card to the person who clicked. An expired interaction token is only logged. */
export async function replyToRequester(
  { interaction }: TranslationRequest,
  card: Card,
  locale: Locale,
  context: Pick<VoiceContext, 'messenger' | 'time' | 'log'>,
): Promise<TaskResult> {
  await replyPrivately(interaction, card, locale, context, 'voice.response-failed');
  return { kind: 'done' };
}
