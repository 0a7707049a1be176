import type { HearTask, Thread } from '../../conversation/index.ts';
import { localeOf, say } from '../../texts/index.ts';
import type { VoiceDeps } from './ports.ts';
import type { Wish } from './tell.ts';

/** Slack drops a status that nobody renews after two minutes. */
const RENEW_MS = 90_000;

/** What is said of a translation, or of one that is spoken, until whoever pressed has it. */
export const statusOf = ({ speak }: Pick<Wish, 'speak'>, locale: string | undefined): string =>
  say(localeOf(locale), speak ? 'voice.status.speaking' : 'voice.status.translating');

/** Does some work for whoever pressed a button, and shows in the thread meanwhile that it goes on, where nothing else says so. */
export async function withStatus<T>(
  { thread, locale }: Pick<HearTask, 'thread' | 'locale'>,
  wish: Wish,
  { stage, time, marks }: Pick<VoiceDeps, 'stage' | 'time' | 'marks'>,
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const words = statusOf(wish, locale);
  const renew = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await stage.working?.(thread, words);
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
    await endStatus(thread, { stage, marks });
  }
}

/** Shows no longer that the work goes on. What shows that an answer is being made in the thread stays. Never rejects. */
export async function endStatus(
  thread: Thread,
  { stage, marks }: Pick<VoiceDeps, 'stage' | 'marks'>,
): Promise<void> {
  await stage.working?.(thread, '', await marks.isAnswering(thread).catch(() => false));
}
