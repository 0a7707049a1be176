import { type HearTask, recordingName } from '../../conversation/index.ts';
import { localeOf, say } from '../../texts/index.ts';
import { CardRefused, ThreadGone } from '../../platforms/platform.ts';
import type { Verdict } from '../ports.ts';
import { askAlong } from './ask-along.ts';
import { failedCard } from './cards.ts';
import { forgetMessage } from './forget.ts';
import type { VoiceDeps } from './ports.ts';
import { cardKey } from './recording.ts';
import { endStatus } from './status.ts';
import { tell } from './tell.ts';

type GiveUpDeps = Pick<VoiceDeps, 'stage' | 'queue' | 'time' | 'log' | 'marks'> &
  Parameters<typeof forgetMessage>[1];

/**
 * The queue gave recordings up: whoever waits is told, and a question is asked with what there is of it in words. What was to
 * be forgotten is forgotten here: rejects where that fails, to be called again.
 */
export async function giveUpHearing(task: HearTask, deps: GiveUpDeps): Promise<Verdict> {
  const { wish } = task;
  deps.log('voice.dead', { message: task.message, wish: wish.kind });
  if (wish.kind === 'forget') return forgetMessage(task, deps);
  const why = say(localeOf(task.locale), 'voice.failed.gave-up');
  if (wish.kind === 'translate') {
    await endStatus(task.thread, deps);
    return tell(wish, failedCard(why), deps);
  }
  const begun = await deps.recordings.of(task.thread, task.message);
  for (const recording of task.recordings) {
    const known = begun.find(({ ref }) => ref.file === recordingName(recording));
    // The card was the first that was shown of it: it says until now that it is being written out.
    const [card] = known?.shown.toSorted() ?? [];
    const key = cardKey(task, recording);
    await deps.stage.card(task.thread, failedCard(why), key, card).catch((error: unknown) => {
      if (!(error instanceof CardRefused || error instanceof ThreadGone)) throw error;
      deps.log('voice.unshown', { reason: error.message, channel: task.thread.channel });
    });
  }
  if (wish.kind === 'ask') await askAlong(task, wish, [{ failed: why }], deps);
  return { kind: 'done' };
}
