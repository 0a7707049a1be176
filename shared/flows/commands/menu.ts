import type { Card, Control } from '../../conversation/index.ts';
import { formTexts } from '../../texts/forms/index.ts';
import { say } from '../../texts/index.ts';
import * as help from './help.ts';
import * as model from './model.ts';
import { type Called, type CalledCommand, type Run, tell } from './run.ts';
import * as settings from './settings.ts';
import * as usage from './usage.ts';

const SHOWN = [settings, model, usage, help];

/** What Slack's command opens when it is called without a word: a button for what is asked for most. */
export const run: Run<CalledCommand> = (called, deps) => tell(called, menuCard(called), deps);

function menuCard({ call, locale }: CalledCommand): Card {
  const button = ({ spec, texts }: (typeof SHOWN)[number]): Control => ({
    kind: 'button',
    label: say(locale, texts.about),
    action: { name: 'menu.run', args: [call.name, spec.name] },
  });
  const ask: Control = {
    kind: 'button',
    label: formTexts(locale)('send'),
    style: 'primary',
    action: { name: 'ask.open-form', args: [] },
  };
  return {
    title: say(locale, 'settings.home.title'),
    parts: [
      { kind: 'text', markdown: say(locale, 'commands.help.ask-me') },
      { kind: 'controls', controls: [ask, ...SHOWN.map(button)] },
    ],
  };
}

/** What a button of the menu calls, `menu.run|/parley|usage`, as if it had been typed; undefined for any other. */
export function typedBy({ call, ...caller }: Called<'action' | 'form'>): Called<'command'> | undefined {
  const [name, text] = call.action.args;
  if (call.action.name !== 'menu.run' || name === undefined || text === undefined) return undefined;
  return { ...caller, call: { kind: 'command', name, options: { text }, attachments: [] } };
}
