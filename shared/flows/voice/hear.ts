import { type Attachment, type HearTask, recordingName } from '../../conversation/index.ts';
import type { Length } from '../../media/index.ts';
import { resolve } from '../../settings/index.ts';
import { type Locale, localeOf, say } from '../../texts/index.ts';
import { CardRefused, ThreadGone } from '../../platforms/platform.ts';
import type { Delivery, Verdict } from '../ports.ts';
import { placeOfTurn } from '../settings.ts';
import { instructionsAt } from '../system-prompt.ts';
import { localeFor } from '../locale.ts';
import { askAlong, type Heard, refuse } from './ask-along.ts';
import { failedCard, failureOf, fetchingCard, progressCard } from './cards.ts';
import { finish, stands } from './finish.ts';
import { forgetMessage, keepShown, MessageGone } from './forget.ts';
import { listen, MOST_MS } from './listen.ts';
import { comeAgain, mayWait, waitOf } from './onward.ts';
import type { VoiceDeps } from './ports.ts';
import { asksFor, cardKey, clockOf, MOST_BYTES, toOf, turnOf, wanting } from './recording.ts';
import { refusalOf } from './refusal.ts';
import { type Showing, showing } from './showing.ts';
import { withStatus } from './status.ts';
import { translate } from './translate.ts';
import { textOf } from './words.ts';

/**
 * Writes recordings out, in the thread under their message; or translates one for somebody. Sound is fetched, listened
 * to, and forgotten: only words are kept. May be broken off anywhere and delivered again: what was heard is not heard twice.
 */
export async function hear(wanted: HearTask, given: VoiceDeps, delivery: Delivery): Promise<Verdict> {
  if (wanted.wish.kind === 'forget') return forgetMessage(wanted, given);
  if (await given.recordings.isGone(wanted)) return gone(wanted, given);
  const turn = turnOf(wanted);
  // Asked along with what is set, for whoever waits.
  const reads = wanted.locale ?? given.platform.language(turn, turn.asker);
  const layers = await given.choices.layers(placeOfTurn({ thread: wanted.thread, asker: wanting(wanted) }));
  // Kept as long as the questions of its thread.
  const recordings = given.recordings.keptFor(resolve('retentionDays', layers).value);
  const settings = { ...given.settings, systemPrompt: instructionsAt(given.settings.systemPrompt, layers) };
  const deps = { ...given, recordings, settings };
  const task = { ...wanted, locale: localeFor(layers, await reads) };
  const refusal = await refusalOf(task, layers, deps);
  const { wish } = task;
  if (wish.kind === 'translate')
    return withStatus(task, wish, deps, () =>
      refusal === undefined ? translate(task, wish, deps, delivery) : refuse(task, refusal, deps),
    );
  if (refusal !== undefined) return refuse(task, refusal, deps);
  const heard: Heard[] = [];
  for (const recording of task.recordings) {
    const one = await writeOut(recording, task, deps, delivery);
    if (one === 'gone') return gone(task, deps);
    if ('later' in one) return comeAgain(task, one.later, delivery, deps);
    heard.push(one);
  }
  if (wish.kind === 'ask') await askAlong(task, wish, heard, deps);
  return { kind: 'done' };
}

/** Its question is gone too, and is taken back in line with its thread. */
function gone({ thread, wish }: HearTask, { log }: Pick<VoiceDeps, 'log'>): Verdict {
  log('voice.refused', { reason: 'gone', wish: wish.kind, channel: thread.channel });
  return { kind: 'done' };
}

/** How long the platform says it is; where its file does not tell. */
const claimed = ({ ms }: Attachment): Length | undefined => (ms ? { ms, estimated: false } : undefined);

type Later = { readonly later: number };

/** After the time of this delivery was over. */
const GO_ON_MS = 1_000;

async function writeOut(
  recording: Attachment,
  task: HearTask,
  deps: VoiceDeps,
  delivery: Delivery,
): Promise<Heard | Later | 'gone'> {
  const locale = localeOf(task.locale);
  const ref = { thread: task.thread, message: task.message, file: recordingName(recording) };
  const [known] = await Promise.all([deps.recordings.find(ref), deps.recordings.begin(ref, task.asker)]);
  const pieces = known ? await deps.recordings.pieces(ref, toOf(task)) : [];
  if (known && (task.wish.kind !== 'show' || (await stands(known, ref, deps))))
    return { text: textOf(pieces) };
  // Known from the first time on: it goes with its message also where it never becomes more than this.
  const shown = showing(task.thread, cardKey(task, recording), deps, (card) => keepShown(ref, [card], deps));
  shown.soon(fetchingCard(locale));
  const work = { task, recording, ref, shown, delivery, locale };
  let doneMs = 0;
  try {
    if (known?.pieces === pieces.length) return await finish({ ...known, pieces }, work, deps);
    if ((recording.ms ?? 0) > MOST_MS) {
      const sentence = say(locale, 'voice.failed.long', { hours: MOST_MS / 3_600_000 });
      await shown.last(failedCard(sentence));
      return { failed: sentence };
    }
    const bytes = await deps.platform.file(turnOf(task), recording, MOST_BYTES);
    const listened = await listen(
      {
        ref,
        bytes,
        to: toOf(task),
        delivery,
        ask: asksFor(task),
        person: wanting(task),
        progress: (heard, whole) => {
          doneMs = heard.at(-1)?.toMs ?? 0;
          shown.soon(progressCard(heard, whole ?? claimed(recording), locale));
        },
      },
      deps,
    );
    if (listened.kind === 'unfinished') return { later: GO_ON_MS };
    return await finish(listened, work, deps);
  } catch (error) {
    if (error instanceof MessageGone) return 'gone';
    try {
      return await fail(error, { task, doneMs, shown, delivery, locale }, deps);
    } catch (failure) {
      if (!mayNotBeShown(failure)) throw failure;
      // What was heard stays, and goes along with the question; it is heard no better if it is tried again.
      deps.log('voice.unshown', { reason: failure.message, channel: task.thread.channel });
      return { text: textOf(await deps.recordings.pieces(ref, toOf(task))) };
    }
  }
}

/** Whether the bot may not write where a card was to be shown, or nothing is there any more. */
const mayNotBeShown = (error: unknown): error is CardRefused | ThreadGone =>
  error instanceof CardRefused || error instanceof ThreadGone;

type Failing = {
  readonly task: HearTask;
  readonly doneMs: number;
  readonly shown: Showing;
  readonly delivery: Delivery;
  readonly locale: Locale;
};

/** Waits where waiting helps; else says which stage failed, and what to do. */
async function fail(
  error: unknown,
  { task, doneMs, shown, delivery, locale }: Failing,
  deps: VoiceDeps,
): Promise<Heard | Later> {
  const clock = clockOf(deps, locale);
  const wait = waitOf(error, clock);
  if (wait !== undefined && (await mayWait(task, delivery, deps))) {
    const seconds = Math.ceil(wait.ms / 1_000);
    const words = say(locale, wait.broke ? 'voice.broke-off' : 'voice.in-line', { seconds });
    await shown.last({ tone: 'working', parts: [{ kind: 'note', markdown: words }] });
    return { later: wait.ms };
  }
  const sentence = failureOf(error, doneMs, clock);
  if (sentence === undefined) throw error;
  await shown.last(failedCard(sentence));
  return { failed: sentence };
}
