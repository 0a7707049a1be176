import { type HearTask, type Invocation, messageId, type Thread } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import { sendToHear } from '../overhear.ts';
import type { Deps } from '../ports.ts';
import { type Called, DONE, type Run, tell, words } from './run.ts';

/**
 * The controls under the words of a recording: `voice.translate|message|file`, for who pressed alone, into their own
 * language or the one chosen; `voice.speak|message|file|language`, for all to hear; `voice.ask|message|file`.
 */
export const act: Run<Called<'action' | 'form'>> = async (called, deps) => {
  const { call, invocation, locale } = called;
  const [message, file, spoken] = call.action.args;
  const thread = threadOf(invocation, message);
  if (call.kind !== 'action' || !message || !file || !thread || !deps.hearing) return DONE;
  if (call.action.name === 'voice.ask') return tell(called, words(say(locale, 'voice.ask-how')), deps);
  const ref = { thread, message: messageId(message), file };
  const known = await deps.hearing.recordings.find(ref);
  if (!known) return tell(called, words(say(locale, 'voice.gone'), 'bad'), deps);
  const { user: asker, workspace: askerWorkspace } = invocation.by;
  const task: HearTask = {
    v: 1,
    kind: 'hear',
    thread,
    message: ref.message,
    asker,
    askerWorkspace,
    recordings: [known.source],
    locale,
    wish: {
      kind: 'translate',
      to: spoken ?? call.chosen[0] ?? readsIn(deps) ?? locale,
      speak: call.action.name === 'voice.speak',
      invocation,
    },
  };
  await sendToHear(task, `call#${invocation.id}`, deps.hearing.queue);
  return tell(called, words(say(locale, 'voice.translating')), deps);
};

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
