import type { HearTask } from '../../conversation/index.ts';
import { type Locale, localeOf, say } from '../../texts/index.ts';
import type { Verdict } from '../ports.ts';
import { ask } from '../receive.ts';
import { failedCard } from './cards.ts';
import type { VoiceDeps } from './ports.ts';
import { turnOf } from './recording.ts';
import type { refusalOf } from './refusal.ts';
import { tell } from './tell.ts';

/** What became of a recording of a question. */
export type Heard =
  | { readonly text: string }
  /** `stopped`: by a person, before anything was heard. */
  | { readonly failed: string; readonly stopped?: true };

/** What was said becomes the question, and with it part of the thread's history. */
export async function askAlong(
  task: HearTask,
  { question, attachments, again }: Extract<HearTask['wish'], { kind: 'ask' }>,
  heard: readonly Heard[],
  { queue, time }: Pick<VoiceDeps, 'queue' | 'time'>,
): Promise<void> {
  const locale = localeOf(task.locale);
  const spoken = heard.map((one) =>
    'text' in one ? one.text : say(locale, 'voice.quote-failed', { why: one.failed }),
  );
  const words = [question, ...spoken].filter((one) => one.trim() !== '').join('\n\n');
  const deps = { queue, now: time.now };
  await ask(turnOf(task), words, attachments, deps, { late: again }, again ? 'heard' : '');
}

function whyNot(refusal: NonNullable<Awaited<ReturnType<typeof refusalOf>>>, locale: Locale): string {
  switch (refusal) {
    case 'theirs':
      return say(locale, 'voice.theirs');
    case 'switched-off':
    case 'silent':
    case 'unwanted':
      return say(locale, 'voice.switched-off');
    case 'denied':
    case 'not-allowed':
    case 'not-here':
      return say(locale, `settings.refused.${refusal}`);
  }
}

/**
 * A question goes on unheard: the worker turns away who may not ask, and whoever may is told why it was not heard. Who
 * pressed a button is told; for all else nobody waits.
 */
export async function refuse(
  task: HearTask,
  refusal: NonNullable<Awaited<ReturnType<typeof refusalOf>>>,
  deps: VoiceDeps,
): Promise<Verdict> {
  const { wish, thread } = task;
  deps.log('voice.refused', { reason: refusal, wish: wish.kind, channel: thread.channel });
  const locale = localeOf(task.locale);
  const why = whyNot(refusal, locale);
  if (wish.kind === 'ask') await askAlong(task, wish, [{ failed: why }], deps);
  if (wish.kind === 'translate') await tell(wish, failedCard(why), deps);
  return { kind: 'done' };
}
