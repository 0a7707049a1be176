import { type HearTask, type Invocation, messageId, type Thread } from '../../conversation/index.ts';
import { say, type TextKey } from '../../texts/index.ts';
import { sendToHear } from '../overhear.ts';
import { CardRefused, ThreadGone } from '../../platforms/platform.ts';
import type { RecordingRef } from '../../store/index.ts';
import { formTexts } from '../../texts/forms/index.ts';
import type { Deps, Verdict } from '../ports.ts';
import { noRoom } from './no-room.ts';
import { receive } from '../receive.ts';
import { stoppingCard } from '../voice/progress-cards.ts';
import { keyOfCard } from '../voice/recording.ts';
import { statusOf } from '../voice/status.ts';
import { STOPPED } from '../voice/stop.ts';
import { textOf } from '../voice/words.ts';
import { type Called, DONE, type Run, stale, tell, words } from './run.ts';

/**
 * The controls under the words of a recording: `voice.translate|message|file`, for who pressed alone, into their own
 * language or the one chosen; `voice.speak|message|file|language`, for all to hear; `voice.asked|message|file`, the form that
 * asks about it; `voice.stop|message|file|person`, while they are written out for that person.
 */
export const act: Run<Called<'action' | 'form'>> = async (called, deps) => {
  const { call, invocation, locale } = called;
  const [message, file, spoken] = call.action.args;
  const thread = threadOf(invocation, message);
  if (!message || !file || !thread || !deps.hearing) return stale(called, deps);
  const ref = { thread, message: messageId(message), file };
  if (call.action.name === 'voice.stop') return stopWritingOut(ref, called, deps);
  const known = await deps.hearing.recordings.find(ref);
  if (!known) return tell(called, words(say(locale, 'voice.gone'), 'bad'), deps);
  if (call.kind === 'form') return askAbout(ref, call.values['question'] ?? '', called, deps);
  const { user: asker, workspace: askerWorkspace } = invocation.by;
  const wish = {
    kind: 'translate' as const,
    to: spoken ?? call.chosen[0] ?? readsIn(deps) ?? locale,
    speak: call.action.name === 'voice.speak',
    invocation,
  };
  const task: HearTask = {
    v: 1,
    kind: 'hear',
    thread,
    message: ref.message,
    asker,
    askerWorkspace,
    recordings: [known.source],
    locale,
    wish,
  };
  await sendToHear(task, `call#${invocation.id}`, deps.hearing.queue);
  // Not a message of its own: nothing could take that away again in Slack.
  await deps.stage.working?.(thread, statusOf(wish, locale));
  return DONE;
};

/** No more of a recording is written out, for who asked for it, who recorded it, and admins: its card says so at once. */
async function stopWritingOut(
  ref: RecordingRef,
  called: Called<'action' | 'form'>,
  deps: Deps,
): Promise<Verdict> {
  const { call, invocation, locale, admin } = called;
  const recordings = deps.hearing?.recordings;
  const [signal, known] = await Promise.all([recordings?.signal(ref), recordings?.find(ref)]);
  const no = (why: TextKey) => tell(called, words(say(locale, why), 'bad'), deps);
  if (!recordings || signal?.recordedBy === undefined) return no('voice.gone');
  const { user } = invocation.by;
  if (!admin && user !== call.action.args[2] && user !== signal.recordedBy) return no('voice.stop-not-yours');
  if (known && known.partial !== STOPPED) return no('voice.written-already');
  await recordings.stop(ref, user);
  if (call.kind !== 'action' || call.card === undefined) return DONE;
  // Not vital: whoever writes it out changes the card once more.
  const card = stoppingCard(await recordings.pieces(ref), locale);
  await deps.stage.card(ref.thread, card, keyOfCard(ref), call.card).catch(() => undefined);
  return DONE;
}

/** What of a recording goes along with a question about it. */
const MOST_QUOTED = 8_000;

/**
 * A question about a recording, put into its thread for all to see. What was said goes along with it, so that it is known
 * also where the thread has been answered in before, and from then on.
 */
async function askAbout(
  ref: RecordingRef,
  question: string,
  called: Called<'action' | 'form'>,
  deps: Deps,
): Promise<Verdict> {
  const { invocation, locale } = called;
  const { user: author, workspace: authorWorkspace } = invocation.by;
  const asked = question.trim();
  const said = textOf((await deps.hearing?.recordings.pieces(ref)) ?? []);
  if (asked === '') return DONE;
  const quoted = said.slice(0, MOST_QUOTED).toWellFormed().replaceAll(/^/gmu, '> ');
  try {
    const card = { ...words(asked), by: author };
    const id = await deps.stage.card(ref.thread, card, `asked#${invocation.id}`);
    const message = { thread: ref.thread, id, author, authorWorkspace, attachments: [] };
    const text = `${asked}\n\n${formTexts(locale)('message')}\n${quoted}`;
    await receive({ ...message, text, addressed: 'mention' }, { ...deps, now: deps.time.now });
    return DONE;
  } catch (error) {
    if (!(error instanceof CardRefused || error instanceof ThreadGone)) throw error;
    return tell(called, noRoom(called), deps);
  }
}

/** The language that a person chose to read recordings in. */
function readsIn({ settings }: Deps): string | undefined {
  const own = settings.layers.person?.values.voiceLanguage;
  return own === 'auto' || own === 'none' ? undefined : own;
}

/** The thread of the card: what is pressed on what one person alone sees may not tell of it. */
function threadOf(
  { platform, workspace, channel, thread }: Invocation,
  message: string | undefined,
): Thread | undefined {
  if (thread || !channel || !message) return thread;
  return { platform, workspace, channel, root: messageId(message) };
}
