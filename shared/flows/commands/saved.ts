import type { Action, Card, CardPart, Control } from '../../conversation/index.ts';
import { LONGEST_SAVED, MOST_SAVED, type SavedKind, savedName } from '../../settings/index.ts';
import type { Saved } from '../../store/index.ts';
import { type Said, say } from '../../texts/index.ts';
import type { Deps, Verdict } from '../ports.ts';
import { placeOfCall } from '../settings.ts';
import { clearReferences, isUsedForOthers, retryIfChanged } from './saved-use.ts';
import { type AnyCall, type Called, type CalledCommand, stale, tell, words } from './run.ts';
import { withValues } from './setting-words.ts';
import type { Options } from './spec.ts';

/** What is saved by name and shown before it is used: see persona.ts and schema.ts. */
export type SavedCommand = {
  readonly kind: SavedKind;
  /** What its button for a new one says. */
  readonly save: () => Said;
  /** What stands under one that is shown: how to use it. */
  readonly under: (called: AnyCall, saved: Saved, deps: Deps) => readonly CardPart[];
  /** What stands beside Save under the list. */
  readonly beside: (called: AnyCall) => readonly Control[];
  /** How a text is shown. */
  readonly shown: (text: string) => string;
  /** Puts one that there is to use, where the kind has such: what people then see. */
  readonly use?: (called: CalledCommand, name: string, deps: Deps) => Promise<Card>;
  /** Why a text cannot be saved, in the person's language; undefined for one that can. */
  readonly refused: (text: string, called: AnyCall, deps: Deps) => string | undefined;
};

/** Saving without a text opens a form; with what does not go with saving, the worker says so. */
export const savingForm = (
  kind: SavedKind,
  { do: what, name = '', text, ...more }: Options,
): Action | undefined =>
  what === 'save' && text === undefined && Object.keys(more).length === 0
    ? { name: `${kind}.save-form`, args: [String(name).slice(0, 40)] }
    : undefined;

/**
 * Everybody may save and use; whoever saved one, and those who administer, may replace or remove it. What is in use for others is
 * for those who administer alone: by its name they have set what speaks there.
 */
export async function runSaved(of: SavedCommand, called: CalledCommand, deps: Deps): Promise<Verdict> {
  return tell(called, await done(of, called, deps), deps);
}

async function done(of: SavedCommand, called: CalledCommand, deps: Deps): Promise<Card> {
  const { do: what = 'list', name, text = '' } = called.options;
  if (what === 'list') return list(of, called, deps);
  const named = savedName(String(name ?? ''));
  if (named === undefined) return needs(of, called);
  if (what === 'save') return save(of, called, named, String(text), deps);
  if (what === 'use' && of.use) return of.use(called, named, deps);
  return what === 'remove' ? remove(of, called, named, deps) : show(of, called, named, deps);
}

/** The form was sent: `persona.save`. */
export async function actSaved(
  of: SavedCommand,
  called: Called<'action' | 'form'>,
  deps: Deps,
): Promise<Verdict> {
  const { call } = called;
  if (call.kind !== 'form' || call.action.name !== `${of.kind}.save`) return stale(called, deps);
  const { name = '', text = '' } = call.values;
  const named = savedName(name);
  const card = named === undefined ? needs(of, called) : await save(of, called, named, text, deps);
  return tell(called, card, deps);
}

const needs = ({ kind }: SavedCommand, { locale }: AnyCall): Card =>
  words(say(locale, `saved.${kind}.needs`, { most: LONGEST_SAVED[kind] }), 'bad');

/** There is none of this name; the names that there are. */
export async function unknownSaved(
  kind: SavedKind,
  { invocation, locale }: AnyCall,
  name: string,
  { saved }: Pick<Deps, 'saved'>,
): Promise<Card> {
  const known = (await saved.list(placeOfCall(invocation), kind)).map((one) => one.name);
  return words(withValues(say(locale, `saved.${kind}.unknown`, { name }), known, locale), 'bad');
}

