import type { Card } from '../../conversation/index.ts';
import { isSetting, SETTINGS } from '../../settings/index.ts';
import type { StoredLevel } from '../../store/index.ts';
import type { Deps } from '../ports.ts';
import { levelIn, makeChange, storedLevel, valueFrom } from './change.ts';
import { homeCard } from './home.ts';
import { logCard } from './log-card.ts';
import { type AnyCall, type Called, type CalledCommand, type Run, stale, tell } from './run.ts';
import { settingsCard } from './settings-card.ts';
import { BOTH, type CommandSpec, type MessageCommandSpec, type OptionSpec } from './spec.ts';

/** For whom something is set, as people write it. */
export const FOR: OptionSpec = {
  name: 'for',
  about: 'settings.for.about',
  kind: 'text',
  choices: ['me', 'thread', 'channel', 'workspace'],
};

export const spec: CommandSpec = {
  name: 'settings',
  platforms: BOTH,
  about: 'settings.about',
  options: [
    { name: 'name', kind: 'text', most: 40 },
    { name: 'value', kind: 'text', most: 1_000, rest: true },
    FOR,
    { name: 'lock', kind: 'text', most: 200 },
  ],
  opens: ({ name, value, for: level = 'me', lock }) =>
    name === undefined || value !== undefined || lock !== undefined
      ? undefined
      : { name: 'settings.set-form', args: [String(level), String(name)] },
};

/** Slack's commands do not say in which thread they were typed. */
export const onMessage: MessageCommandSpec = {
  name: 'settings',
  label: 'Thread settings',
  text: 'settings.thread.label',
  platforms: ['slack'],
};

/** What is set in the thread of a message; what is chosen there counts in that thread. */
export const runOnMessage: Run<Called<'on-message'>> = async (called, deps) => {
  const { thread } = called.call.message;
  const inThread = { ...called, invocation: { ...called.invocation, thread } };
  return tell(inThread, await settingsCard(inThread, 'thread', deps), deps);
};

/** Shows what is set at a level, or sets something there. */
export const run: Run<CalledCommand> = async (called, deps) => {
  const { name, value, lock } = called.options;
  const level = storedLevel(called.options['for']);
  if (name === undefined) return tell(called, await settingsCard(called, level, deps), deps);
  const setting = named(String(name));
  const refused =
    lock === undefined
      ? undefined
      : await makeChange(called, deps, { kind: 'lock', level, setting, lock: reasonOf(String(lock)) });
  const wanted = value === undefined ? undefined : { value: valueFrom(setting, String(value)) };
  const no =
    refused ?? (wanted && (await makeChange(called, deps, { kind: 'value', level, setting, ...wanted })));
  return tell(called, no ?? (await settingsCard(called, level, deps)), deps);
};

/** Settings are named as in the docs, in whatever case. */
function named(given: string): string {
  return Object.keys(SETTINGS).find((one) => one.toLowerCase() === given.toLowerCase()) ?? given;
}

const reasonOf = (lock: string) => (lock.toLowerCase() === 'off' ? undefined : { reason: lock });

/**
 * What is pressed and chosen on a settings card: `settings.show|level`, `settings.log|level`,
 * `settings.set|level|setting|revision`; and what is written in a form, `settings.write|level|setting`.
 */
export const act: Run<Called<'action' | 'form'>> = async (called, deps) => {
  const { call } = called;
  const [to, written = '', revision = ''] = call.action.args;
  const [level, setting] = [levelIn(to), named(written)];
  if (!level) return stale(called, deps);
  switch (`${call.kind} ${call.action.name}`) {
    case 'action settings.show':
      return tell(called, await cardHere(called, level, deps), deps);
    case 'action settings.log':
      return tell(called, await logCard(called, level, deps), deps);
    case 'action settings.set':
    case 'form settings.write':
      break;
    default:
      return stale(called, deps);
  }
  // A menu shows what was set when it was drawn; a form shows nothing.
  const expected = call.kind === 'form' ? undefined : Number(revision || 'none');
  if (!isSetting(setting) || Number.isNaN(expected)) return stale(called, deps);
  const given = call.kind === 'form' ? call.values['value'] : call.chosen[0];
  const value = valueFrom(setting, given ?? 'reset');
  const no = await makeChange(called, deps, { kind: 'value', level, setting, value }, expected);
  return tell(called, no ?? (await cardHere(called, level, deps)), deps);
};

/** What is changed in App Home, where there is no channel, leaves the rest of it in sight. */
function cardHere(called: AnyCall, level: StoredLevel, deps: Deps): Promise<Card> {
  const { platform, channel } = called.invocation;
  const atHome = platform === 'slack' && channel === undefined && level === 'person';
  return atHome ? homeCard(called, deps) : settingsCard(called, level, deps);
}
