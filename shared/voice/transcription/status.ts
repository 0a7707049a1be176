import type { TranscriptionTask, Thread } from '../../domain/index.ts';
import { toLocale, localize } from '../../i18n/index.ts';
import type { VoiceContext } from '../ports.ts';
import type { TranslationRequest } from '../reply-to-requester.ts';

/** Slack clears a status after two minutes without renewal. */
const STATUS_RENEWAL_MS = 90_000;

/** The status text while a translation is made or spoken. */
export const getStatusText = (
  { speak }: Pick<TranslationRequest, 'speak'>,
  locale: string | undefined,
): string => localize(toLocale(locale), speak ? 'voice.status.speaking' : 'voice.status.translating');

/** Runs work for a button click and shows a status in the thread meanwhile. */
export async function withStatus<T>(
  { thread, locale }: Pick<TranscriptionTask, 'thread' | 'locale'>,
  request: TranslationRequest,
  { messenger, time, signals }: Pick<VoiceContext, 'messenger' | 'time' | 'signals'>,
  work: () => Promise<T>,
): Promise<T> {
  const finished = new AbortController();
  const words = getStatusText(request, locale);
  const renew = async (): Promise<void> => {
    while (!finished.signal.aborted) {
      await messenger.showWorking(thread, words);
      await time.sleep(STATUS_RENEWAL_MS, finished.signal);
    }
  };
  const renewing = renew().catch(() => undefined);
  try {
    return await work();
  } finally {
    finished.abort(new Error('the work is done'));
    // A late renewal must not arrive after the status is cleared.
    await renewing;
    await clearStatus(thread, { messenger, signals });
  }
}

/** Clears the status, but keeps the status of an answer in progress in the same thread. Never rejects. */
export async function clearStatus(
  thread: Thread,
  { messenger, signals }: Pick<VoiceContext, 'messenger' | 'signals'>,
): Promise<void> {
  await messenger.showWorking(thread, '', await signals.isAnswering(thread).catch(() => false));
}