async function list(of: SavedCommand, called: AnyCall, deps: Deps): Promise<Card> {
  const { locale, invocation } = called;
  const { kind } = of;
  const all = await deps.saved.list(placeOfCall(invocation), kind);
  const lines = all.slice(0, MOST_SAVED).map(({ name, text }) => `- \`${name}\` ${brief(text)}`);
  const markdown = lines.length > 0 ? lines.join('\n') : say(locale, `saved.${kind}.none`);
  const label = say(locale, of.save());
  const add: Control = { kind: 'button', label, action: { name: `${kind}.save-form`, args: [] } };
  return {
    title: say(locale, `saved.${kind}.title`),
    parts: [
      { kind: 'text', markdown },
      { kind: 'controls', controls: [add, ...of.beside(called)] },
    ],
  };
}

const LONGEST_BRIEF = 80;

function brief(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ');
  return line.length <= LONGEST_BRIEF ? line : `${line.slice(0, LONGEST_BRIEF - 1).toWellFormed()}…`;
}

async function show(of: SavedCommand, called: AnyCall, name: string, deps: Deps): Promise<Card> {
  const found = await deps.saved.read(placeOfCall(called.invocation), of.kind, name);
  if (!found) return unknownSaved(of.kind, called, name, deps);
  return {
    title: name,
    parts: [
      { kind: 'text', markdown: of.shown(found.text) },
      author(found, called),
      ...of.under(called, found, deps),
    ],
  };
}

const author = ({ by }: Saved, { locale }: AnyCall): CardPart =>
  by === undefined
    ? { kind: 'note', markdown: say(locale, 'settings.log.forgotten') }
    : { kind: 'note', markdown: `<@${by}>`, people: [by] };

async function save(of: SavedCommand, called: AnyCall, name: string, given: string, deps: Deps) {
  const { locale, invocation } = called;
  const { kind } = of;
  const text = given.trim();
  if (text === '' || text.length > LONGEST_SAVED[kind]) return needs(of, called);
  const refused = of.refused(text, called, deps);
  if (refused !== undefined) return words(refused, 'bad');
  const place = placeOfCall(invocation);
  return retryIfChanged(async () => {
    const all = await deps.saved.list(place, kind);
    const before = await deps.saved.read(place, kind, name);
    if (!before && all.length >= MOST_SAVED)
      return words(say(locale, `saved.${kind}.full`, { most: MOST_SAVED }), 'bad');
    const isUsed = await isUsedForOthers(place, kind, name, deps);
    const no = refusalOf(of, called, name, { before, isUsed });
    if (no) return no;
    const { user: by } = invocation.by;
    const id = `${invocation.id}.${deps.time.now()}`;
    const adminOnly = isUsed || before?.adminOnly;
    await deps.saved.save(place, kind, { name, text, by, id, adminOnly }, before);
    return show(of, called, name, deps);
  });
}

/** The levels that refer to it are cleared first: broken off after that, it can be removed once more. */
async function remove(of: SavedCommand, called: AnyCall, name: string, deps: Deps): Promise<Card> {
  const place = placeOfCall(called.invocation);
  const { kind } = of;
  return retryIfChanged(async () => {
    const before = await deps.saved.read(place, kind, name);
    if (!before) return unknownSaved(kind, called, name, deps);
    const isUsed = await isUsedForOthers(place, kind, name, deps);
    const no = refusalOf(of, called, name, { before, isUsed });
    if (no) return no;
    await clearReferences(place, kind, name, called.invocation.by.user, deps);
    await deps.saved.remove(place, kind, name, before);
    return words(say(called.locale, `saved.${kind}.removed`, { name }), 'good');
  });
}

/** Why this person may not save or remove what has this name; undefined where they may. */
function refusalOf(
  { kind }: SavedCommand,
  { admin, invocation, locale }: AnyCall,
  name: string,
  { before, isUsed }: { readonly before: Saved | undefined; readonly isUsed: boolean },
): Card | undefined {
  if (admin) return undefined;
  const user = before?.by;
  if (before && user === undefined) return words(say(locale, 'saved.of-nobody'), 'bad');
  if (user !== undefined && user !== invocation.by.user)
    return words(say(locale, `saved.${kind}.theirs`, { user }), 'bad', [user]);
  if (!isUsed && !before?.adminOnly) return undefined;
  return words(say(locale, 'saved.in-use', { name }), 'bad');
}
