import { type Attachment, type HearTask, recordingName } from '../../conversation/index.ts';
import type { RecordingRef } from '../../store/index.ts';
import { type Locale, localeOf, say } from '../../texts/index.ts';
import { resolve } from '../../settings/index.ts';
import type { Delivery, Verdict } from '../ports.ts';
import { ask } from '../receive.ts';
import { explain } from '../sentences.ts';
import { typedAs } from '../typed-as.ts';
import { placeOfTurn } from '../settings.ts';
import { failedCard, failureOf, fetchingCard, progressCard, writtenCard } from './cards.ts';
import { isLong, uploadWords } from './files.ts';
import { forgetMessage, keepShown } from './forget.ts';
import { listen } from './listen.ts';
import type { VoiceDeps } from './ports.ts';
import { asksFor, cardKey, clockOf, MOST_BYTES, turnOf, wanting } from './recording.ts';
import { refusalOf } from './refusal.ts';
import { type Showing, showing } from './showing.ts';
import { summaryOf } from './summary.ts';
import { tell, translate } from './translate.ts';
import { textOf, translationOf } from './words.ts';

/**
 * Writes recordings out, in the thread under their message; or translates one for somebody. Sound is fetched, listened
 * to, and forgotten: only words are kept. May be broken off anywhere and delivered again: what was heard is not heard twice.
 */
export async function hear(task: HearTask, given: VoiceDeps, delivery: Delivery): Promise<Verdict> {
  if (task.wish.kind === 'forget') return forgetMessage(task, given);
  const layers = await given.choices.layers(placeOfTurn({ thread: task.thread, asker: wanting(task) }));
  // Kept as long as the questions of its thread.
  const recordings = given.recordings.keptFor(resolve('retentionDays', layers).value);
  const deps = { ...given, recordings };
  const refusal = await refusalOf(task, layers, deps);
  if (refusal !== undefined) return refuse(task, refusal, deps);
  if (task.wish.kind === 'translate') return translate(task, task.wish, deps, delivery);
  const heard: Heard[] = [];
  for (const recording of task.recordings) {
    const one = await writeOut(recording, task, deps, delivery);
    if ('later' in one) return { kind: 'later', afterMs: one.later };
    heard.push(one);
  }
  if (task.wish.kind === 'ask') await askAlong(task, task.wish, heard, deps);
  return { kind: 'done' };
}

type Heard = { readonly text: string } | { readonly failed: string };
type Later = { readonly later: number };

/** After the time of this delivery was over. */
const GO_ON_MS = 1_000;

async function writeOut(
  recording: Attachment,
  task: HearTask,
  deps: VoiceDeps,
  delivery: Delivery,
): Promise<Heard | Later> {
  const locale = localeOf(task.locale);
  const ref = { thread: task.thread, message: task.message, file: recordingName(recording) };
  if (await deps.recordings.find(ref)) return { text: textOf(await deps.recordings.pieces(ref, toOf(task))) };
  await deps.recordings.begin(ref, task.asker);
  const shown = showing(task.thread, cardKey(task, recording), deps);
  shown.soon(fetchingCard(locale));
  let doneMs = 0;
  try {
    const bytes = await deps.platform.file(turnOf(task), recording, MOST_BYTES);
    const listened = await listen(
      {
        ref,
        bytes,
        to: toOf(task),
        delivery,
        ask: asksFor(task),
        person: wanting(task),
        progress: (heard, claimedMs) => {
          doneMs = heard.at(-1)?.toMs ?? 0;
          shown.soon(progressCard(heard, claimedMs, locale));
        },
      },
      deps,
    );
    if (listened.kind === 'unfinished') return { later: GO_ON_MS };
    return await finish(listened, { task, recording, ref, shown, delivery, locale }, deps);
  } catch (error) {
    return fail(error, { ref, doneMs, shown, delivery, locale }, deps);
  }
}

type Finishing = {
  readonly task: HearTask;
  readonly recording: Attachment;
  readonly ref: RecordingRef;
  readonly shown: Showing;
  readonly delivery: Delivery;
  readonly locale: Locale;
};

