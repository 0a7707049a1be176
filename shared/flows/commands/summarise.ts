import { say } from '../../texts/index.ts';
import { completed } from './complete.ts';
import { type Called, type Run, tell, words } from './run.ts';
import type { MessageCommandSpec } from './spec.ts';

export const spec: MessageCommandSpec = {
  name: 'summarise',
  label: 'Summarise thread',
  text: 'settings.summarise.label',
  platforms: ['slack', 'discord'],
  answers: 'private',
};

const WISH =
  'Sum up this thread for somebody who has not read it: what it is about, what was decided, what is open. Answer in the language of the thread, in at most ten lines.';

/** Sums up what was said in a thread up to a message, for who asked alone. */
export const run: Run<Called<'on-message'>> = async (called, deps, delivery) => {
  const { thread, id: message, text } = called.call.message;
  const { user: asker, workspace: askerWorkspace } = called.invocation.by;
  const said = await deps.platform.earlier({ thread, message, asker, askerWorkspace });
  const lines = [...said.map((one) => `${one.author}: ${one.text}`), text].filter(
    (line) => line.trim() !== '',
  );
  if (lines.length === 0)
    return tell(called, words(say(called.locale, 'settings.summarise.nothing'), 'bad'), deps);
  const whole = lines.join('\n').slice(-2 * deps.settings.beforeCharacters);
  return completed(called, deps, delivery, `${WISH}\n\n${whole}`);
};
