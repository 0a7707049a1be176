import type { Control } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import { levelIn, makeChange } from './change.ts';
import { type Called, type CalledCommand, type Run, stale, tell } from './run.ts';
import { actSaved, runSaved, type SavedCommand, savedSpec } from './saved.ts';
import { FOR } from './settings.ts';
import { settingsCard } from './settings-card.ts';

export const spec = savedSpec(
  'persona',
  'saved.persona.about',
  [
    'list',
    'show',
    'save',
    // Shown first: its buttons put it to use.
    'use',
    'remove',
  ],
  [FOR],
);

const PERSONA: SavedCommand = {
  kind: 'persona',
  shown: (text) => text,
  refused: () => undefined,
  beside: ({ locale }) => [
    {
      kind: 'button',
      label: say(locale, 'saved.persona.stop'),
      action: { name: 'persona.stop', args: ['person'] },
    },
  ],
  under: ({ locale, admin, invocation }, { name }) => {
    const use = (level: string, label: string): Control => ({
      kind: 'button',
      label,
      action: { name: 'persona.use', args: [name, level] },
    });
    const forChannel =
      admin && invocation.channel ? [use('channel', say(locale, 'saved.persona.use-channel'))] : [];
    return [{ kind: 'controls', controls: [use('person', say(locale, 'saved.persona.use')), ...forChannel] }];
  },
};

export const run: Run<CalledCommand> = (called, deps) => runSaved(PERSONA, called, deps);

/** What is pressed on a persona's card: `persona.use|name|level`, `persona.stop|level`; and the form, `persona.save`. */
export const act: Run<Called<'action' | 'form'>> = async (called, deps) => {
  const { name, args } = called.call.action;
  if (name !== 'persona.use' && name !== 'persona.stop') return actSaved(PERSONA, called, deps);
  const level = levelIn(name === 'persona.use' ? args[1] : args[0]);
  if (!level) return stale(called, deps);
  const value = name === 'persona.use' ? args[0] : undefined;
  const no = await makeChange(called, deps, { kind: 'value', level, setting: 'persona', value });
  return tell(called, no ?? (await settingsCard(called, level, deps)), deps);
};
