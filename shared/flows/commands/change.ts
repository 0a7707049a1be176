import type { Card } from '../../conversation/index.ts';
import { type Change, changed, decide, isSetting, type Level, type Lock } from '../../settings/index.ts';
import { type Locale, say } from '../../texts/index.ts';
import type { Deps } from '../ports.ts';
import { placeOfCall } from '../settings.ts';
import type { StoredLevel } from '../../store/index.ts';
import { type AnyCall, words } from './run.ts';
import { refreshed, settingsCard } from './settings-card.ts';

const LEVELS: Readonly<Record<string, StoredLevel>> = {
  me: 'person',
  person: 'person',
  thread: 'thread',
  channel: 'channel',
  workspace: 'workspace',
};

/** The level that somebody wrote or pressed; their own where they said none. */
export const storedLevel = (word: unknown): StoredLevel =>
  LEVELS[typeof word === 'string' ? word : 'me'] ?? 'person';

/**
 * Makes a change, if this person may. Resolves with a card that says why not, or undefined when it is made. `expected`
 * is the revision that the person saw.
 */
export async function makeChange(
  called: AnyCall,
  deps: Deps,
  change: Change & { readonly level: StoredLevel },
  expected?: number,
): Promise<Card | undefined> {
  const { locale, invocation, admin } = called;
  const { user } = invocation.by;
  const place = placeOfCall(invocation);
  if ((change.level === 'channel' && !place.channel) || (change.level === 'thread' && !place.thread)) {
    return words(say(locale, 'settings.no.nowhere'), 'bad');
  }
  const decision = decide(change, { user, admin, person: user }, deps.settings.layers);
  if (decision.kind === 'refused') {
    if (decision.why === 'locked') return words(heldBy(decision.lock, locale), 'bad');
    return words(no(locale, decision.why, change.setting), 'bad');
  }
  try {
    await deps.choices.change(place, change.level, {
      change,
      edit: (layer) => changed(layer, decision.setting, change),
      by: user,
      expected,
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Overtaken') throw error;
    const now = await settingsCard(called, change.level, await refreshed(called, deps));
    const told = { kind: 'text' as const, markdown: say(locale, 'settings.overtaken') };
    return { ...now, tone: 'bad', parts: [told, ...now.parts] };
  }
}

/** Who holds a setting, and why. */
export const heldBy = ({ by, reason }: Lock & { readonly by: Level }, locale: Locale): string =>
  say(locale, 'settings.no.locked', { by: say(locale, `settings.from.${by}`), reason });

type Why = 'unknown' | 'not-here' | 'wrong' | 'not-admin' | 'not-yours' | 'deployment';

const no = (locale: Locale, why: Why, setting: string): string =>
  say(locale, `settings.no.${why}`, { setting: setting.slice(0, 60) });

const WORDS: Readonly<Record<string, boolean>> = {
  yes: true,
  true: true,
  on: true,
  no: false,
  false: false,
  off: false,
};

/** Lists of people, channels and models, in which Slack and Discord write `<@U1>` and `<#C1|name>`. */
const LISTS = new Set(['standIns', 'bots', 'allowed', 'denied', 'channels', 'favoured']);
const NUMBERS = new Set([
  'temperature',
  'topP',
  'frequencyPenalty',
  'presencePenalty',
  'maxTokens',
  'retentionDays',
]);
const YES_NO = new Set(['footer', 'suggestions', 'voiceOptOut', 'voiceSummary']);

/** What somebody wrote as the value of a setting; whether it is one is decided later. Undefined takes it back. */
export function valueFrom(setting: string, text: string): unknown {
  const word = text.trim();
  if (word === '' || word.toLowerCase() === 'reset' || !isSetting(setting)) return undefined;
  if (LISTS.has(setting)) {
    const names = word
      .split(/[\s,]+/u)
      .map((one) => one.replace(/^<(?:[@#][!&]?|!subteam\^)([\w-]+)(?:\|[^>]*)?>(\*[\d.]+)?$/u, '$1$2'));
    return names.filter((one) => one !== '');
  }
  if (NUMBERS.has(setting)) return Number(word.replace(',', '.'));
  if (YES_NO.has(setting)) return WORDS[word.toLowerCase()] ?? word;
  return word;
}
