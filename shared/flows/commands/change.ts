import type { Card } from '../../conversation/index.ts';
import { type Change, changed, decide, isSetting, type SettingName, SETTINGS } from '../../settings/index.ts';
import { type Locale, say } from '../../texts/index.ts';
import { forgetOlder } from '../erase.ts';
import type { Deps } from '../ports.ts';
import { placeOfCall } from '../settings.ts';
import type { SettingsPlace, StoredLevel } from '../../store/index.ts';
import { isForOthers, retryIfChanged } from './saved-use.ts';
import * as whom from './for-whom.ts';
import { heldBy } from './held-by.ts';
import * as names from './names.ts';
import { type AnyCall, words } from './run.ts';
import { refreshed, settingsCard } from './settings-card.ts';
import { valuesOf, withValues } from './setting-words.ts';
import { given, typingOf } from './typed.ts';

const LEVELS: Readonly<Record<string, StoredLevel>> = {
  me: 'person',
  person: 'person',
  thread: 'thread',
  channel: 'channel',
  workspace: 'workspace',
};

/** The level that a control or a form carries; undefined for what is none. */
export const levelIn = (word: string | undefined): StoredLevel | undefined =>
  word !== undefined && Object.hasOwn(LEVELS, word) ? LEVELS[word] : undefined;

/** The level that somebody wrote; their own where they said none. */
export const storedLevel = (word: unknown): StoredLevel =>
  levelIn(typeof word === 'string' ? word : undefined) ?? 'person';

/**
 * Why this person may not make a change, or why it cannot be made; undefined where it can. Reads what is stored, and
 * changes nothing.
 */
export async function refusalOf(
  called: AnyCall,
  deps: Deps,
  change: Change & { readonly level: StoredLevel },
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
    if (decision.why === 'own-lock') return words(lockHow(called), 'bad');
    return words(no(locale, decision.why, change.setting), 'bad');
  }
  const { setting } = decision;
  if (change.kind === 'lock' && !change.lock && !(await isLocked(setting, change.level, place, deps)))
    return words(say(locale, 'settings.no.lock', { setting }), 'bad');
  const unknown = await unknownIn(change, place, locale, deps);
  return unknown === undefined ? undefined : words(unknown, 'bad');
}

const isLocked = async (
  setting: SettingName,
  level: StoredLevel,
  place: SettingsPlace,
  { choices }: Pick<Deps, 'choices'>,
): Promise<boolean> => (await choices.read(place, level)).layer.locks?.[setting] !== undefined;

/** Where a lock can be put on. */
function lockHow({ invocation, locale }: AnyCall): string {
  const where = typingOf(invocation);
  return say(locale, 'settings.no.own-lock', {
    channel: given(names.forWhom, 'channel', where, whom.channel),
    workspace: given(names.forWhom, 'workspace', where, whom.workspace),
  });
}

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
  const refusal = await refusalOf(called, deps, change);
  if (refusal || !isSetting(change.setting)) return refusal;
  const { locale, invocation } = called;
  const { user } = invocation.by;
  const { setting } = change;
  const place = placeOfCall(invocation);
  const meant = await referring(change, place, user, deps);
  if (!meant) return words(await unknownPersona(named(change) ?? '', place, locale, deps), 'bad');
  try {
    await deps.choices.change(place, change.level, {
      change: meant,
      edit: (layer) => changed(layer, setting, meant),
      by: user,
      expected,
    });
    if (change.setting === 'retentionDays') await forgetOlder(invocation, deps.queue);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Overtaken') throw error;
    const now = await settingsCard(called, change.level, await refreshed(called, deps));
    const told = { kind: 'text' as const, markdown: say(locale, 'settings.overtaken') };
    return { ...now, tone: 'bad', parts: [told, ...now.parts] };
  }
}

/** The name of the persona that a change puts to use; undefined for any other change. */
const named = (change: Change): string | undefined =>
  change.kind === 'value' && change.setting === 'persona' && typeof change.value === 'string'
    ? change.value
    : undefined;

/**
 * The change with the id of the persona that it names, as it is just now; undefined where there is none any more. One that is to
 * hold for others belongs to those who administer from then on: whoever wrote it could else put other words into every answer of
 * the place, unseen.
 */
async function referring<C extends Change>(
  change: C,
  place: SettingsPlace,
  by: string,
  { saved }: Pick<Deps, 'saved'>,
): Promise<C | undefined> {
  const name = named(change);
  if (name === undefined) return change;
  return retryIfChanged(async () => {
    const found = await saved.read(place, 'persona', name);
    if (!found) return undefined;
    if (isForOthers(change) && !(found.adminOnly && found.by === by))
      await saved.save(place, 'persona', { ...found, by, adminOnly: true }, found);
    return { ...change, id: found.id };
  });
}

/** Why a value names something that there is not; undefined where nobody can tell. */
async function unknownIn(
  change: Change,
  place: SettingsPlace,
  locale: Locale,
  { chat, saved }: Pick<Deps, 'chat' | 'saved'>,
): Promise<string | undefined> {
  const { setting } = change;
  const value = change.kind === 'value' ? change.value : undefined;
  if (setting === 'persona' && typeof value === 'string') {
    if (await saved.read(place, 'persona', value)) return undefined;
    return unknownPersona(value, place, locale, { saved });
  }
  if (setting !== 'model' && setting !== 'standIns') return undefined;
  const listed = (await chat.list?.()) ?? [];
  const asked: unknown[] = Array.isArray(value) ? value : [value];
  const model = asked.find((one) => typeof one === 'string' && listed.every(({ id }) => id !== one));
  if (typeof model !== 'string' || listed.length === 0) return undefined;
  const unknown = say(locale, 'settings.model.unknown', { model });
  return withValues(
    unknown,
    listed.map(({ id }) => id),
    locale,
  );
}

async function unknownPersona(
  name: string,
  place: SettingsPlace,
  locale: Locale,
  { saved }: Pick<Deps, 'saved'>,
): Promise<string> {
  const known = (await saved.list(place, 'persona')).map((one) => one.name);
  return withValues(say(locale, 'settings.no.unknown-persona', { name }), known, locale);
}

type Why = 'unknown' | 'not-here' | 'wrong' | 'not-admin' | 'not-yours' | 'deployment';

function no(locale: Locale, why: Why, setting: string): string {
  const told = say(locale, `settings.no.${why}`, { setting: setting.slice(0, 60) });
  if (why === 'unknown') return withValues(told, Object.keys(SETTINGS), locale);
  return why === 'wrong' && isSetting(setting) ? `${told} ${valuesOf(setting, locale)}` : told;
}
