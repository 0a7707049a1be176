import { type ApologiseTask, type Invocation, parseHearTask, parseTask } from '../conversation/index.ts';
import type { Queue } from '../runtime/queue.ts';
import type { Recordings } from '../store/index.ts';
import { say } from '../texts/index.ts';
import { apologise } from './apologise.ts';
import { tell, words } from './commands/run.ts';
import { localeOfCall } from './locale.ts';
import type { Deps, Verdict } from './ports.ts';
import { send } from './receive.ts';
import { placeOfTurn } from './settings.ts';
import { giveUpHearing } from './voice/give-up.ts';

export type BuryDeps = Pick<
  Deps,
  'turns' | 'marks' | 'platform' | 'stage' | 'people' | 'time' | 'settings' | 'log'
> & {
  readonly recordings: Pick<Recordings, 'of' | 'remove'>;
  readonly queue: Queue;
  readonly choices: Pick<Deps['choices'], 'layers'>;
};

/** What changes an answer is tried this many rounds; after that the answer stays as it is. */
const ROUNDS = 3;

/**
 * Deals with a task that the queue gave up. All goes back through the queue, in line with the thread: by now the next
 * question may be being answered there, and two workers would take each other's messages for their own. Only an apology
 * that failed as often as the question is made right here.
 */
export async function bury(body: string, deps: BuryDeps): Promise<Verdict> {
  const recording = parseHearTask(body);
  if (recording) return giveUpHearing(recording, deps);
  const task = parseTask(body);
  deps.log('task.dead', { kind: task?.kind ?? 'unreadable', message: task?.message });
  switch (task?.kind) {
    case 'apologise': {
      const layers = await deps.choices.layers(placeOfTurn(task));
      // Outside the line of its thread: whoever holds the turn may be alive.
      const known = { ...deps, settings: { ...deps.settings, layers } };
      return apologise(task, known, { again: false });
    }
    case 'ask': {
      const { receivedAt: _, attachments: __, ...asked } = task;
      const apology: ApologiseTask = { ...asked, kind: 'apologise' };
      await send(apology, '', deps.queue);
      break;
    }
    case 'redo': {
      const round = task.round + 1;
      if (round < ROUNDS) await send({ ...task, round }, `${task.key}-${round}`, deps.queue);
      break;
    }
    case 'erase': {
      // What was asked to be forgotten is forgotten, however long it takes.
      const round = task.round + 1;
      await send({ ...task, round }, String(round), deps.queue);
      break;
    }
    case 'invoked':
      // A reaction may have meant nothing to the bot: people are not spoken to for that.
      if (task.invocation.call.kind === 'reacted') break;
      return gaveUp(task.invocation, deps);
    case 'export':
      return gaveUp(task.wanted, deps);
    // The sweeper asks for another look for as long as the job is open.
    case 'video':
    // The mark on the turn stays, and the sweeper asks for another look.
    case 'reconcile':
    case undefined:
  }
  return { kind: 'done' };
}

/** Who called is told while their ticket lasts; Discord would show them for a quarter of an hour that it is thinking. */
async function gaveUp(invocation: Invocation, deps: BuryDeps): Promise<Verdict> {
  const locale = await localeOfCall(invocation, deps);
  return tell({ invocation }, words(say(locale, 'commands.gave-up'), 'bad'), deps);
}
