import type { Card, Control } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import { LONGEST_SAVED, MOST_SAVED, savedName } from '../../settings/index.ts';
import type { Deps } from '../ports.ts';
import { placeOfCall } from '../settings.ts';
import { makeChange, storedLevel } from './change.ts';
import { type AnyCall, type Called, type CalledCommand, DONE, type Run, tell, words } from './run.ts';
import { FOR } from './settings.ts';
import { settingsCard } from './settings-card.ts';
import { BOTH, type CommandSpec } from './spec.ts';

export const spec: CommandSpec = {
  name: 'persona',
  platforms: BOTH,
  answers: 'private',
  about: 'settings.persona.about',
  options: [
    {
      name: 'do',
      about: 'settings.persona.do.about',
      kind: 'text',
      choices: [
        { value: 'list', text: 'settings.persona.do.list' },
        { value: 'show', text: 'settings.persona.do.show' },
        { value: 'save', text: 'settings.persona.do.save' },
        { value: 'use', text: 'settings.persona.do.use' },
        { value: 'remove', text: 'settings.persona.do.remove' },
      ],
    },
    { name: 'name', about: 'settings.persona.name.about', kind: 'text', most: 60 },
    {
      name: 'text',
      about: 'settings.persona.text.about',
      kind: 'text',
      most: LONGEST_SAVED.persona,
      rest: true,
    },
    FOR,
  ],
  opens: ({ do: what, name = '', text }) =>
    what === 'save' && text === undefined
      ? { name: 'persona.save-form', args: [String(name).slice(0, 40)] }
      : undefined,
};

/** Personas of the workspace: everybody may save and use them; whoever saved one, and admins, may replace or remove it. */
export const run: Run<CalledCommand> = async (called, deps) => {
  const { options } = called;
  const name = options['name'] === undefined ? undefined : savedName(String(options['name']));
  return tell(called, await done(called, deps, name), deps);
};

async function done(called: CalledCommand, deps: Deps, name: string | undefined): Promise<Card> {
  const { options, locale } = called;
  const { do: what = 'list', text } = options;
  if (what === 'list') return list(called, deps);
  if (name === undefined) return words(say(locale, 'settings.persona.needs'), 'bad');
  if (what === 'save') {
    if (text === undefined) return words(say(locale, 'settings.persona.needs'), 'bad');
    return (await save(called, deps, name, String(text))) ?? show(called, deps, name);
  }
  if (what === 'remove') return remove(called, deps, name);
  // Shown before it is used.
  return show(called, deps, name);
}

/** What is pressed on a persona's card: `persona.use|name|level`, `persona.stop|level`; and the form, `persona.save`. */
export const act: Run<Called<'action' | 'form'>> = async (called, deps) => {
  const { call } = called;
  const { name, args } = call.action;
  if (call.kind === 'form' && name === 'persona.save')
    return tell(called, await filledIn(called, call.values, deps), deps);
  if (name !== 'persona.use' && name !== 'persona.stop') return DONE;
  const level = storedLevel(name === 'persona.use' ? args[1] : args[0]);
  const value = name === 'persona.use' ? args[0] : undefined;
  const no = await makeChange(called, deps, { kind: 'value', level, setting: 'persona', value });
  return tell(called, no ?? (await settingsCard(called, level, deps)), deps);
};

/** Shown before it is used, as everything that is saved. */
async function filledIn(
  called: AnyCall,
  values: Readonly<Record<string, string>>,
  deps: Deps,
): Promise<Card> {
  const name = savedName(values['name'] ?? '');
  const text = (values['text'] ?? '').trim();
  if (name === undefined || text === '' || text.length > LONGEST_SAVED.persona)
    return words(say(called.locale, 'settings.persona.needs'), 'bad');
  return (await save(called, deps, name, text)) ?? show(called, deps, name);
}

async function list(called: AnyCall, deps: Deps): Promise<Card> {
  const { locale } = called;
  const all = await deps.saved.list(placeOfCall(called.invocation), 'persona');
  const lines = all.slice(0, MOST_SAVED).map(({ name, text }) => `- \`${name}\` ${brief(text)}`);
  const markdown = lines.length > 0 ? lines.join('\n') : say(locale, 'settings.persona.none');
  const add: Control = {
    kind: 'button',
    label: say(locale, 'settings.persona.do.save'),
    action: { name: 'persona.save-form', args: [] },
  };
  const stop: Control = {
    kind: 'button',
    label: say(locale, 'settings.persona.stop'),
    action: { name: 'persona.stop', args: ['person'] },
  };
  return {
    title: say(locale, 'settings.persona.title'),
    parts: [
      { kind: 'text', markdown },
      { kind: 'controls', controls: [add, stop] },
    ],
  };
}

const brief = (text: string): string => {
  const line = text.replaceAll(/\s+/gu, ' ');
  return line.length <= 80 ? line : `${line.slice(0, 79).toWellFormed()}…`;
};

async function show(called: AnyCall, deps: Deps, name: string): Promise<Card> {
  const { locale, admin, invocation } = called;
  const found = await deps.saved.get(placeOfCall(invocation), 'persona', name);
  if (!found) return words(say(locale, 'settings.persona.unknown', { name }), 'bad');
  const use = (level: string, label: string): Control => ({
    kind: 'button',
    label,
    action: { name: 'persona.use', args: [name, level] },
  });
  const forChannel =
    admin && invocation.channel ? [use('channel', say(locale, 'settings.persona.use-channel'))] : [];
  const controls = [use('person', say(locale, 'settings.persona.use')), ...forChannel];
  return {
    title: name,
    parts: [
      { kind: 'text', markdown: found.text },
      { kind: 'note', markdown: `<@${found.by}>` },
      { kind: 'controls', controls },
    ],
  };
}

/** Resolves with a card that says why not, or undefined when it is saved. */
async function save(called: AnyCall, deps: Deps, name: string, text: string): Promise<Card | undefined> {
  const { locale, invocation } = called;
  const place = placeOfCall(invocation);
  const all = await deps.saved.list(place, 'persona');
  const before = all.find((one) => one.name === name);
  if (!before && all.length >= MOST_SAVED) {
    return words(say(locale, 'settings.persona.full', { most: MOST_SAVED }), 'bad');
  }
  const no = before && theirs(called, before.by);
  if (no) return no;
  await deps.saved.save(place, 'persona', { name, text, by: invocation.by.user });
  return undefined;
}

async function remove(called: AnyCall, deps: Deps, name: string): Promise<Card> {
  const { locale, invocation } = called;
  const place = placeOfCall(invocation);
  const before = await deps.saved.get(place, 'persona', name);
  if (!before) return words(say(locale, 'settings.persona.unknown', { name }), 'bad');
  const no = theirs(called, before.by);
  if (no) return no;
  await deps.saved.remove(place, 'persona', name);
  return words(say(locale, 'settings.persona.removed', { name }), 'good');
}

function theirs({ admin, invocation, locale }: AnyCall, by: string): Card | undefined {
  if (admin || invocation.by.user === by) return undefined;
  return words(say(locale, 'settings.persona.theirs', { user: by }), 'bad');
}
