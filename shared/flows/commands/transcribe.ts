import { type HearTask, type MessageId, partRecordings, recordingName } from '../../conversation/index.ts';
import { resolve } from '../../settings/index.ts';
import { say } from '../../texts/index.ts';
import { sendToHear, wishOf } from '../overhear.ts';
import type { Deps } from '../ports.ts';
import { type Called, type Run, tell, words } from './run.ts';
import { BOTH, type MessageCommandSpec } from './spec.ts';

export const spec: MessageCommandSpec = {
  name: 'transcribe',
  label: 'Transcribe',
  text: 'voice.transcribe.label',
  platforms: BOTH,
};

/** Has the recordings of a message written out under it; those that are already, are linked to. */
export const run: Run<Called<'on-message'>> = async (called, deps) => {
  const { locale, call, invocation } = called;
  const { recordings } = partRecordings(call.message);
  const [first, ...more] = recordings;
  if (!first) return tell(called, words(say(locale, 'voice.none-here'), 'bad'), deps);
  const refusal = await refusalOf(called, deps);
  if (refusal !== undefined || !deps.hearing)
    return tell(called, words(refusal ?? say(locale, 'voice.switched-off'), 'bad'), deps);
  const link = await known(called, deps);
  if (link !== undefined) return tell(called, words(say(locale, 'voice.already', { link })), deps);
  const { thread, id: message, author } = call.message;
  const task: HearTask = {
    v: 1,
    kind: 'hear',
    thread,
    message,
    asker: author,
    askerWorkspace: invocation.by.workspace,
    by: invocation.by.user,
    recordings: [first, ...more],
    locale,
    wish: { kind: 'show', ...wishOf(deps.settings.layers) },
  };
  const { queue, recordings: noted } = deps.hearing;
  await sendToHear(task, `call#${invocation.id}`, queue, noted);
  return tell(called, words(say(locale, 'voice.queued')), deps);
};

/** Why these recordings are not written out here: it is switched off, or whoever recorded them does not want it. */
async function refusalOf(called: Called<'on-message'>, deps: Deps): Promise<string | undefined> {
  const { locale, call, invocation } = called;
  if (resolve('voice', deps.settings.layers).value === 'off') return say(locale, 'voice.switched-off');
  const { author: user } = call.message;
  if (user === invocation.by.user) return undefined;
  const { platform, workspace, channel } = invocation;
  const theirs = await deps.choices.layers({ platform, workspace, channel, user });
  const optedOut = resolve('voiceOptOut', theirs).value === true;
  return optedOut ? say(locale, 'voice.theirs') : undefined;
}

/** Where the words of the message's recordings stand, once all are written out. */
async function known({ call }: Called<'on-message'>, deps: Deps): Promise<string | undefined> {
  const { thread, id: message, attachments } = call.message;
  const { recordings } = partRecordings({ attachments });
  let card: MessageId | undefined;
  for (const one of recordings) {
    const found = await deps.hearing?.recordings.find({ thread, message, file: recordingName(one) });
    if (!found) return undefined;
    card ??= found.card;
  }
  if (card === undefined) return undefined;
  // A card that was deleted has no address: then it is written once more.
  return deps.stage.link(thread, card).catch(() => undefined);
}
