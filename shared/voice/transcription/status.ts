import type { TranscriptionTask, Thread } from '../../domain/index.ts';
import { toLocale, localize } from '../../i18n/index.ts';
import type { VoiceContext } from '../ports.ts';
import type { RequesterReply } from '../reply-to-requester.ts';

/** Slack drops a status that nobody renews after two minutes. */
const RENEW_MS = 90_000;

/** What is said of a translation, or of one that is spoken, until whoever pressed has it. */
export const statusOf = ({ speak }: Pick<RequesterReply, 'speak'>, locale: string | undefined): string =>
  localize(toLocale(locale), speak ? 'voice.status.speaking' : 'voice.status.translating');

/** Does some work for whoever pressed a button, and shows in the thread meanwhile that it goes on, where nothing else says so. */
export async function withStatus<T>(
  { thread, locale }: Pick<TranscriptionTask, 'thread' | 'locale'>,
  wish: RequesterReply,
  { messenger: stage, time, signals }: Pick<VoiceContext, 'messenger' | 'time' | 'signals'>,
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const words = statusOf(wish, locale);
  const renew = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await stage.showWorking(thread, words);
      await time.sleep(RENEW_MS, over.signal);
    }
  };
  const renewing = renew().catch(() => undefined);
  try {
    return await work();
  } finally {
    over.abort(new Error('the work is done'));
    // One that is still on its way must not land after the end.
    await renewing;
    await endStatus(thread, { messenger: stage, signals });
  }
}

/** Shows no longer that the work goes on. What shows that an answer is being made in the thread stays. Never rejects. */
export async function endStatus(
  thread: Thread,
  { messenger: stage, signals }: Pick<VoiceContext, 'messenger' | 'signals'>,
): Promise<void> {
  await stage.showWorking(thread, '', await signals.isAnswering(thread).catch(() => false));
}
