import type { HearTask } from '../../conversation/index.ts';
import { localeOf, say } from '../../texts/index.ts';
import type { Deps, Verdict } from '../ports.ts';
import { ask } from '../receive.ts';
import { failedCard } from './cards.ts';
import { cardKey, turnOf } from './recording.ts';

type GiveUpDeps = Pick<Deps, 'stage' | 'queue' | 'time' | 'log'>;

/** The queue gave recordings up: whoever waits is told, and a question is asked with what there is of it in words. */
export async function giveUpHearing(task: HearTask, deps: GiveUpDeps): Promise<Verdict> {
  const { wish } = task;
  deps.log('voice.dead', { message: task.message, wish: wish.kind });
  const why = say(localeOf(task.locale), 'voice.failed.gave-up');
  if (wish.kind === 'translate' || wish.kind === 'forget') return { kind: 'done' };
  for (const recording of task.recordings) {
    await deps.stage.card(task.thread, failedCard(why), cardKey(task, recording));
  }
  if (wish.kind === 'ask') {
    const spoken = say(localeOf(task.locale), 'voice.quote-failed', { why });
    const words = [wish.question, spoken].filter((one) => one !== '').join('\n\n');
    await ask(turnOf(task), words, wish.attachments, { queue: deps.queue, now: deps.time.now });
  }
  return { kind: 'done' };
}
