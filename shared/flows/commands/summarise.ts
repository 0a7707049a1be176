import { type Card, promptFor, readThread } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import type { Verdict } from '../ports.ts';
import { placeOfCall } from '../settings.ts';
import { answeringFailures, complete } from './complete.ts';
import { showToAll } from './show-to-all.ts';
import { type AnyCall, type Called, DONE, type Run, stale, tell, words } from './run.ts';
import type { MessageCommandSpec, OnMessageTexts } from './spec.ts';

export const onMessage = {
  name: 'summarise',
  label: 'Summarise thread',
} as const satisfies MessageCommandSpec;

/** No form is called that: its name has a sign that names do not have. */
const SUMMARY = '#summary';
const WISH =
  'Sum up this thread for somebody who has not read it: what it is about, what was decided, what is open. Answer in the language of the thread, in at most ten lines.';

/** Sums up what was said in a thread up to a message: for who asked alone, until they show it to all. */
export const runOnMessage: Run<Called<'on-message'>> = async (called, deps, delivery) => {
  const { invocation, call, locale } = called;
  const { thread, id: message, text } = call.message;
  const { user: asker, workspace: askerWorkspace } = invocation.by;
  const said = await deps.platform.earlier({ thread, message, asker, askerWorkspace }, true);
  // The message that it was called on is not the thread.
  if (!said) return tell(called, words(say(locale, 'settings.summarise.unreadable'), 'bad'), deps);
  const lines = [...said.map((one) => `${one.author}: ${one.text}`), text].filter(
    (line) => line.trim() !== '',
  );
  if (lines.length === 0) return tell(called, words(say(locale, 'settings.summarise.nothing'), 'bad'), deps);
  const whole = lines.join('\n').slice(-2 * deps.settings.beforeCharacters);
  const prompt = promptFor(deps.settings.systemPrompt, [], `${WISH}\n\n${whole}`);
  return answeringFailures(called, deps, delivery, async () => {
    // Delivered again, the summary that was made is shown: it is the one that would be shown to all.
    const kept = await deps.drafts.find(placeOfCall(invocation), invocation.id);
    if (kept) return tell(called, privately(called, textIn(kept)), deps);
    const summary = (await complete(prompt, called, deps, delivery, {})).trim();
    if (summary === '') return tell(called, words(say(locale, 'answers.empty')), deps);
    const value = JSON.stringify(summary);
    const frame = JSON.stringify(thread);
    const draft = { id: invocation.id, by: asker, name: SUMMARY, frame, value };
    await deps.drafts.keep(placeOfCall(invocation), draft);
    return tell(called, privately(called, summary), deps);
  });
};

/** With a button that shows it to all: `summarise.show|id`. */
function privately({ invocation, locale }: AnyCall, summary: string): Card {
  const action = { name: 'summarise.show', args: [invocation.id] };
  const label = say(locale, 'settings.summarise.show');
  return {
    parts: [
      { kind: 'text', markdown: summary },
      { kind: 'controls', controls: [{ kind: 'button', label, action }] },
    ],
  };
}

/** The summary is shown in its thread, with the name of who asked for it: once, however often it is pressed. */
export const act: Run<Called<'action' | 'form'>> = async (called, deps): Promise<Verdict> => {
  const { call, invocation, locale } = called;
  const [id = ''] = call.action.args;
  const draft = id === '' ? undefined : await deps.drafts.find(placeOfCall(invocation), id);
  const theirs = draft?.by === String(invocation.by.user) && draft.name === SUMMARY && !draft.sent;
  if (call.action.name !== 'summarise.show' || !draft || !theirs) return stale(called, deps);
  const thread = readThread(draft.frame);
  const card = { ...words(textIn(draft)), by: invocation.by.user };
  if (!(await showToAll(called, thread, card, draft, deps))) return DONE;
  return tell(called, words(say(locale, 'settings.summarise.shown'), 'good'), deps);
};

function textIn({ value }: { readonly value: string }): string {
  const text: unknown = JSON.parse(value);
  return typeof text === 'string' ? text : '';
}

export const texts = {
  onMessage: {
    en: 'Summarise thread',
    de: 'Thread zusammenfassen',
    fr: 'Résumer le fil',
    es: 'Resumir el hilo',
    pt: 'Resumir a conversa',
    ja: 'スレッドを要約',
    ko: '스레드 요약',
    zh: '总结消息列',
  },
} satisfies OnMessageTexts;
