import type { Card, CardPart, Control, Option } from '../../conversation/index.ts';
import { resolve } from '../../settings/index.ts';
import type { StoredLevel } from '../../store/index.ts';
import { say } from '../../texts/index.ts';
import type { Deps, ListedModel } from '../ports.ts';
import { levelIn, makeChange, storedLevel } from './change.ts';
import { factsOf, fitting, TURN, type Wanted } from './model-facts.ts';
import { type AnyCall, type Called, type CalledCommand, type Run, stale, tell } from './run.ts';
import { FOR } from './settings.ts';
import { refreshed } from './settings-card.ts';
import { BOTH, type CommandSpec } from './spec.ts';

export const spec: CommandSpec = {
  name: 'model',
  platforms: BOTH,
  about: 'settings.model.about',
  options: [
    { name: 'model', kind: 'text', most: 150, suggests: 'model' },
    FOR,
    {
      name: 'takes',
      kind: 'text',
      choices: ['image', 'audio', 'video', 'tools', 'reasoning'],
    },
    {
      name: 'below',
      kind: 'number',
      least: 0,
      most: 10_000,
      decimal: true,
    },
  ],
};

/** Shows the models there are, or those that do what is wanted; or chooses one: for oneself unless told otherwise. */
export const run: Run<CalledCommand> = async (called, deps) => {
  const { model, takes, below } = called.options;
  const level = storedLevel(called.options['for']);
  const wanted: Wanted = {
    takes: takes === undefined ? undefined : String(takes),
    below: typeof below === 'number' ? below : undefined,
  };
  const card =
    model === undefined
      ? await models(called, deps, wanted)
      : await choose(called, deps, level, String(model));
  return tell(called, card, deps);
};

/** A model was chosen on the card: `model.use|level`; or the card is asked for: `model.show`. */
export const act: Run<Called<'action' | 'form'>> = async (called, deps) => {
  const { call } = called;
  if (call.action.name === 'model.show') return tell(called, await models(called, deps), deps);
  const level = levelIn(call.action.args[0]);
  if (call.kind !== 'action' || call.action.name !== 'model.use' || !level || !call.chosen[0])
    return stale(called, deps);
  return tell(called, await choose(called, deps, level, call.chosen[0]), deps);
};

async function choose(called: AnyCall, deps: Deps, level: StoredLevel, model: string): Promise<Card> {
  const value = model === 'reset' ? undefined : model;
  const no = await makeChange(called, deps, { kind: 'value', level, setting: 'model', value });
  return no ?? (await models(called, await refreshed(called, deps)));
}

/** What the last turn of this thread came to. */
async function turnOfThread({ invocation: { thread } }: AnyCall, { turns }: Pick<Deps, 'turns'>) {
  const ending = thread && (await turns.seen(thread))?.said?.ending;
  return (ending?.kind === 'answered' && ending.usage) || TURN;
}

/** So many are told of one by one; menus hold more. */
const MOST_TOLD = 20;

async function models(called: AnyCall, deps: Deps, wanted: Wanted = {}): Promise<Card> {
  const { locale } = called;
  const turn = await turnOfThread(called, deps);
  const list = (await deps.chat.list?.()) ?? [];
  const found = fitting(list, wanted, turn);
  const model = deps.settings.model ?? deps.chat.model ?? '–';
  const { from, lock } = resolve('model', deps.settings.layers);
  const now = say(locale, 'settings.model.now', { model });
  const origin = from ? ` (${say(locale, `settings.from.${from}`)})` : '';
  const held = lock ? ` 🔒 ${lock.reason}` : '';
  const parts: CardPart[] = [{ kind: 'text', markdown: `${now}${origin}${held}` }];
  const title = say(locale, 'settings.model.title');
  if (list.length === 0) return { title, parts };
  if (found.length === 0)
    return { title, parts: [...parts, { kind: 'text', markdown: say(locale, 'settings.model.none') }] };
  const lines = found.slice(0, MOST_TOLD).map((one) => `- \`${one.id}\` ${factsOf(one, turn, locale)}`);
  const tokens = turn.promptTokens + turn.completionTokens;
  parts.push(
    { kind: 'text', markdown: lines.join('\n') },
    { kind: 'controls', controls: menus(called, deps, found, (one) => factsOf(one, turn, locale)) },
    { kind: 'note', markdown: say(locale, 'settings.model.price', { tokens }) },
  );
  return { title, parts };
}

/** One for each level at which this person may choose. */
function menus(
  called: AnyCall,
  { settings }: Pick<Deps, 'settings'>,
  found: readonly ListedModel[],
  hint: (model: ListedModel) => string,
): Control[] {
  const { locale, invocation, admin } = called;
  const levels: readonly Exclude<StoredLevel, 'workspace'>[] = [
    'person',
    ...(invocation.thread ? (['thread'] as const) : []),
    ...(invocation.channel && admin ? (['channel'] as const) : []),
  ];
  return levels.map((level) => {
    const chosen = settings.layers[level]?.values.model;
    // A menu holds few: what is chosen now is among them.
    const first = found.filter(({ id }) => id === chosen);
    const options: Option[] = [...first, ...found].map((one) => ({
      label: one.id,
      value: one.id,
      hint: hint(one),
    }));
    return {
      kind: 'choice',
      label: say(locale, `settings.model.choose.${level}`),
      action: { name: 'model.use', args: [level] },
      options: [{ label: say(locale, 'settings.reset'), value: 'reset' }, ...options],
      chosen: chosen ?? 'reset',
    };
  });
}