async function finish(
  { pieces, ms, partial }: Extract<Awaited<ReturnType<typeof listen>>, { kind: 'whole' }>,
  work: Finishing,
  deps: VoiceDeps,
): Promise<Heard> {
  const { task, recording, ref, shown, locale } = work;
  const [to, key, by] = [toOf(task), cardKey(task, recording), task.asker];
  const text = textOf(pieces);
  const notes: string[] = [];
  const summary = await summed(text, ms, work, notes, deps);
  const files = isLong(ms) && text !== '' ? await uploadWords(task.thread, pieces, key, deps) : undefined;
  if (files?.all === false) notes.push(say(locale, 'voice.no-files'));
  const hint = await firstHint(task, deps, locale);
  if (hint !== undefined) notes.push(hint);
  const card = await shown.last(writtenCard({ ref, by, pieces, ms, partial, to, summary, notes }, locale));
  if (!(await keepShown(ref, [card, ...(files?.messages ?? [])], deps))) return { text };
  await deps.recordings.finish(ref, { by, ms, pieces: pieces.length, partial, card, source: recording });
  deps.log('voice.written', { ms, pieces: pieces.length, partial, translated: to !== undefined });
  return { text: to === undefined ? text : `${text}\n(${translationOf(pieces)})` };
}

/** A summary that cannot be had now is waited for; one that cannot be had at all is noted. */
async function summed(
  text: string,
  ms: number,
  work: Finishing,
  notes: string[],
  deps: VoiceDeps,
): Promise<string | undefined> {
  try {
    return await summaryOf(text, ms, work, deps);
  } catch (error) {
    const failure = explain(error, clockOf(deps, work.locale));
    if (!failure || (failure.retryAfterMs !== undefined && !work.delivery.last)) throw error;
    notes.push(say(work.locale, 'voice.no-summary', { why: failure.sentence }));
    return undefined;
  }
}

type Failing = {
  readonly ref: RecordingRef;
  readonly doneMs: number;
  readonly shown: Showing;
  readonly delivery: Delivery;
  readonly locale: Locale;
};

/** Waits where waiting helps; else says which stage failed, and what to do. */
async function fail(
  error: unknown,
  { ref, doneMs, shown, delivery, locale }: Failing,
  deps: VoiceDeps,
): Promise<Heard | Later> {
  const clock = clockOf(deps, locale);
  const waitMs = delivery.last ? undefined : explain(error, clock)?.retryAfterMs;
  if (waitMs !== undefined) {
    const seconds = Math.ceil(waitMs / 1_000);
    const words = say(locale, 'voice.in-line', { seconds });
    await shown.last({ tone: 'working', parts: [{ kind: 'note', markdown: words }] });
    return { later: waitMs };
  }
  const sentence = failureOf(error, doneMs, clock);
  if (sentence === undefined) throw error;
  await keepShown(ref, [await shown.last(failedCard(sentence))], deps);
  return { failed: sentence };
}

/** The first time in a channel it is said what happens here, and how to stop it. */
async function firstHint(task: HearTask, deps: VoiceDeps, locale: Locale): Promise<string | undefined> {
  if (task.wish.kind !== 'show' || task.wish.first !== true) return undefined;
  const command = typedAs(task.thread.platform, 'voice optout', deps.settings);
  return (await deps.recordings.isFirstIn(task.thread)) ? say(locale, 'voice.first', { command }) : undefined;
}

/**
 * A question goes on unheard: the worker turns away who may not ask, and whoever may is told why it was not heard. Who
 * pressed a button is told; for all else nobody waits.
 */
async function refuse(
  task: HearTask,
  refusal: NonNullable<Awaited<ReturnType<typeof refusalOf>>>,
  deps: VoiceDeps,
): Promise<Verdict> {
  const { wish, thread } = task;
  deps.log('voice.refused', { reason: refusal, wish: wish.kind, channel: thread.channel });
  const locale = localeOf(task.locale);
  const why =
    refusal === 'switched-off' || refusal === 'silent' || refusal === 'unwanted'
      ? say(locale, 'voice.switched-off')
      : say(locale, `settings.refused.${refusal}`);
  if (wish.kind === 'ask') await askAlong(task, wish, [{ failed: why }], deps);
  if (wish.kind === 'translate') await tell(wish, failedCard(why), deps);
  return { kind: 'done' };
}

/** What was said becomes the question, and with it part of the thread's history. */
async function askAlong(
  task: HearTask,
  { question, attachments }: Extract<HearTask['wish'], { kind: 'ask' }>,
  heard: readonly Heard[],
  deps: VoiceDeps,
): Promise<void> {
  const locale = localeOf(task.locale);
  const spoken = heard.map((one) =>
    'text' in one ? one.text : say(locale, 'voice.quote-failed', { why: one.failed }),
  );
  const words = [question, ...spoken].filter((one) => one.trim() !== '').join('\n\n');
  await ask(turnOf(task), words, attachments, { queue: deps.queue, now: deps.time.now });
}

const toOf = ({ wish }: HearTask): string | undefined => (wish.kind === 'show' ? wish.to : undefined);
